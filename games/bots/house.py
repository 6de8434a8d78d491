"""The house player: plays a sound game by rules of thumb, from its observation only."""

from __future__ import annotations

from random import Random

from games.bots.answering import answer
from games.bots.bidding import bid
from games.bots.following import follow
from games.bots.keeping import discard_from
from games.bots.leading import lead
from games.bots.memory import remember
from games.engine.actions import DISCARDS, PLAYS, Action
from games.engine.observation import (
    CUTTING,
    DISCARDING,
    FIRST_ROUND,
    NAMING,
    PLAYING,
    SECOND_ROUND,
    Observation,
)


def choose(observation: Observation, rng: Random) -> Action:
    """Return the house player's action, the same for the same observation and seed.

    Only the cut and the suit of a turned-up joker are random. Raise IndexError out of turn.
    """
    phase, legal = observation.phase, observation.legal
    if len(legal) < 2:
        return legal[0]
    if phase == PLAYING:
        memory = remember(observation)
        card = follow(observation, memory) if observation.plays else lead(observation, memory)
        return PLAYS[card]
    if phase in (FIRST_ROUND, SECOND_ROUND):
        return bid(observation)
    if phase == DISCARDING:
        return DISCARDS[discard_from(observation.trump, observation.hand)]
    if phase in (CUTTING, NAMING):
        return rng.choice(legal)
    return answer(observation)
