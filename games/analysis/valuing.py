"""What each choice of a position is worth over the cards that the player in turn could not know.

The worlds and the values in them are those of the reviews (`games.review.sampling`). They are drawn
in a few steps, each from a seed of its own, so that any worker can go on after any step. Kept are
only the sums from which means and errors follow; points are whole numbers, so these are exact.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from math import inf, sqrt
from random import Random
from typing import Any, Final, NamedTuple, Self

from games.engine.actions import Action, action_text
from games.engine.observation import CUTTING, DONE, NAMING, START, Observation
from games.engine.rules import rules_to_data
from games.review.sampling import Gain, SampledWorlds

#: How many deals a value rests on after each step.
STEPS: Final = (24, 100, 240, 600)
#: Standard errors of the difference by which the best choice must lead to be called the best.
SURE: Final = 2.0
#: Raised when values may come out otherwise for the same position.
VERSION: Final = 1


def has_choices(seen: Observation) -> bool:
    """Return True if there is something to choose that can be valued."""
    return seen.phase not in (CUTTING, NAMING, DONE) and len(seen.legal) > 1


def key_of(seen: Observation) -> str:
    """Return the digest of a question: equal questions share their work."""
    asked = seen._replace(standing=START._replace(score=seen.standing.score))
    rules = rules_to_data(seen.rules)
    text = json.dumps([VERSION, rules, [str(part) for part in asked[1:]]], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


class Choice(NamedTuple):
    """A legal action, the points of the deal expected from it, and their standard error."""

    action: Action
    value: float
    error: float


class Sums(NamedTuple):
    """The points of the options in all worlds so far, added up.

    Attributes:
        worlds: how many.
        points: for each option, in the order of the legal actions.
        products: for each two options, of their points in the same world.
    """

    worlds: int
    points: tuple[int, ...]
    products: tuple[tuple[int, ...], ...]

    @classmethod
    def none(cls, options: int) -> Self:
        return cls(0, (0,) * options, ((0,) * options,) * options)

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        return cls(data["worlds"], tuple(data["points"]), tuple(map(tuple, data["products"])))

    def __add__(self, more: object) -> Sums:
        if not isinstance(more, Sums):
            return NotImplemented
        points = tuple(map(sum, zip(self.points, more.points, strict=True)))
        products = tuple(
            tuple(map(sum, zip(*rows, strict=True)))
            for rows in zip(self.products, more.products, strict=True)
        )
        return Sums(self.worlds + more.worlds, points, products)

    def to_data(self) -> dict[str, Any]:
        return {"worlds": self.worlds, "points": self.points, "products": self.products}

    def value(self, option: int) -> Gain:
        return self._mean(self.points[option], self.products[option][option])

    def lead(self, option: int, other: int) -> Gain:
        """Return how much more one option is worth than another."""
        products = self.products
        squares = products[option][option] - 2 * products[option][other] + products[other][other]
        return self._mean(self.points[option] - self.points[other], squares)

    def _mean(self, total: int, squares: int) -> Gain:
        count = self.worlds
        if count < 2:
            return Gain(float(total), inf)
        spread = (squares - total * total / count) / (count - 1)
        return Gain(total / count, sqrt(max(0.0, spread) / count))


class Worth(NamedTuple):
    """What the choices of a position are worth so far.

    Attributes:
        choices: all legal actions, the best first.
        sure: whether the first leads all others by more than ``SURE`` errors of the difference.
        worlds: the number of deals looked at.
    """

    choices: tuple[Choice, ...]
    sure: bool
    worlds: int

    @property
    def complete(self) -> bool:
        return self.worlds >= STEPS[-1]


def worth(legal: Sequence[Action], sums: Sums) -> Worth:
    """Return what legal actions are worth by the sums of their points."""
    order = sorted(range(len(legal)), key=lambda option: (-sums.points[option], option))
    best, *others = order
    leads = [sums.lead(best, other) for other in others]
    choices = tuple([Choice(legal[option], *sums.value(option)) for option in order])
    return Worth(choices, all(lead.mean > SURE * lead.error for lead in leads), sums.worlds)


def step_after(worlds: int) -> int:
    """Return the number of the next step after so many deals; len(STEPS) if there is none."""
    return sum(one <= worlds for one in STEPS)


def value_step(seen: Observation, step: int) -> Sums:
    """Return the sums over the deals of one step alone; the same for the same question."""
    count = STEPS[step] - (STEPS[step - 1] if step else 0)
    rng = Random(f"{key_of(seen)}/{step}")  # noqa: S311 (a sample, no secret)
    rows = SampledWorlds(seen, rng).rows(count, seen.legal)
    points = [[row[option] for row in rows] for option in seen.legal]
    products = [
        [sum(one * other for one, other in zip(left, right, strict=True)) for right in points]
        for left in points
    ]
    return Sums(count, tuple(map(sum, points)), tuple(map(tuple, products)))


def value_as_data(seen: Observation, step: int) -> dict[str, Any]:
    """Value one step, as ``value_step``; for a worker process (``games.subprocesses``)."""
    return value_step(seen, step).to_data()


def choice_named(seen: Observation, text: str) -> Action | None:
    """Return the legal action of this text, or None."""
    return next((one for one in seen.legal if action_text(one) == text), None)
