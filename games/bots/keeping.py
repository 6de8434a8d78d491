"""Which card a player can best do without: the dealer's discard and the card thrown on a trick."""

from __future__ import annotations

from typing import Final

from games.engine.cards import EFFECTIVE_SUIT, RANKS, STRENGTH, SUIT_MASK, cards_in, rank_of

KING: Final = RANKS.index("K")
ACE: Final = RANKS.index("A")


def least_needed(trump: int, hand: int, cards: int) -> int:
    """The card of a set that is missed least in a hand.

    A card that leaves its suit empty goes first while there is a trump to ruff with; aces are
    kept, trumps most of all.

    Args:
        trump: the trump suit.
        hand: all the cards held.
        cards: those of them that may go.
    """
    return min(cards_in(cards), key=lambda card: _worth(trump, hand, card))


def discard_from(trump: int, six: int) -> int:
    """The card the dealer lays down of the six."""
    return least_needed(trump, six, six)


def _worth(trump: int, hand: int, card: int) -> tuple[bool, bool, bool, int]:
    """How much a card is missed, the weightiest reason first."""
    suit = EFFECTIVE_SUIT[trump][card]
    if suit == trump:
        return True, True, True, STRENGTH[trump][trump][card]
    alone = hand & SUIT_MASK[trump][suit] == 1 << card
    makes_void = alone and hand & SUIT_MASK[trump][trump] != 0
    return False, rank_of(card) == ACE, not makes_void, rank_of(card)
