"""The strong house player: looks at many guesses of the hidden hands before it acts.

A card is chosen by its points over guesses that are solved with all hands open. Close calls, and
the dealer's discard, are tried in guesses that quick players play out; solving them instead makes
lone hands look worse than they are (0.03 ± 0.02 points a deal). The quick player settles what is
not close, and what is worth the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

from games.bots import house
from games.bots.bidding import Bidder, march_alone, value_of
from games.bots.playouts import points_after
from games.bots.stakes import prospect
from games.bots.worlds import worlds as guess
from games.engine.actions import Action
from games.engine.observation import (
    DISCARDING,
    FIRST_ROUND,
    PLAYING,
    SECOND_ROUND,
    Observation,
)
from games.engine.solver import Position, points_by_card

#: Guesses of the hidden hands for a card; half as many for a call or a discard.
WORLDS: Final = 60
#: Points by the rules within which a call is close.
CLOSE: Final = 1.0
#: The lowest chance of a march, by the rules, at which a lone hand is tried.
MIN_MARCH: Final = 0.12
#: Points a deal by which another action must be better than the quick player's.
MARGIN: Final = 0.02


def choose(observation: Observation, rng: Random, worlds: int = WORLDS) -> Action:
    """Return the strong player's action, the same for the same arguments and state of ``rng``.

    ``worlds`` is the number of guesses for a card. Raise IndexError out of turn.
    """
    phase, legal = observation.phase, observation.legal
    usual = house.choose(observation, rng)
    if len(legal) < 2:
        return usual
    if phase == PLAYING:
        return _card(observation, usual, rng, worlds)
    if phase in (FIRST_ROUND, SECOND_ROUND):
        return _tried(observation, usual, _close_calls(observation, usual), rng, worlds // 2)
    if phase == DISCARDING:
        return _tried(observation, usual, _discards(observation, usual), rng, worlds // 2)
    return usual


def _card(observation: Observation, usual: Action, rng: Random, worlds: int) -> Action:
    rules = observation.rules
    makes = rules.side_of(observation.maker) == rules.side_of(observation.turn)
    totals = {action.value: 0 for action in observation.legal}
    for world in guess(observation, rng, worlds):
        for card, points in points_by_card(rules, Position.of(observation, world)).items():
            totals[card] += points if makes else -points
    best = max(observation.legal, key=lambda action: totals[action.value])
    gain = totals[best.value] - totals[usual.value]
    return best if gain > MARGIN * worlds else usual


def _close_calls(observation: Observation, usual: Action) -> list[Action]:
    """Return the calls that may be best: one suit alone, a pass, or another suit nearly as good."""
    bidder = Bidder.of(observation)
    values = {action: value_of(bidder, action) for action in observation.legal if not action.alone}
    best = max(values.values())
    close = [action for action, value in values.items() if value > best - CLOSE]
    alone = [
        action
        for action in observation.legal
        if action.alone
        and action._replace(alone=False) in close
        and march_alone(bidder, action) > MIN_MARCH
    ]
    return [usual, *(action for action in (*close, *alone) if action != usual)]


def _discards(observation: Observation, usual: Action) -> list[Action]:
    return [usual, *(action for action in observation.legal if action != usual)]


def _tried(
    observation: Observation, usual: Action, options: Sequence[Action], rng: Random, worlds: int
) -> Action:
    if len(options) < 2:
        return usual
    totals = dict.fromkeys(options, 0.0)
    for world in guess(observation, rng, worlds):
        for action in options:
            points = points_after(observation, world, action)
            totals[action] += prospect(observation, max(points, 0), max(-points, 0))
    unit = prospect(observation, 1, 0) - prospect(observation, 0, 0)
    best = max(totals, key=totals.__getitem__)
    return best if totals[best] - totals[usual] > MARGIN * worlds * unit else usual
