"""Rotations found by search, for numbers of players and rounds that no design covers.

Each round is seated at random and then improved by exchanging players of two tables; at the end
all rounds are improved together. Costs are integers and the work is bounded, so the same seed
gives the same result on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random
from typing import Final

from tournaments.formats.apart import Apart
from tournaments.formats.meetings import Meetings

#: Players by seat: 4t and 4t+1 are partners at table t, against 4t+2 and 4t+3.
Seats = list[int]

#: An upper bound on how often two players have met.
MANY: Final = 2000
#: Cost of one more meeting, by how often two have met in that way. A repeat that a perfect rotation
#: forbids costs far more than meeting an opponent a second time, which it allows.
_PARTNERS: Final[tuple[int, ...]] = (0, *range(60, 60 * MANY, 60))
_OPPONENTS: Final[tuple[int, ...]] = (0, 1, *range(40, 40 * MANY, 40))
_FORBIDDEN: Final = 40
#: How often those count as having met who are to be kept apart.
_OFTEN: Final = 100

#: Limit of exchanges tried while all rounds are improved together.
WORK: Final = 200_000
#: Exchanges tried per player and sweep, and sweeps over a new round.
_TRIES: Final = 12
_SWEEPS: Final = 8
#: Extra cost that an exchange may have to leave a local minimum, and the chance of taking it.
_SLACK: Final = 60
_BOLD: Final = 1 / 32

#: Offsets from each seat of a table to the partner's and to both opponents'.
_MATES: Final = ((1, 2, 3), (-1, 1, 2), (1, -2, -1), (-1, -3, -2))


class Rotation:
    """Rounds for players 0 to n - 1, with a count of how often any two have met, also before.

    `rng` is the only random number generator.
    """

    def __init__(self, players: int, rng: Random) -> None:
        self.rounds: list[Seats] = []
        self._players = players
        self._partners = [0] * players**2
        self._opponents = [0] * players**2
        self._rng = rng

    def remember(self, before: Meetings, number: Mapping[int, int]) -> None:
        """Count the meetings of earlier rounds; `number` maps entrants to player numbers."""
        for counts, met in (
            (self._partners, before.partners),
            (self._opponents, before.opponents),
        ):
            for (one, other), times in met.items():
                if one in number and other in number:
                    counts[number[one] * self._players + number[other]] += times
                    counts[number[other] * self._players + number[one]] += times

    def keep_apart(self, apart: Apart) -> None:
        """Let those who are to be kept apart have met so often that nobody meets them again."""
        for both in apart.partners | apart.tables:
            for one, other in (both, both[::-1]):
                self._partners[one * self._players + other] += _OFTEN
                if both in apart.tables:
                    self._opponents[one * self._players + other] += _OFTEN

    def add(self, seated: Iterable[int]) -> None:
        """Seat one more round at random and improve it."""
        seats = list(seated)
        self._rng.shuffle(seats)
        if len(seats) == 4:
            # With a single table there are only three ways to split: take the cheapest.
            one, *others = seats
            splits = [[one, mate, *(x for x in others if x != mate)] for mate in others]
            costs = [sum(self._joining(split, i, i) for i in range(4)) for split in splits]
            seats[:] = splits[costs.index(min(costs))]
        for i in range(len(seats)):
            self._count(seats, i, 1)
        for _sweep in range(_SWEEPS):
            if not self._mend(seats, least=1, slack=0)[1]:
                break
        self.rounds.append(seats)

    def mend(self) -> None:
        """Improve all rounds together until nothing forbidden is left or the limit is reached."""
        best, least = self._copy(), self._forbidden()
        work = WORK
        tried = 1
        while least and tried and work > 0:
            tried = sum(
                self._mend(seats, least=_FORBIDDEN, slack=_SLACK)[0] for seats in self.rounds
            )
            work -= tried
            cost = self._forbidden()
            if cost < least:
                best, least = self._copy(), cost
        self.rounds = best

    def _copy(self) -> list[Seats]:
        return [list(seats) for seats in self.rounds]

    def _forbidden(self) -> int:
        costs = (self._worst(seats, i) for seats in self.rounds for i in range(len(seats)))
        return sum(cost for cost in costs if cost >= _FORBIDDEN)

    def _mend(self, seats: Seats, *, least: int, slack: int) -> tuple[int, int]:
        """Exchange players whose meetings cost `least` or more; return exchanges tried and made.

        Now and then an exchange that costs up to `slack` more is made, to leave a local minimum.
        """
        tried = made = 0
        chance = self._rng.random
        for i in range(len(seats)):
            if self._worst(seats, i) < least:
                continue
            for _try in range(_TRIES):
                j = int(chance() * len(seats))
                if i // 4 == j // 4:
                    continue
                tried += 1
                # The saving from exchanging two players of different tables.
                gain = (
                    self._leaving(seats, i)
                    + self._leaving(seats, j)
                    - self._joining(seats, i, j)
                    - self._joining(seats, j, i)
                )
                if gain > 0 or (slack and -gain <= slack and chance() < _BOLD):
                    self._count_both_ways(seats, i, -1)
                    self._count_both_ways(seats, j, -1)
                    seats[i], seats[j] = seats[j], seats[i]
                    self._count_both_ways(seats, i, 1)
                    self._count_both_ways(seats, j, 1)
                    made += 1
                    break
        return tried, made

    def _count(self, seats: Seats, i: int, step: int) -> None:
        """Count the meetings of a seat, from its side only."""
        row = seats[i] * self._players
        mate, left, right = _MATES[i % 4]
        self._partners[row + seats[i + mate]] += step
        self._opponents[row + seats[i + left]] += step
        self._opponents[row + seats[i + right]] += step

    def _count_both_ways(self, seats: Seats, i: int, step: int) -> None:
        self._count(seats, i, step)
        one = seats[i]
        mate, left, right = _MATES[i % 4]
        self._partners[seats[i + mate] * self._players + one] += step
        self._opponents[seats[i + left] * self._players + one] += step
        self._opponents[seats[i + right] * self._players + one] += step

    def _worst(self, seats: Seats, i: int) -> int:
        """Return the cost of the most expensive meeting at a seat."""
        row = seats[i] * self._players
        mate, left, right = _MATES[i % 4]
        return max(
            _PARTNERS[self._partners[row + seats[i + mate]] - 1],
            _OPPONENTS[self._opponents[row + seats[i + left]] - 1],
            _OPPONENTS[self._opponents[row + seats[i + right]] - 1],
        )

    def _leaving(self, seats: Seats, i: int) -> int:
        """Return the cost of a seat's meetings, which are already counted."""
        row = seats[i] * self._players
        mate, left, right = _MATES[i % 4]
        return (
            _PARTNERS[self._partners[row + seats[i + mate]] - 1]
            + _OPPONENTS[self._opponents[row + seats[i + left]] - 1]
            + _OPPONENTS[self._opponents[row + seats[i + right]] - 1]
        )

    def _joining(self, seats: Seats, i: int, j: int) -> int:
        """Return the cost of the meetings that the player at seat `i` would have at seat `j`."""
        row = seats[i] * self._players
        mate, left, right = _MATES[j % 4]
        return (
            _PARTNERS[self._partners[row + seats[j + mate]]]
            + _OPPONENTS[self._opponents[row + seats[j + left]]]
            + _OPPONENTS[self._opponents[row + seats[j + right]]]
        )
