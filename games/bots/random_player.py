"""A player that chooses among the legal actions at random: an opponent for tests."""

from __future__ import annotations

from random import Random

from games.engine.actions import Action
from games.engine.observation import Observation


def choose(observation: Observation, rng: Random) -> Action:
    return rng.choice(observation.legal)
