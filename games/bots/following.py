"""Which card to play to a trick that somebody else has led."""

from __future__ import annotations

from games.bots.keeping import KING, least_needed
from games.bots.memory import BEATEN_BY, Memory, lowest
from games.engine.cards import EFFECTIVE_SUIT, cards_in, mask_of, rank_of
from games.engine.observation import Observation
from games.engine.tricks import playable, suit_led, winner


def follow(observation: Observation, memory: Memory) -> int:
    """The card to play after others: one that takes the trick, or the one missed least."""
    trump = memory.trump
    legal = playable(trump, observation.plays, memory.hand)
    ahead = winner(trump, observation.plays)
    best = dict(observation.plays)[ahead]
    beaten_by = BEATEN_BY[trump][suit_led(trump, observation.plays)]
    behind = _held_behind(observation, memory)
    winning = legal & beaten_by[best]
    if ahead == memory.partner:
        threatened = beaten_by[best] & behind and _is_low(trump, best)
        winning = _masters(memory, winning) if threatened else 0
    if not winning:
        return least_needed(trump, memory.hand, legal)
    sure = mask_of(card for card in cards_in(winning) if not beaten_by[card] & behind)
    return lowest(trump, sure or winning)


def _masters(memory: Memory, cards: int) -> int:
    """Those of some cards that are worth laying on a partner's: plain, and not to be beaten."""
    plain = cards & ~memory.trumps
    return mask_of(card for card in cards_in(plain) if memory.is_master(card))


def _is_low(trump: int, card: int) -> bool:
    """Whether a partner's card is one that is rarely left to win: a plain one below a king."""
    return EFFECTIVE_SUIT[trump][card] != trump and rank_of(card) < KING


def _held_behind(observation: Observation, memory: Memory) -> int:
    """The cards that opponents still to play to this trick may hold."""
    rules = observation.rules
    played = {seat for seat, _ in observation.plays}
    held = 0
    for seat, cards in enumerate(memory.may_hold):
        if seat not in played and rules.side_of(seat) != rules.side_of(observation.turn):
            held |= cards
    return held
