"""The knock-out in which a second defeat puts an entrant out, with a second final if needed.

Losers of the winners' rounds drop into the losers' rounds in an order that changes from drop to
drop, so that entrants who have met do not soon meet again. If the winner of the losers' rounds
wins the final, both have lost once and play again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from tournaments.formats.base import KnockOut
from tournaments.formats.bracket import (
    BracketPart,
    BracketSpot,
    SlotSource,
    Source,
    adjacent,
    places_for,
    upper_half,
)


class DoubleElimination(KnockOut):
    key = "double_elimination"
    name = "Double elimination"
    brief = "Two losses eliminate an entry, so that one bad match costs nobody the event."
    length = "About twice as many as with single elimination."
    losses = 2
    house_words = (
        "Beside people only one of their entries stays, or a person could wait while two of them "
        "meet."
    )

    def rounds(self, sides: int) -> int:
        return 2 * (places_for(sides).bit_length() - 1) if sides > 1 else 0

    def spots(self, entrants: int, *, third_place: bool = False) -> tuple[BracketSpot, ...]:
        """Return the winners' rounds, the losers' rounds and both finals, none for third place."""
        return _spots(entrants)

    def may_idle_a_person(self, house: Sequence[bool]) -> bool:
        """Return whether there are two or more house sides: who waits depends on the results."""
        return sum(house) > 1 and not all(house)


@cache
def _spots(entrants: int) -> tuple[BracketSpot, ...]:
    spots = upper_half(places_for(entrants))
    winners_final = len(spots) - 1
    rounds = spots[winners_final].round
    left = _losers(spots, 1)
    for dropped in range(2, rounds + 1):
        left = _played(spots, 2 * dropped - 3, adjacent(left))
        # The order of a drop, in turn: reversed, halves exchanged, each half reversed.
        sources = _losers(spots, dropped)
        half = len(sources) // 2
        first, second = sources[:half], sources[half:]
        dropping = (second[::-1] + first[::-1], second + first, first[::-1] + second[::-1])[
            (dropped - 2) % 3
        ]
        left = _played(spots, 2 * dropped - 2, zip(dropping, left, strict=True))
    final = len(spots)
    spots.append(
        BracketSpot(
            BracketPart.FINAL, 1, 2 * rounds, (Source(SlotSource.WINNER, winners_final), left[0])
        )
    )
    again = (Source(SlotSource.WINNER, final), Source(SlotSource.BEATEN_FIRST, final))
    return (*spots, BracketSpot(BracketPart.RESET, 1, 2 * rounds + 1, again))


def _played(
    spots: list[BracketSpot], number: int, matches: Iterable[tuple[Source, Source]]
) -> list[Source]:
    """Add a losers' round and return its winners."""
    start = len(spots)
    spots += [BracketSpot(BracketPart.LOSERS, number, number + 1, both) for both in matches]
    return [Source(SlotSource.WINNER, at) for at in range(start, len(spots))]


def _losers(spots: Sequence[BracketSpot], number: int) -> list[Source]:
    return [
        Source(SlotSource.LOSER, at)
        for at, spot in enumerate(spots)
        if spot.part is BracketPart.WINNERS and spot.round == number
    ]
