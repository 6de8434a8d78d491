"""How often entrants have been partners and opponents, and which of these meetings are repeats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations, product
from typing import Final, NamedTuple

from tournaments.formats.draw import DrawnMatch, PlayedRound

#: A perfect rotation: partners at most once, opponents at most twice.
PARTNERS_ONCE: Final = 1
OPPONENTS_TWICE: Final = 2


class Meeting(NamedTuple):
    pair: tuple[int, int]
    times: int


class Repeats(NamedTuple):
    """The meetings beyond those of a perfect rotation: partners twice, or opponents three times."""

    partners: tuple[Meeting, ...]
    opponents: tuple[Meeting, ...]

    @property
    def perfect(self) -> bool:
        return not self.partners and not self.opponents


class Meetings(NamedTuple):
    """How often any two entrants, the lower number first, have been partners and opponents."""

    partners: Counter[tuple[int, int]]
    opponents: Counter[tuple[int, int]]

    def add(self, pairing: DrawnMatch) -> None:
        self.partners.update(partners_of(pairing))
        self.opponents.update(opponents_of(pairing))

    def excess(self) -> int:
        """Return how far a rotation is from a perfect one.

        Each time that two are partners again counts 2; each time that they are opponents beyond
        twice counts 1.
        """
        again = sum(times - PARTNERS_ONCE for times in self.partners.values() if times)
        oftener = sum(max(0, times - OPPONENTS_TWICE) for times in self.opponents.values())
        return 2 * again + oftener

    def repeats(self) -> Repeats:
        """Return everybody who has met more often than in a perfect rotation, by number."""
        return Repeats(
            _above(self.partners, PARTNERS_ONCE), _above(self.opponents, OPPONENTS_TWICE)
        )


def as_pair(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)


def partners_of(pairing: DrawnMatch) -> Iterator[tuple[int, int]]:
    return (as_pair(*both) for side in pairing.sides for both in combinations(side, 2))


def opponents_of(pairing: DrawnMatch) -> Iterator[tuple[int, int]]:
    return (as_pair(*both) for both in product(*pairing.sides))


def meetings(pairings: Iterable[DrawnMatch]) -> Meetings:
    counted = Meetings(Counter(), Counter())
    for pairing in pairings:
        counted.add(pairing)
    return counted


def played(history: Iterable[PlayedRound]) -> Iterator[DrawnMatch]:
    """Return the matches that were played; a forfeit is no meeting, since nobody sat down."""
    return (match.pairing for past in history for match in past.matches if not match.forfeit)


def _above(counted: Counter[tuple[int, int]], allowed: int) -> tuple[Meeting, ...]:
    return tuple(Meeting(*met) for met in sorted(counted.items()) if met[1] > allowed)
