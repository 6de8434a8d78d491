"""The strengths of house players, by name."""

from __future__ import annotations

from math import inf
from random import Random
from time import monotonic
from typing import Final

from games.bots import house, strong
from games.engine.actions import Action
from games.engine.observation import Observation

#: Plays by rules of thumb, in a few hundredths of a millisecond.
STEADY: Final = "steady"
#: Looks at many guesses of the hidden hands, in some hundredths of a second.
STRONG: Final = "strong"
LEVELS: Final = (STEADY, STRONG)


def choose(
    level: str,
    observation: Observation,
    rng: Random,
    worlds: int = strong.WORLDS,
    seconds: float = inf,
) -> Action:
    """Return a house player's action, the same for the same observation and state of ``rng``.

    ``worlds`` is how many guesses of the hidden hands a strong player makes for a card; it makes
    fewer, one at least, if they take more than so many seconds.
    Raise IndexError out of turn and KeyError for an unknown level.
    """
    return _CHOOSE[level](observation, rng, worlds, monotonic() + seconds)


def choose_by_seed(
    level: str, observation: Observation, seed: int, worlds: int, seconds: float
) -> str:
    """Return the text of such an action; for a worker process (``games.subprocesses``)."""
    rng = Random(seed)  # noqa: S311 (no secret)
    return str(choose(level, observation, rng, worlds, seconds))


_CHOOSE: Final = {
    STEADY: lambda observation, rng, _worlds, _until: house.choose(observation, rng),
    STRONG: strong.choose,
}
