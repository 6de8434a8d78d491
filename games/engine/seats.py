"""The order of the seats around the table and in the deal."""

from __future__ import annotations

from functools import cache
from typing import Final

#: Number of players to the names of the seats, clockwise.
COMPASS: Final = {2: ("North", "South"), 4: ("North", "East", "South", "West")}


def compass(players: int, seat: int) -> str:
    return COMPASS[players][seat]


@cache
def left_of(players: int, sitting_out: tuple[int, ...] = ()) -> tuple[int, ...]:
    """Return, for each seat, the next one clockwise, skipping those that sit out."""
    after = list(range(players)) * 3
    return tuple(
        [
            next(other for other in after[seat + 1 :] if other not in sitting_out)
            for seat in range(players)
        ]
    )


@cache
def dealt_to(players: int, packets: tuple[int, ...], dealer: int) -> tuple[tuple[int, ...], ...]:
    """Return, for each seat, the positions in the pack (0 is the top) of the cards it is dealt.

    Dealing starts at dealer's left; ``packets`` are the cards each player gets in each round.
    """
    places: list[list[int]] = [[] for _ in range(players)]
    top = 0
    for size in packets:
        for turn in range(players):
            places[(dealer + 1 + turn) % players] += range(top, top + size)
            top += size
    return tuple([tuple(held) for held in places])
