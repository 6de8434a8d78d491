"""What a change of a draw by hand breaks: meetings in other rounds, leftovers, sit-outs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from tournaments.formats.draw import Draw, DrawnMatch
from tournaments.formats.meetings import opponents_of, partners_of


class Break(NamedTuple):
    """Two who meet in that round too, or not at all any more (0); or one who sits out in it too."""

    kind: str
    one: int
    other: int
    round: int


class OtherRounds:
    """Who meets and who sits out in the other rounds of an event, by number.

    settled: whether it is settled for all rounds who meets whom, so that somebody may be left over.
    Where partners change, opponents meet often: only those of earlier rounds count.
    """

    def __init__(
        self,
        past: Mapping[int, Draw],
        to_come: Mapping[int, Draw],
        *,
        individual: bool,
        settled: bool,
    ) -> None:
        self.past, self.settled = past, settled
        every = {**past, **to_come}
        self.ways = [("met", opponents_of, _rounds(past if individual else every, opponents_of))]
        if individual:
            self.ways.insert(0, ("partners", partners_of, _rounds(every, partners_of)))

    def breaks(self, before: Draw, after: Draw) -> list[Break]:
        """Return what breaks if a round is drawn as `after`."""
        old, new = {*before.pairings}, {*after.pairings}
        found = []
        for number, (kind, pairs_in, met) in enumerate(self.ways):
            was, now = (
                {pair for one in them for pair in pairs_in(one)} for them in (old - new, new - old)
            )
            found += [Break(kind, *pair, met[pair]) for pair in sorted(now - was) if pair in met]
            if self.settled and number == 0:
                found += [Break("left", *pair, 0) for pair in sorted(was - now) if pair not in met]
        newly = {*after.sit_outs} - {*before.sit_outs}
        return found + [
            Break("out", one, one, at)
            for at, draw in self.past.items()
            for one in newly & {*draw.sit_outs}
        ]


def _rounds(
    draws: Mapping[int, Draw], pairs_in: Callable[[DrawnMatch], Iterator[tuple[int, int]]]
) -> dict[tuple[int, int], int]:
    """Return the first round in which each pair meets."""
    found: dict[tuple[int, int], int] = {}
    for number, draw in draws.items():
        for match in draw.pairings:
            for pair in pairs_in(match):
                found.setdefault(pair, number)
    return found
