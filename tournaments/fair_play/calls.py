"""What a call tells of cards that the caller cannot have seen.

Only calls of the first round from the two places that speak first are looked at, the dealer's
left and the dealer's partner. There the partner and at least one opponent have said nothing, and
the pack is shuffled: given the caller's hand, the turn-up and what was said, partner and opponent
hold as good cards on average (they could be exchanged). So it is whatever the caller's style and
skill; only somebody who knows the partner's cards calls more often when these are good.
"""

from __future__ import annotations

from statistics import fmean
from typing import NamedTuple

from games.bots.bidding import promised
from games.bots.worth import WITH_PARTNER, tricks_of
from games.engine.actions import ORDER, Action
from games.engine.deal import Deal
from games.engine.observation import FIRST_ROUND, Standing
from games.engine.scoring import DealResult


class SeenCall(NamedTuple):
    """A call that is looked at.

    Attributes:
        seat: who made it.
        held: tricks that the partner's cards add in the trump called, less the mean of those
            opponents who had not spoken.
        promised: points to be expected from the caller's own cards (`games.bots.bidding`).
    """

    seat: int
    held: float
    promised: float


def seen_call(deal: Deal, action: Action, standing: Standing) -> SeenCall | None:
    """Return what an action that is about to be done tells; None if it is no such call.

    deal: before the action. standing: of its game.
    """
    rules, seat = deal.rules, deal.turn
    if deal.phase != FIRST_ROUND or action.kind != ORDER or rules.players != 4:
        return None
    spoken = len(deal.calls)
    if spoken > 1:
        return None
    hands = deal.start[0]
    worth = [tricks_of(rules, WITH_PARTNER, deal.turned_suit, hand) for hand in hands]
    silent = [(seat + 1) % 4] if spoken else [(seat + 1) % 4, (seat + 3) % 4]
    held = worth[(seat + 2) % 4] - fmean(worth[one] for one in silent)
    return SeenCall(seat, held, promised(deal.observe(seat, standing), action))


def points_of(result: DealResult, side: int) -> int:
    """Return the points that a deal brought a side; below 0 what it brought the other."""
    return result.points if result.side == side else -result.points
