"""Entrants who are kept apart: never partners, or never at one table.

Formats that draw bring them together as rarely as they can. It is not always possible: in a whole
rotation everybody partners everybody.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import combinations
from random import Random
from typing import Final, NamedTuple

from tournaments.formats.draw import DrawnMatch
from tournaments.formats.meetings import Meetings, as_pair, opponents_of, partners_of

Pair = tuple[int, int]
#: How often numbers are dealt anew in search of a deal that brings nobody together.
DEALS: Final = 12


class Apart(NamedTuple):
    """The pairs, the lower number first: those in `tables` are to be neither partners."""

    partners: frozenset[Pair] = frozenset()
    tables: frozenset[Pair] = frozenset()

    @property
    def anybody(self) -> bool:
        return bool(self.partners or self.tables)

    def together(self, match: DrawnMatch) -> Iterator[Pair]:
        """Yield the pairs that a match brings together."""
        for both in partners_of(match):
            if both in self.partners or both in self.tables:
                yield both
        yield from (both for both in opponents_of(match) if both in self.tables)

    def times(self, met: Meetings) -> int:
        """Return how often such pairs have come together."""
        return sum(self.times_at(met, both, both) for both in self.partners | self.tables)

    def times_at(self, met: Meetings, pair: Pair, at: Pair) -> int:
        """Return how often the entrants `at`, in place of `pair`, come together."""
        return met.partners[at] + (met.opponents[at] if pair in self.tables else 0)

    def numbered(self, order: Sequence[int]) -> Apart:
        """Return the same pairs by their places in an order that not all need be in."""
        at = {entrant: number for number, entrant in enumerate(order)}
        partners, tables = (
            frozenset(
                as_pair(at[one], at[other]) for one, other in pairs if one in at and other in at
            )
            for pairs in (self.partners, self.tables)
        )
        return Apart(partners, tables)

    def dealt(
        self,
        order: Sequence[int],
        met: Meetings,
        rng: Random,
        may_change: Callable[[int, int], bool] = lambda _one, _other: True,
    ) -> list[int]:
        """Exchange entrants in an order until as few pairs as possible come together.

        met: how often any two places of the order come together. may_change: whether two entrants
        may change places.
        """
        deal = _Deal(self, order, met, may_change)
        best = list(deal.order)
        least = deal.together()
        for _deal in range(DEALS):
            deal.improve()
            if deal.together() < least:
                best, least = list(deal.order), deal.together()
            if not least:
                break
            deal.shuffle(rng)
        return best

    def spread(self, tables: Sequence[Sequence[int]]) -> list[list[int]]:
        """Exchange players of tables, near ones first, so that few of a table have to be apart."""
        seated = [list(table) for table in tables]
        while best := min(self._exchanges(seated), default=None):
            _gain, _distance, at, place, other, there = best
            seated[at][place], seated[other][there] = seated[other][there], seated[at][place]
        return seated

    def _exchanges(
        self, seated: Sequence[Sequence[int]]
    ) -> Iterator[tuple[int, int, int, int, int, int]]:
        """Yield exchanges that help: minus the gain, the distance, and both places."""
        costs = [self._at_least(table) for table in seated]
        for at, cost in enumerate(costs):
            for place in range(len(seated[at])) if cost else ():
                for other, table in enumerate(seated):
                    for there in range(len(table)) if other != at else ():
                        ours, theirs = list(seated[at]), list(table)
                        ours[place], theirs[there] = theirs[there], ours[place]
                        after = self._at_least(ours) + self._at_least(theirs)
                        if after < cost + costs[other]:
                            gain = after - cost - costs[other]
                            yield gain, abs(at - other), at, place, other, there

    def _at_least(self, table: Sequence[int]) -> int:
        """Return how many pairs a table of four brings together, however it is split."""
        if not any(
            as_pair(*both) in self.partners | self.tables for both in combinations(table, 2)
        ):
            return 0
        return min(
            sum(1 for _pair in self.together(DrawnMatch(0, sides))) for sides in splits(table)
        )


NOBODY: Final = Apart()


def splits(table: Sequence[int]) -> list[tuple[Pair, Pair]]:
    """Return the three ways to make two sides of four players."""
    a, b, c, d = table
    return [((a, c), (b, d)), ((a, d), (b, c)), ((a, b), (c, d))]


class _Deal:
    """An order of entrants that is being improved."""

    def __init__(
        self,
        apart: Apart,
        order: Sequence[int],
        met: Meetings,
        may_change: Callable[[int, int], bool],
    ) -> None:
        self.order = list(order)
        self._at = {entrant: number for number, entrant in enumerate(order)}
        self._apart, self._met, self._may_change = apart, met, may_change
        every = sorted(apart.partners | apart.tables)
        self._pairs = [pair for pair in every if pair[0] in self._at and pair[1] in self._at]
        self._of: dict[int, list[Pair]] = {}
        for pair in self._pairs:
            for one in pair:
                self._of.setdefault(one, []).append(pair)

    def together(self, pairs: Collection[Pair] | None = None) -> int:
        """Return how often these pairs come together; all by default."""
        every = self._pairs if pairs is None else pairs
        return sum(
            self._apart.times_at(self._met, pair, as_pair(self._at[pair[0]], self._at[pair[1]]))
            for pair in every
        )

    def improve(self) -> None:
        """Make the best exchange again and again until none helps."""
        while best := min(self._exchanges(), default=None):
            self._exchange(best[1], best[2])

    def shuffle(self, rng: Random) -> None:
        """Give everybody who is to be kept apart another place at random."""
        for one in self._of:
            other = rng.choice(self.order)
            if other != one and self._may_change(one, other):
                self._exchange(one, other)

    def _exchanges(self) -> Iterator[tuple[int, int, int]]:
        for one, pairs in self._of.items():
            if not self.together(pairs):
                continue
            for other in list(self.order):
                if other == one or not self._may_change(one, other):
                    continue
                both = {*pairs, *self._of.get(other, ())}
                before = self.together(both)
                self._exchange(one, other)
                after = self.together(both)
                self._exchange(one, other)
                if after < before:
                    yield after - before, one, other

    def _exchange(self, one: int, other: int) -> None:
        first, second = self._at[one], self._at[other]
        self.order[first], self.order[second] = other, one
        self._at[one], self._at[other] = second, first
