"""The card a hand can best spare: for the dealer's discard, or on a trick that is lost."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from games.engine.cards import (
    CARDS,
    EFFECTIVE_SUIT,
    LOW,
    RANKS,
    STRENGTH,
    SUIT_MASK,
    TRUMPS,
    cards_in,
    rank_of,
)

KING: Final = RANKS.index("K")
ACE: Final = RANKS.index("A")
#: ``HEIGHT[trump][card]``: the rank of a card; in a low hand its nine is as high as an ace.
HEIGHT: Final = tuple(
    tuple(9 - rank_of(card) if trump == LOW else rank_of(card) for card in range(CARDS))
    for trump in TRUMPS
)


def least_needed(trump: int, hand: int, cards: int) -> int:
    """Return the least valuable of those cards of a hand that may go.

    A card that makes a void goes first while there is a trump to ruff with; aces are kept, and
    trumps above all.
    """
    return min(cards_in(cards), key=lambda card: _worth(trump, hand, card))


@lru_cache(maxsize=1 << 14)
def discard_from(trump: int, six: int) -> int:
    return least_needed(trump, six, six)


def _worth(trump: int, hand: int, card: int) -> tuple[bool, bool, bool, int]:
    suit = EFFECTIVE_SUIT[trump][card]
    if suit == trump:
        return True, True, True, STRENGTH[trump][trump][card]
    alone = hand & SUIT_MASK[trump][suit] == 1 << card
    makes_void = alone and hand & SUIT_MASK[trump][trump] != 0
    height = HEIGHT[trump][card]
    return False, height >= ACE, not makes_void, height
