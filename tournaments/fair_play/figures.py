"""The figures behind the signs, and from where on they are one.

Pure sums and probabilities; `docs/fair-play.md` has the formulas and their sources. A bound says
how rarely somebody honest is past it, however much or little was played.
"""

from __future__ import annotations

from math import comb, sqrt
from typing import Final, NamedTuple

#: Of fewer calls nothing is said.
LEAST_CALLS: Final = 40
#: Standard errors by which the partner’s cards must be better at these calls: at one look 1 honest
#: pair in 8,000 is past it, looked at from 40 to 1,000 calls 1 in 850 (measured).
HELD_BOUND: Final = 4.0
#: Standard errors by which the calls must have brought more than those of others.
GAINED_BOUND: Final = 1.0

#: Of fewer games lost nothing is said, nor where the others have lost fewer.
LEAST_LOST: Final = 10
LEAST_LOST_BY_OTHERS: Final = 30
#: Nor of fewer that were left.
LEAST_LEFT: Final = 3
#: How rarely somebody leaves so often who does it as often as others.
LEFT_BOUND: Final = 0.001

#: The share of a turn's time after which it is late.
LATE: Final = 0.8
#: Of fewer turns in either part nothing is said, nor of fewer late ones.
LEAST_TURNS: Final = 100
LEAST_LATE: Final = 10
#: Standard errors between both shares, and the least difference.
CLOCK_BOUND: Final = 4.0
CLOCK_DIFFERENCE: Final = 0.1


class Spread(NamedTuple):
    """A number of values, with their sum and the sum of their squares."""

    number: int = 0
    total: float = 0.0
    squares: float = 0.0

    def plus(self, other: Spread) -> Spread:
        """Both together."""
        return Spread(
            self.number + other.number, self.total + other.total, self.squares + other.squares
        )

    def less(self, other: Spread) -> Spread:
        """The rest, once some of the values are taken away."""
        return self.plus(Spread(-other.number, -other.total, -other.squares))

    @property
    def mean(self) -> float:
        """The mean; 0 of nothing."""
        return self.total / self.number if self.number else 0.0

    @property
    def error(self) -> float:
        """The standard error of the mean; infinite of fewer than two values."""
        if self.number < 2:
            return float("inf")
        variance = (self.squares - self.number * self.mean**2) / (self.number - 1)
        return sqrt(max(variance, 0.0) / self.number)


class CallFigures(NamedTuple):
    """What the calls of two partners came to.

    Attributes:
        held: by how many tricks the partner's cards were better than an opponent's, at each call.
        gained: points that each brought beyond what the caller's own cards promised.
        others: the same of all other calls.
    """

    held: Spread
    gained: Spread
    others: Spread

    @property
    def more(self) -> float:
        """By how many points a call was better than those of others."""
        return self.gained.mean - self.others.mean

    @property
    def more_error(self) -> float:
        """The standard error of that; without others' calls that of the pair alone."""
        other = self.others.error if self.others.number > 1 else 0.0
        return sqrt(self.gained.error**2 + other**2)

    @property
    def enough(self) -> bool:
        """Whether there are so many calls that anything can be said."""
        return self.held.number >= LEAST_CALLS

    @property
    def stands_out(self) -> bool:
        """Whether they are a sign."""
        return (
            self.enough
            and self.held.mean > HELD_BOUND * self.held.error
            and self.more > GAINED_BOUND * self.more_error
        )


class LeftFigures(NamedTuple):
    """Games that somebody lost, those of them left while behind, and the same of the others."""

    lost: int
    left: int
    others_lost: int
    others_left: int

    @property
    def usual(self) -> float:
        """The share of lost games that others leave, never 0 (Laplace's rule of succession)."""
        return (self.others_left + 1) / (self.others_lost + 2)

    @property
    def stands_out(self) -> bool:
        """Whether they are a sign."""
        enough = self.lost >= LEAST_LOST and self.left >= LEAST_LEFT
        known = self.others_lost >= LEAST_LOST_BY_OTHERS
        return enough and known and at_least(self.left, self.lost, self.usual) <= LEFT_BOUND


class ClockFigures(NamedTuple):
    """Turns somebody took at one kind of score, those near the end of the clock, and all others."""

    turns: int
    late: int
    other_turns: int
    other_late: int

    @property
    def share(self) -> float:
        """The share of these turns that were late."""
        return self.late / self.turns if self.turns else 0.0

    @property
    def other_share(self) -> float:
        """The share of all others that were."""
        return self.other_late / self.other_turns if self.other_turns else 0.0

    @property
    def error(self) -> float:
        """The standard error of the difference, were both shares one."""
        whole = self.turns + self.other_turns
        pooled = (self.late + self.other_late) / whole
        return sqrt(pooled * (1 - pooled) * (1 / self.turns + 1 / self.other_turns))

    @property
    def stands_out(self) -> bool:
        """Whether they are a sign."""
        if min(self.turns, self.other_turns) < LEAST_TURNS or self.late < LEAST_LATE:
            return False
        difference = self.share - self.other_share
        return difference >= CLOCK_DIFFERENCE and difference > CLOCK_BOUND * self.error


def at_least(successes: int, tries: int, chance: float) -> float:
    """Return the probability of so many successes or more, each try with the same chance."""
    return sum(
        comb(tries, number) * chance**number * (1 - chance) ** (tries - number)
        for number in range(successes, tries + 1)
    )
