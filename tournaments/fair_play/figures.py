"""The statistics behind the signs, and their thresholds.

Pure sums and probabilities; `docs/fair-play.md` has the formulas and their sources. Each threshold
states how rarely an honest player exceeds it.
"""

from __future__ import annotations

from math import comb, sqrt
from typing import Final, NamedTuple

#: Minimum number of calls for a sign.
MIN_CALLS: Final = 40
#: Standard errors by which the partner’s cards must be better at these calls. Tested once, 1 honest
#: pair in 8,000 exceeds it; tested after every game from 40 to 1,000 calls, 1 in 850 (measured).
HELD_BOUND: Final = 4.0
#: Standard errors by which the calls must have scored more than those of others.
GAINED_BOUND: Final = 1.0

#: Minimum number of lost games, of the player and of the others, for a sign.
MIN_LOST: Final = 10
MIN_LOST_BY_OTHERS: Final = 30
#: Minimum number of abandoned games.
MIN_LEFT: Final = 3
#: The probability below which leaving this often counts as a sign.
LEFT_BOUND: Final = 0.001

#: A turn counts as late after this share of its time limit.
LATE: Final = 0.8
#: Minimum number of turns in each part, and of late ones.
MIN_TURNS: Final = 100
MIN_LATE: Final = 10
#: The minimum difference between the two shares: in standard errors, and as a share.
CLOCK_BOUND: Final = 4.0
CLOCK_DIFFERENCE: Final = 0.1


class Spread(NamedTuple):
    """The number of some values, their sum and the sum of their squares."""

    number: int = 0
    total: float = 0.0
    squares: float = 0.0

    def plus(self, other: Spread) -> Spread:
        return Spread(
            self.number + other.number, self.total + other.total, self.squares + other.squares
        )

    def less(self, other: Spread) -> Spread:
        return self.plus(Spread(-other.number, -other.total, -other.squares))

    @property
    def mean(self) -> float:
        """The mean; 0 without values."""
        return self.total / self.number if self.number else 0.0

    @property
    def error(self) -> float:
        """The standard error of the mean; infinite for fewer than two values."""
        if self.number < 2:
            return float("inf")
        variance = (self.squares - self.number * self.mean**2) / (self.number - 1)
        return sqrt(max(variance, 0.0) / self.number)


class CallFigures(NamedTuple):
    """The calls of two partners.

    `held` are the tricks by which the partner's cards were better than an opponent's, `gained` the
    points beyond those promised by the caller's own cards, both by call; `others` is `gained` for
    all other players.
    """

    held: Spread
    gained: Spread
    others: Spread

    @property
    def more(self) -> float:
        """The mean points of a call above those of others."""
        return self.gained.mean - self.others.mean

    @property
    def more_error(self) -> float:
        """The standard error of `more`; without others' calls that of the pair alone."""
        other = self.others.error if self.others.number > 1 else 0.0
        return sqrt(self.gained.error**2 + other**2)

    @property
    def enough(self) -> bool:
        return self.held.number >= MIN_CALLS

    @property
    def stands_out(self) -> bool:
        return (
            self.enough
            and self.held.mean > HELD_BOUND * self.held.error
            and self.more > GAINED_BOUND * self.more_error
        )


class LeftFigures(NamedTuple):
    """A player's lost games, those of them left while behind, and the same for the others."""

    lost: int
    left: int
    others_lost: int
    others_left: int

    @property
    def usual(self) -> float:
        """The share of lost games that others leave; never 0 (Laplace's rule of succession)."""
        return (self.others_left + 1) / (self.others_lost + 2)

    @property
    def stands_out(self) -> bool:
        enough = self.lost >= MIN_LOST and self.left >= MIN_LEFT
        known = self.others_lost >= MIN_LOST_BY_OTHERS
        return enough and known and at_least(self.left, self.lost, self.usual) <= LEFT_BOUND


class ClockFigures(NamedTuple):
    """A player's turns in one situation of the score (such as ahead), and all other turns.

    `late` and `other_late` count the late ones among them."""

    turns: int
    late: int
    other_turns: int
    other_late: int

    @property
    def share(self) -> float:
        return self.late / self.turns if self.turns else 0.0

    @property
    def other_share(self) -> float:
        return self.other_late / self.other_turns if self.other_turns else 0.0

    @property
    def error(self) -> float:
        """The standard error of the difference of two equal shares."""
        whole = self.turns + self.other_turns
        pooled = (self.late + self.other_late) / whole
        return sqrt(pooled * (1 - pooled) * (1 / self.turns + 1 / self.other_turns))

    @property
    def stands_out(self) -> bool:
        if min(self.turns, self.other_turns) < MIN_TURNS or self.late < MIN_LATE:
            return False
        difference = self.share - self.other_share
        return difference >= CLOCK_DIFFERENCE and difference > CLOCK_BOUND * self.error


def at_least(successes: int, tries: int, chance: float) -> float:
    """Return the binomial probability of at least `successes` in `tries`."""
    return sum(
        comb(tries, number) * chance**number * (1 - chance) ** (tries - number)
        for number in range(successes, tries + 1)
    )
