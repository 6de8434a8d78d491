"""A player that does anything legal, each equally likely: an opponent for tests."""

from __future__ import annotations

from random import Random

from games.engine.actions import Action
from games.engine.observation import Observation


def choose(observation: Observation, rng: Random) -> Action:
    """Any legal action.

    Args:
        observation: what the player may know; it must be their turn.
        rng: where chance comes from.

    Raises:
        IndexError: it is not the player's turn.
    """
    return rng.choice(observation.legal)
