"""A rush: as many puzzles as one can in three minutes. Pure: no clock, no chance of its own.

Three mistakes end it. An option is right by chance two times in five, so whoever presses at random
comes to two; a puzzle may not be tried again, because a second try at two or three options would
be given away. A mistake costs no seconds, because only the clock of the server counts and the page
would have to explain the difference.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

SECONDS: Final = 180
MISTAKES: Final = 3


class Rush(NamedTuple):
    """A rush that began at `started`, in seconds since 1970.

    `order` are the numbers of the puzzles as they are asked; `results` says of the first of them
    whether they were answered right.
    """

    started: float
    order: tuple[int, ...]
    results: tuple[bool, ...] = ()

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Rush | None:
        if not data:
            return None
        return cls(data["started"], tuple(data["order"]), tuple(data["results"]))

    @property
    def solved(self) -> int:
        return sum(self.results)

    @property
    def mistakes(self) -> int:
        return len(self.results) - self.solved

    def left(self, now: float) -> float:
        """Return the seconds that are left; none if the clock was set back before its start."""
        passed = now - self.started
        return max(0.0, SECONDS - passed) if passed >= 0 else 0.0

    def asked(self, now: float) -> int | None:
        """Return the number of the puzzle that is to be answered; None if the rush is over."""
        if not self.left(now) or self.mistakes >= MISTAKES:
            return None
        return next(iter(self.order[len(self.results) :]), None)

    def answered(self, *, right: bool) -> Rush:
        return self._replace(results=(*self.results, right))
