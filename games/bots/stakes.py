"""What points are worth at the current score: more to a side that needs just those."""

from __future__ import annotations

from typing import Final

from games.engine.observation import Observation

#: Fits a race in which each side scores 1, 2 or 4 points in 31, 16 and 3 of 100 deals.
STEEPNESS: Final = 2.2


def prospect(observation: Observation, ours: float, theirs: float) -> float:
    """Return how good it is to score, comparable within one observation only.

    This is roughly the chance to win the game, or the points gained in a game of a fixed number of
    deals. ``ours`` and ``theirs`` are the points of the player's side and the other's.
    """
    target = observation.rules.target
    if target is None:
        return ours - theirs
    side = observation.rules.side_of(observation.turn)
    we_need = float(target - observation.standing.score[side] - ours)
    they_need = float(target - observation.standing.score[1 - side] - theirs)
    if we_need <= 0:
        return 1.0
    if they_need <= 0:
        return 0.0
    return float(1 / (1 + ((we_need + 1) / (they_need + 1)) ** STEEPNESS))
