"""The knock-out in which one defeat puts an entrant out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from tournaments.formats.base import KnockOut
from tournaments.formats.bracket import (
    BracketPart,
    BracketSpot,
    SlotSource,
    Source,
    places_for,
    upper_half,
)


class SingleElimination(KnockOut):
    key = "single_elimination"
    name = "Single elimination"
    brief = "Losers are eliminated, and the last two play the final."
    length = "3 for 5 to 8 partnerships, 4 for 9 to 16, 5 for 17 to 32."
    settings = frozenset({"third_place"})
    losses = 1

    def rounds(self, sides: int) -> int:
        return places_for(sides).bit_length() - 1 if sides > 1 else 0

    def spots(self, entrants: int, *, third_place: bool = False) -> tuple[BracketSpot, ...]:
        """Return the matches of its bracket; the last one is the final."""
        return _spots(entrants, third_place=third_place)

    def may_idle_a_person(self, house: Sequence[bool]) -> bool:
        """Return whether two house sides meet in the first round while a person has a bye."""
        byes = places_for(len(house)) - len(house)
        first = house[byes:]
        # The best of those who play meets the last, the second best the last but one, and so on.
        meet = any(one and other for one, other in zip(first, reversed(first), strict=True))
        return meet and not all(house[:byes])


@cache
def _spots(entrants: int, *, third_place: bool) -> tuple[BracketSpot, ...]:
    *spots, last = upper_half(places_for(entrants))
    if third_place and len(spots) > 1:
        semi_finals = [source.number for source in last.sources]
        one, other = (Source(SlotSource.LOSER, number) for number in semi_finals)
        spots.append(BracketSpot(BracketPart.THIRD_PLACE, 1, last.turn, (one, other)))
    return (*spots, BracketSpot(BracketPart.FINAL, 1, last.turn, last.sources))
