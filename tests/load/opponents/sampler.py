"""A plain sampler: the bids of the house player of 2026, cards by solving 100 random worlds.

A frozen opponent. Its worlds agree with the cards it has seen and the suits not followed, and all
of them are equally likely to it: it draws nothing from the calls. It has no rules for ties.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Final

from games.engine.actions import PLAYS, Action
from games.engine.cards import cards_in
from games.engine.observation import PLAYING, Observation
from games.engine.solver import Position, points_by_card
from tests.load.opponents import house_2026

WORLDS: Final = 100


def choose(observation: Observation, rng: Random) -> Action:
    if observation.phase != PLAYING or len(observation.legal) < 2:
        return house_2026.choose(observation, rng)
    sign = 1 if _made_by_us(observation) else -1
    total: Counter[int] = Counter()
    for _ in range(WORLDS):
        position = Position.of(observation, _world(observation, rng))
        for card, points in points_by_card(observation.rules, position).items():
            total[card] += sign * points
    return PLAYS[max(total, key=total.__getitem__)]


def _made_by_us(observation: Observation) -> bool:
    side_of = observation.rules.side_of
    return side_of(observation.maker) == side_of(observation.turn)


def _world(observation: Observation, rng: Random) -> list[int]:
    """Return hands by seat: shuffled until they agree, seats with the fewest choices first."""
    memory = house_2026.remember(observation)
    active = [seat for seat in range(observation.rules.players) if memory.may_hold[seat]]
    active.sort(key=lambda seat: memory.may_hold[seat].bit_count() - observation.held[seat])
    while True:
        hands = [0] * observation.rules.players
        hands[observation.turn] = observation.hand
        taken = observation.hand
        for seat in active:
            cards = list(cards_in(memory.may_hold[seat] & ~taken))
            if len(cards) < observation.held[seat]:
                break
            for card in rng.sample(cards, observation.held[seat]):
                hands[seat] |= 1 << card
                taken |= 1 << card
        else:
            return hands
