"""Cards that a file does not tell, where enough is known to play the deal again.

A card nobody saw is replaced by one that it could have been: any card not seen elsewhere that its
holder could have kept without being asked to follow suit with it. Which one makes no difference,
because it is never played.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from games.engine.cards import SUIT_MASK, cards_in
from games.engine.tricks import suit_led


def unheld(trump: int, tricks: Iterable[Sequence[tuple[int, int]]], seat: int) -> int:
    """The cards that a seat has shown not to hold, as a set: those of the suits not followed.

    Args:
        trump: the trump suit.
        tricks: (seat, card) in the order played.
        seat: whose.
    """
    cards = 0
    for plays in tricks:
        led = SUIT_MASK[trump][suit_led(trump, plays)] if plays else 0
        for player, card in plays:
            if player == seat and not led >> card & 1:
                cards |= led
    return cards


def fill(slots: Sequence[int], free: int) -> list[int] | None:
    """A different card for each slot.

    Args:
        slots: the set of cards that may not go there, for each slot.
        free: the cards there are, as a set.

    Returns:
        A card for each slot, or None when that cannot be (found by augmenting paths).
    """
    slot_of: dict[int, int] = {}

    def place(slot: int, tried: set[int]) -> bool:
        for card in cards_in(free & ~slots[slot]):
            if card not in tried:
                tried.add(card)
                if card not in slot_of or place(slot_of[card], tried):
                    slot_of[card] = slot
                    return True
        return False

    if not all(place(slot, set()) for slot in range(len(slots))):
        return None
    cards = {slot: card for card, slot in slot_of.items()}
    return [cards[slot] for slot in range(len(slots))]
