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
from games.engine.observation import Observation


def points_after(observation: Observation, hands: Sequence[int], action: Action) -> int:
    """Return the points of the deal for the side of the seat in turn, after it acts so.

    Quick house players play it out. Negative for points of the other side, 0 for a deal that is
    thrown in. ``hands`` are what each seat holds, the observer's own among them, as
    ``games.bots.worlds`` returns.
    """
    deal = Deal.from_observation(observation, hands)
    deal.apply(action)
    rng = Random(0)  # noqa: S311 (house players leave nothing to chance from the bidding on)
    while deal.result is None:
        deal.apply(choose(deal.observe(deal.turn, observation.standing), rng))
    mine = deal.result.side == observation.rules.side_of(observation.turn)
    return deal.result.points if mine else -deal.result.points
