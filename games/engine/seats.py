"""Who comes after whom: around the table, and in the deal."""

from __future__ import annotations

from functools import cache
from typing import Final

#: The names of the seats by how many players there are, clockwise.
COMPASS: Final = {2: ("North", "South"), 4: ("North", "East", "South", "West")}


def compass(players: int, seat: int) -> str:
    """The name of a seat: North, East, South, West, clockwise; North and South for two."""
    return COMPASS[players][seat]


@cache
def left_of(players: int, sitting_out: int) -> tuple[int, ...]:
    """By seat, the next seat clockwise that is not the one sitting out (-1: nobody)."""
    after = [(seat + 1) % players for seat in range(players)]
    return tuple([(seat + 1) % players if seat == sitting_out else seat for seat in after])


@cache
def dealt_to(players: int, packets: tuple[int, ...], dealer: int) -> tuple[tuple[int, ...], ...]:
    """By seat, the places in the pack, top first from 0, of the cards it is dealt.

    Args:
        players: how many are dealt to, from dealer's left.
        packets: how many cards each is given in each round.
        dealer: the dealer's seat.
    """
    places: list[list[int]] = [[] for _ in range(players)]
    top = 0
    for size in packets:
        for turn in range(players):
            places[(dealer + 1 + turn) % players] += range(top, top + size)
            top += size
    return tuple([tuple(held) for held in places])
