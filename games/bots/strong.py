"""The strong house player: looks at many guesses of the hidden hands before it acts.

A card is chosen by its points over guesses that are solved with all hands open. Close calls, and
the dealer's discard, are tried in guesses that quick players play out; solving them instead makes
lone hands look worse than they are (0.03 ± 0.02 points a deal). The quick player settles what is
not close, and what is worth the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import inf, sqrt
from random import Random
from time import monotonic
from typing import Final

from games.bots import house
from games.bots.answering import gain_of_defence
from games.bots.bidding import Bidder, march_alone, value_of
from games.bots.playouts import points_after
from games.bots.worlds import World, one_by_one
from games.engine.actions import Action
from games.engine.observation import (
    ASKING,
    DEFENDING,
    DISCARDING,
    FIRST_ROUND,
    GIVING,
    PLAYING,
    SECOND_ROUND,
    Observation,
)
from games.engine.solver import Position, points_by_card

#: Guesses of the hidden hands for a decision, and how many times as many at most where another
#: action seems better than the quick player's, but not surely.
WORLDS: Final = 60
BATCHES: Final = 4
#: The phases in which each action is tried.
TRIED: Final = (DISCARDING, ASKING, GIVING, DEFENDING)
#: Points by the rules within which a call, or defending alone, is close.
CLOSE: Final = 1.0
#: The lowest chance of a march, by the rules, at which a lone hand is tried.
MIN_MARCH: Final = 0.12
#: Points a deal by which another action must be better than the quick player's.
MARGIN: Final = 0.02
#: Standard errors by which it must be better: for a call or a discard, whose points vary more.
SURE_CARD: Final = 0.0
SURE_CALL: Final = 2.0
#: After each so many guesses the search ends if one action leads by CLEAR times the square root of
#: their number, in points (three standard errors), or if none has made a difference.
LOOK: Final = 15
CLEAR: Final = 2.7
SAME: Final = 1e-9


def choose(
    observation: Observation, rng: Random, worlds: int = WORLDS, until: float = inf
) -> Action:
    """Return the strong player's action, the same for the same arguments and state of ``rng``.

    ``worlds`` is the number of guesses, up to ``BATCHES`` times as many for a near decision.
    ``until`` is the time on the monotonic clock after which no further guess is made.
    Raise IndexError out of turn.
    """
    phase, legal = observation.phase, observation.legal
    usual = house.choose(observation, rng)
    if len(legal) < 2:
        return usual
    guesses = _guesses(observation, rng, worlds, until)
    if phase == PLAYING:
        return _card(observation, usual, guesses, worlds)
    if phase in (FIRST_ROUND, SECOND_ROUND):
        return _tried(observation, usual, _close_calls(observation, usual), guesses, worlds)
    if phase in TRIED and not (phase == DEFENDING and gain_of_defence(observation) < -CLOSE):
        others = (action for action in observation.legal if action != usual)
        return _tried(observation, usual, [usual, *others], guesses, worlds)
    return usual


def _guesses(observation: Observation, rng: Random, worlds: int, until: float) -> Iterator[World]:
    for _ in range(BATCHES):
        for world in one_by_one(observation, rng, worlds):
            yield world
            if monotonic() >= until:
                return


def _card(observation: Observation, usual: Action, guesses: Iterable[World], worlds: int) -> Action:
    rules = observation.rules
    sign = 1 if rules.side_of(observation.maker) == rules.side_of(observation.turn) else -1

    def values(world: World) -> Iterator[tuple[Action, float]]:
        points = points_by_card(rules, Position.of(observation, world))
        return ((action, sign * points[action.value]) for action in observation.legal)

    return _best(usual, guesses, worlds, values, SURE_CARD)


def _close_calls(observation: Observation, usual: Action) -> list[Action]:
    """Return the calls that may be best: one suit alone, a pass, or another suit nearly as good."""
    bidder = Bidder.of(observation)
    values = {
        action: value_of(bidder, action)
        for action in observation.legal
        if not action.alone or bidder.must_be_alone
    }
    best = max(values.values())
    close = [action for action, value in values.items() if value > best - CLOSE]
    alone = [
        action
        for action in observation.legal
        if action.alone
        and bidder.can_gain_alone
        and action._replace(alone=False) in close
        and march_alone(bidder, action) > MIN_MARCH
    ]
    return [usual, *(action for action in (*close, *alone) if action != usual)]


def _tried(
    observation: Observation,
    usual: Action,
    options: Sequence[Action],
    guesses: Iterable[World],
    worlds: int,
) -> Action:
    if len(options) < 2:
        return usual

    def values(world: World) -> Iterator[tuple[Action, float]]:
        for action in options:
            yield action, points_after(observation, world, action)

    return _best(usual, guesses, worlds, values, SURE_CALL)


def _best(
    usual: Action,
    guesses: Iterable[World],
    worlds: int,
    values: Callable[[World], Iterable[tuple[Action, float]]],
    sure: float,
) -> Action:
    """Return the action worth most on average, or the usual one if it is about as good.

    Another must be ahead of it by so many standard errors. Stop once more guesses will hardly
    change that; after so many worlds go on only while the best action is ahead, but not surely.
    """
    rows: list[dict[Action, float]] = []
    totals: dict[Action, float] = defaultdict(float)
    for world in guesses:
        rows.append(dict(values(world)))
        for action, value in rows[-1].items():
            totals[action] += value
        count = len(rows)
        if count % LOOK and count != worlds:
            continue
        best, *others = sorted(totals.values(), reverse=True)
        if best - others[-1] < SAME:
            break
        if count >= worlds or best - others[0] > CLEAR * sqrt(count):
            _, gain, error = _lead(usual, rows, totals)
            if not MARGIN * count < gain <= sure * error:
                break
    best_action, gain, error = _lead(usual, rows, totals)
    return best_action if gain > max(MARGIN * len(rows), sure * error) else usual


def _lead(
    usual: Action, rows: Sequence[Mapping[Action, float]], totals: Mapping[Action, float]
) -> tuple[Action, float, float]:
    """Return the best action, how far it is ahead of the usual one, and that sum's error."""
    best = max(totals, key=totals.__getitem__)
    gains = [row[best] - row[usual] for row in rows]
    return best, sum(gains), sqrt(sum(gain * gain for gain in gains))
