"""Which unseen cards each seat may still hold."""

from __future__ import annotations

from typing import Final, NamedTuple

from games.engine.cards import CARDS, EFFECTIVE_SUIT, STRENGTH, SUIT_MASK, cards_in, mask_of
from games.engine.observation import TAKEN, Observation

#: ``BEATEN_BY[trump][led][card]``: the set of cards that beat ``card`` when ``led`` was led.
BEATEN_BY: Final = tuple(
    tuple(
        tuple(
            mask_of(other for other in range(CARDS) if strength[other] > strength[card])
            for card in range(CARDS)
        )
        for strength in by_led
    )
    for by_led in STRENGTH
)


class Memory(NamedTuple):
    """What a player knows of the hidden cards during the play.

    may_hold: by seat, the unseen cards it may hold; 0 for the player and a seat that sits out.
    partner: -1 without one. opponents_may_hold: the unseen cards that any opponent may hold.
    """

    trump: int
    hand: int
    may_hold: tuple[int, ...]
    partner: int
    opponents_may_hold: int

    def is_master(self, card: int) -> bool:
        """Return True if no opponent can hold a higher card of the same suit."""
        suit = EFFECTIVE_SUIT[self.trump][card]
        higher = BEATEN_BY[self.trump][suit][card] & SUIT_MASK[self.trump][suit]
        return not self.opponents_may_hold & higher

    @property
    def trumps(self) -> int:
        return self.hand & SUIT_MASK[self.trump][self.trump]

    @property
    def opponents_trumps(self) -> int:
        return self.opponents_may_hold & SUIT_MASK[self.trump][self.trump]


def remember(observation: Observation) -> Memory:
    seat = observation.turn
    rules = observation.rules
    unseen = unseen_cards(observation)
    missing = void_suits(observation)
    may_hold = []
    opponents_may_hold = 0
    for other in range(rules.players):
        cards = unseen & ~missing[other]
        if observation.turn_up_at == TAKEN and other != observation.dealer:
            cards &= ~(1 << observation.turn_up)
        if other in (seat, *observation.sitting_out) or not observation.held[other]:
            cards = 0
        may_hold.append(cards)
        if rules.side_of(other) != rules.side_of(seat):
            opponents_may_hold |= cards
    partner = rules.partner_of(seat)
    if partner is None or partner in observation.sitting_out:
        partner = -1
    return Memory(observation.trump, observation.hand, tuple(may_hold), partner, opponents_may_hold)


def unseen_cards(observation: Observation) -> int:
    """Return the cards the player has not seen, and the turn-up if the dealer took it."""
    seen = observation.hand
    for trick in observation.tricks:
        for _, card in trick.plays:
            seen |= 1 << card
    for _, card in observation.plays:
        seen |= 1 << card
    if observation.turn_up_at != TAKEN:
        seen |= 1 << observation.turn_up
    return observation.rules.pack_mask & ~(seen | observation.put_away)


def void_suits(observation: Observation) -> list[int]:
    """Return, for each seat, the cards of every suit it failed to follow."""
    trump = observation.trump
    missing = [0] * observation.rules.players
    for plays in (*(trick.plays for trick in observation.tricks), observation.plays):
        for seat, card in plays:
            led = EFFECTIVE_SUIT[trump][plays[0][1]]
            if EFFECTIVE_SUIT[trump][card] != led:
                missing[seat] |= SUIT_MASK[trump][led]
    return missing


def highest(trump: int, cards: int) -> int:
    return max(cards_in(cards), key=lambda card: strength_in_own_suit(trump, card))


def lowest(trump: int, cards: int) -> int:
    return min(cards_in(cards), key=lambda card: strength_in_own_suit(trump, card))


def strength_in_own_suit(trump: int, card: int) -> int:
    """Return a card's strength in its own suit; any trump is above any other card."""
    return STRENGTH[trump][EFFECTIVE_SUIT[trump][card]][card]
