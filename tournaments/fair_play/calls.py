"""Whether a call depends on cards that the caller cannot have seen.

Only first-round calls of the dealer's left and the dealer's partner are used, the first two to
speak. The caller's partner and at least one opponent have not spoken then, and the pack is
shuffled: given the caller's hand, the turn-up and the bidding, the hands of the partner and of that
opponent are exchangeable, so on average equally good, whatever the caller's style and skill. Only a
player who knows the partner's cards calls more often when they are good.
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
    """A call that is measured.

    `held`: tricks that the partner's cards add in the trump called, less the mean of the opponents
    who have not spoken. `promised`: points expected from the caller's own cards
    (`games.bots.bidding`).
    """

    seat: int
    held: float
    promised: float


def seen_call(deal: Deal, action: Action, standing: Standing) -> SeenCall | None:
    """Return the measured call that an action makes, or None; `deal` is before the action."""
    rules, seat = deal.rules, deal.turn
    if deal.phase != FIRST_ROUND or action.kind != ORDER or rules.players != 4:
        return None
    spoken = len(deal.calls)
    if spoken > 1:
        return None
    worth = [tricks_of(rules, WITH_PARTNER, deal.turned_suit, hand) for hand in deal.hands]
    silent = [(seat + 1) % 4] if spoken else [(seat + 1) % 4, (seat + 3) % 4]
    held = worth[(seat + 2) % 4] - fmean(worth[one] for one in silent)
    return SeenCall(seat, held, promised(deal.observe(seat, standing), action))


def points_of(result: DealResult, side: int) -> int:
    """Return a side's points in a deal; negative if the other side scored."""
    return result.points if result.side == side else -result.points
