"""What points are worth as a game stands: more to a side that needs just those."""

from __future__ import annotations

from typing import Final

from games.engine.observation import Observation

#: Close to a race in which each side scores 1, 2 or 4 in 31, 16 and 3 of 100 deals.
STEEPNESS: Final = 2.2


def prospect(observation: Observation, ours: float, theirs: float) -> float:
    """How good it is to score; to be compared with other prospects of the same observation.

    Args:
        observation: whose score and target count; it must be a seat's.
        ours: points for the player's side.
        theirs: points for the other side.

    Returns:
        The chance to win the game, roughly; in a fixed number of deals, the points gained.
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
