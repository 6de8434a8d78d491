"""One trick: which cards may be played to it and who wins it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from games.engine.cards import EFFECTIVE_SUIT, FOLLOWING, NO_SUIT, STRENGTH


class Trick(NamedTuple):
    """A trick as everybody at the table saw it.

    Attributes:
        plays: (seat, card) in the order played.
        winner: the seat that took it, or -1 while it is not complete.
    """

    plays: tuple[tuple[int, int], ...]
    winner: int = -1

    @property
    def leader(self) -> int:
        """The seat that led."""
        return self.plays[0][0]


def suit_led(trump: int, plays: Sequence[tuple[int, int]]) -> int:
    """The suit a trick asks for, bowers and joker counted as trumps; ``NO_SUIT`` before a lead."""
    return EFFECTIVE_SUIT[trump][plays[0][1]] if plays else NO_SUIT


def playable(trump: int, plays: Sequence[tuple[int, int]], hand: int) -> int:
    """The cards of a hand that may be played now: the suit led if held, else any.

    Args:
        trump: the trump suit.
        plays: (seat, card) played so far to this trick.
        hand: the set of cards held.
    """
    if not plays:
        return hand
    return hand & FOLLOWING[trump][plays[0][1]] or hand


def winner(trump: int, plays: Sequence[tuple[int, int]]) -> int:
    """The seat whose card is winning: the highest trump, else the highest of the suit led."""
    strength = STRENGTH[trump][EFFECTIVE_SUIT[trump][plays[0][1]]]
    best_seat, best = plays[0][0], -1
    for seat, card in plays:
        if strength[card] > best:
            best_seat, best = seat, strength[card]
    return best_seat
