"""How often entrants were partners and opponents, and which of that is a repeat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations, product
from typing import Final, NamedTuple

from tournaments.formats.draw import DrawnMatch, PlayedRound

#: The promise of a perfect rotation: with anybody at most once, against anybody at most twice.
PARTNERS_ONCE: Final = 1
OPPONENTS_TWICE: Final = 2


class Meeting(NamedTuple):
    """Two entrants and how often they met in one way; the lower number stands first."""

    pair: tuple[int, int]
    times: int


class Repeats(NamedTuple):
    """What a rotation could not avoid; empty for a perfect one.

    Attributes:
        partners: who are partners more than once.
        opponents: who are opponents more than twice.
    """

    partners: tuple[Meeting, ...]
    opponents: tuple[Meeting, ...]

    @property
    def perfect(self) -> bool:
        """Whether there are none."""
        return not self.partners and not self.opponents


class Meetings(NamedTuple):
    """How often two entrants, the lower number first, were partners and opponents."""

    partners: Counter[tuple[int, int]]
    opponents: Counter[tuple[int, int]]

    def add(self, pairing: DrawnMatch) -> None:
        """Counts one more match."""
        self.partners.update(partners_of(pairing))
        self.opponents.update(opponents_of(pairing))

    def excess(self) -> int:
        """How far a rotation is from a perfect one.

        Two for each time that two are partners again, and one for each time that they are
        opponents a third time or oftener.
        """
        again = sum(times - PARTNERS_ONCE for times in self.partners.values() if times)
        oftener = sum(max(0, times - OPPONENTS_TWICE) for times in self.opponents.values())
        return 2 * again + oftener

    def repeats(self) -> Repeats:
        """Everybody who met more often than a perfect rotation lets them, by number."""
        return Repeats(
            _above(self.partners, PARTNERS_ONCE), _above(self.opponents, OPPONENTS_TWICE)
        )


def as_pair(one: int, other: int) -> tuple[int, int]:
    """Two entrants with the lower number first."""
    return (one, other) if one < other else (other, one)


def partners_of(pairing: DrawnMatch) -> Iterator[tuple[int, int]]:
    """The pairs of partners in a match."""
    return (as_pair(*both) for side in pairing.sides for both in combinations(side, 2))


def opponents_of(pairing: DrawnMatch) -> Iterator[tuple[int, int]]:
    """The pairs of opponents in a match."""
    return (as_pair(*both) for both in product(*pairing.sides))


def meetings(pairings: Iterable[DrawnMatch]) -> Meetings:
    """Counts all meetings of some matches."""
    counted = Meetings(Counter(), Counter())
    for pairing in pairings:
        counted.add(pairing)
    return counted


def played(history: Iterable[PlayedRound]) -> Iterator[DrawnMatch]:
    """The pairings of the rounds played; a forfeit seated nobody and so is no meeting."""
    return (match.pairing for past in history for match in past.matches if not match.forfeit)


def _above(counted: Counter[tuple[int, int]], allowed: int) -> tuple[Meeting, ...]:
    return tuple(Meeting(*met) for met in sorted(counted.items()) if met[1] > allowed)
