"""Which card to play to a trick that another seat has led."""

from __future__ import annotations

from games.bots.keeping import HEIGHT, KING, least_needed
from games.bots.memory import BEATEN_BY, Memory, lowest
from games.engine.cards import EFFECTIVE_SUIT, cards_in, mask_of
from games.engine.observation import Observation
from games.engine.tricks import playable, suit_led, winner


def follow(observation: Observation, memory: Memory) -> int:
    trump = memory.trump
    legal = playable(trump, observation.plays, memory.hand)
    ahead = winner(trump, observation.plays)
    best = dict(observation.plays)[ahead]
    beaten_by = BEATEN_BY[trump][suit_led(trump, observation.plays)]
    behind = _held_behind(observation, memory)
    winning = legal & beaten_by[best]
    if ahead == memory.partner:
        # A partner's trump, ace or king usually wins without help.
        is_low = EFFECTIVE_SUIT[trump][best] != trump and HEIGHT[trump][best] < KING
        threatened = beaten_by[best] & behind and is_low
        winning = _masters(memory, winning) if threatened else 0
    if not winning:
        return least_needed(trump, memory.hand, legal)
    if winning & memory.trumps and EFFECTIVE_SUIT[trump][best] != trump:
        # The lowest trump usually holds, and a bower is needed later.
        return lowest(trump, winning)
    sure = mask_of(card for card in cards_in(winning) if not beaten_by[card] & behind)
    return lowest(trump, sure or winning)


def _masters(memory: Memory, cards: int) -> int:
    """Return the plain cards of a set that cannot be beaten, worth playing over a partner's."""
    plain = cards & ~memory.trumps
    return mask_of(card for card in cards_in(plain) if memory.is_master(card))


def _held_behind(observation: Observation, memory: Memory) -> int:
    """Return the cards that opponents still to play to this trick may hold."""
    rules = observation.rules
    played = {seat for seat, _ in observation.plays}
    held = 0
    for seat, cards in enumerate(memory.may_hold):
        if seat not in played and rules.side_of(seat) != rules.side_of(observation.turn):
            held |= cards
    return held
