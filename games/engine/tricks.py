"""Following suit, and the winner of a trick."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from games.engine.cards import EFFECTIVE_SUIT, FOLLOWING, NO_SUIT, STRENGTH


class Trick(NamedTuple):
    """The (seat, card) plays of a trick in order, and its winner, or -1 while it is incomplete."""

    plays: tuple[tuple[int, int], ...]
    winner: int = -1

    @property
    def leader(self) -> int:
        return self.plays[0][0]


def suit_led(trump: int, plays: Sequence[tuple[int, int]]) -> int:
    """Return the suit to follow, bowers and joker as trumps; ``NO_SUIT`` before the lead."""
    return EFFECTIVE_SUIT[trump][plays[0][1]] if plays else NO_SUIT


def playable(trump: int, plays: Sequence[tuple[int, int]], hand: int) -> int:
    """Return the set of cards in a hand that may be played: the suit led if held, else any.

    `Deal.apply` states the same rule without a call for each card, for speed.
    """
    if not plays:
        return hand
    return hand & FOLLOWING[trump][plays[0][1]] or hand


def winner(trump: int, plays: Sequence[tuple[int, int]]) -> int:
    """Return the seat that is winning: with the highest trump, else the highest of the suit led."""
    strength = STRENGTH[trump][EFFECTIVE_SUIT[trump][plays[0][1]]]
    best_seat, best = plays[0][0], -1
    for seat, card in plays:
        if strength[card] > best:
            best_seat, best = seat, strength[card]
    return best_seat
