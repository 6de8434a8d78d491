"""Playing a deal out from an observation and a guess of the hands.

The engine's deal that this takes holds the guessed hands and no others: it is made from what the
observer has seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from games.bots.house import choose
from games.engine.actions import Action
from games.engine.deal import Deal
from games.engine.observation import PLAYING, Observation
from games.engine.scoring import DealResult
from games.engine.solver import Position, best_points


def points_after(observation: Observation, hands: Sequence[int], action: Action) -> int:
    """Return the points of the deal for the side of the seat in turn, after it acts so.

    Quick house players play it out. Negative for points of the other side, 0 for a deal that is
    thrown in. ``hands`` are what each seat holds, the observer's own among them, as
    ``games.bots.worlds`` returns.
    """
    deal = Deal.from_observation(observation, hands)
    deal.apply(action)
    _play_on(deal, observation, to_play=False)
    return _points(deal.result, observation)


def solved_after(observation: Observation, hands: Sequence[int], action: Action) -> int:
    """Return the same if quick house players call and discard, and the cards are then solved."""
    deal = Deal.from_observation(observation, hands)
    deal.apply(action)
    _play_on(deal, observation, to_play=True)
    if deal.result is not None:
        return _points(deal.result, observation)
    rules = deal.rules
    points = best_points(rules, Position.of(deal.observe(), deal.hands))
    makes = rules.side_of(deal.maker) == rules.side_of(observation.turn)
    return points if makes else -points


def _play_on(deal: Deal, observation: Observation, *, to_play: bool) -> None:
    rng = Random(0)  # noqa: S311 (house players leave nothing to chance from the bidding on)
    while deal.result is None and not (to_play and deal.phase == PLAYING):
        deal.apply(choose(deal.observe(deal.turn, observation.standing), rng))


def _points(result: DealResult | None, observation: Observation) -> int:
    if result is None:
        raise ValueError("The deal is not over.")
    mine = result.side == observation.rules.side_of(observation.turn)
    return result.points if mine else -result.points
