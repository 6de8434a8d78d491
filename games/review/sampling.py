"""What the options of a decision are worth in sampled worlds, and how sure a difference is.

Every option is valued in the same worlds, so that differences are surer than values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, sqrt
from random import Random
from typing import NamedTuple

from games.bots.worlds import worlds
from games.engine.actions import Action
from games.engine.observation import Observation
from games.review.values import World, values_in

#: What each option is worth in one world, in points of the deal for the player's side.
Row = Mapping[Action, int]


class Gain(NamedTuple):
    """A mean difference in points and its standard error."""

    mean: float
    error: float


class SampledWorlds:
    """Worlds that the player in turn could not tell apart, drawn one after another."""

    def __init__(self, seen: Observation, rng: Random) -> None:
        self._seen, self._rng = seen, rng
        self._options: Sequence[Action] = ()
        self._known: dict[World, Row] = {}

    def rows(self, count: int, options: Sequence[Action]) -> list[Row]:
        """Draw so many more worlds, and return what the options are worth in each."""
        if options != self._options:
            self._options = options
            self._known.clear()
        return [self._row(world) for world in worlds(self._seen, self._rng, count)]

    def _row(self, world: World) -> Row:
        row = self._known.get(world)
        if row is None:
            row = self._known[world] = values_in(self._seen, world, self._options)
        return row


def difference(rows: Sequence[Row], one: Action, other: Action) -> Gain:
    """Return how much more one option is worth than another; rows without both do not count."""
    gains = [row[one] - row[other] for row in rows if one in row and other in row]
    count = len(gains)
    if count < 2:
        return Gain(float(sum(gains)), inf)
    mean = sum(gains) / count
    spread = sum([(gain - mean) ** 2 for gain in gains]) / (count - 1)
    return Gain(mean, sqrt(spread / count))
