"""Puzzles that somebody is asked one after the other, and how they have fared with each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Generic, NamedTuple, TypeVar

P = TypeVar("P")

#: Wrong answers after which looking up the answer is offered first.
TRIES: Final = 2


class Attempt(NamedTuple):
    """How somebody has fared with a puzzle."""

    tries: int = 0
    solved: bool = False
    shown: bool = False

    @property
    def answered(self) -> bool:
        return self.solved or self.shown

    @property
    def in_words(self) -> tuple[str, str]:
        """Return what the page says of a puzzle that is answered: "Yes", and at which try."""
        if not self.solved:
            return "Best", "Looked up."
        return (
            "Yes",
            "Found at the first try." if self.tries == 1 else f"Found at try {self.tries}.",
        )


class PuzzleSet(NamedTuple, Generic[P]):
    """Puzzles by key, in order, and the attempts at them by the same keys."""

    puzzles: Mapping[int, P]
    attempts: Mapping[int, Attempt]

    def attempt(self, key: int) -> Attempt:
        return self.attempts.get(key, Attempt())

    @property
    def solved(self) -> int:
        return sum(self.attempt(key).solved for key in self.puzzles)

    def number(self, key: int) -> int:
        """Return a puzzle's place in the set, from 1."""
        return [*self.puzzles].index(key) + 1

    def after(self, key: int) -> int | None:
        """Return the next puzzle to be answered after one, at last itself; None without one."""
        keys = [*self.puzzles]
        start = keys.index(key) + 1 if key in keys else 0
        in_turn = [*keys[start:], *keys[:start]]
        return next((one for one in in_turn if not self.attempt(one).answered), None)
