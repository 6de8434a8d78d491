"""What a review adds up to: each player's marks, play and luck, and the points to expect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import hypot
from typing import NamedTuple

from games.files.played import PlayedDeal, PlayedGame
from games.review.judging import MARKS
from games.review.reports import GameReport, Judged


class Balance(NamedTuple):
    """The difference of the scores, from one side, as a sum of play and luck.

    ``ours`` is not above 0 and ``theirs`` not below: what marked decisions of each side, house
    players standing in included, gave away. Luck is the rest: the cards, and losses too small to be
    told from chance. ``error`` is the standard error of both sums of play, and so of luck.
    """

    ours: float
    theirs: float
    luck: float
    total: int
    error: float


class CurvePoint(NamedTuple):
    """The points a player could expect from a step of a hand on; ``lost`` by a marked decision."""

    step: int
    value: float
    lost: float = 0.0


def sum_of(report: GameReport, seat: int) -> tuple[int, list[int], float, float]:
    """Return the number of a player's decisions, and with each mark; points lost, and the error."""
    decisions = report.of(seat)
    counted = Counter(one.mark for one in decisions)
    lost, error = _lost(decisions)
    return len(decisions), [counted[mark] for mark in MARKS], lost, error


def balance(game: PlayedGame, report: GameReport, side: int) -> Balance:
    rules, score = game.rules, game.standing.score
    by_side = [
        _lost([one for one in report.decisions if rules.side_of(one.seat) == which])
        for which in (side, 1 - side)
    ]
    (ours, our_error), (theirs, their_error) = by_side
    total = score[side] - score[1 - side]
    return Balance(-ours, theirs, total + ours - theirs, total, hypot(our_error, their_error))


def _lost(decisions: Sequence[Judged]) -> tuple[float, float]:
    """Return the points lost and their standard error."""
    marked = [one for one in decisions if one.mark]
    error = hypot(*[one.judgement.error for one in marked])
    return round(sum(one.lost for one in marked), 2), error


def curve(played: PlayedDeal, report: GameReport, seat: int) -> list[CurvePoint]:
    """Return what a seat's player could expect, from the first of their decisions to the result.

    It changes at a decision of theirs with the next thing they knew: what the others did and the
    cards that came up show there. The last point is the result of the hand, if it has one.
    """
    points: list[CurvePoint] = []
    for one in report.in_hand(played.number):
        if one.seat == seat:
            loss = one.lost
            points.append(CurvePoint(one.step, one.value + loss))
            points.append(CurvePoint(one.step + 1, one.value, loss))
    result = played.deal.result
    if result is not None:
        sign = 0 if result.side < 0 else 1 if result.side == played.deal.rules.side_of(seat) else -1
        points.append(CurvePoint(played.steps, float(sign * result.points)))
    return points
