"""Scores of duplicate events: each result compared with those of the same deal at other tables.

All tables of a round play the same deals, so that the luck of the cards cancels out. A net result
is the points of north and south less those of east and west; the score of east and west is that of
north and south with the other sign. Over all tables the scores of a deal add up to 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction
from math import sqrt
from statistics import variance
from typing import Final, NamedTuple

from tournaments.formats.draw import Scores

#: The net results of a table by deal; None for a deal that it has not played.
Nets = Sequence[int | None]

#: What a forfeit scores for each deal not played, for a side that was there and for the other.
FORFEIT_WON: Final = Fraction(0)
FORFEIT_LOST: Final = Fraction(-1, 2)


class Scoring(StrEnum):
    """How a result is compared with the results of the other tables.

    POINTS: the difference to their mean, in points. MATCHPOINTS: the share of them that it beats, a
    tie being half, less one half.
    """

    POINTS = "points"
    MATCHPOINTS = "matchpoints"


def deal_scores(nets: Nets, scoring: Scoring) -> list[Fraction | None]:
    """Return the score of north and south at each table for one deal.

    A deal that no other table has played scores 0, one that a table has not played None.
    """
    played = [net for net in nets if net is not None]
    others = len(played) - 1
    total = sum(played)

    def score(net: int) -> Fraction:
        if not others:
            return Fraction(0)
        if scoring is Scoring.POINTS:
            return net - Fraction(total - net, others)
        beaten = sum(other < net for other in played)
        beaten_by = sum(other > net for other in played)
        return Fraction(beaten - beaten_by, 2 * others)

    by_net = {net: score(net) for net in set(played)}
    return [None if net is None else by_net[net] for net in nets]


def neuberg(score: Fraction, results: int, field: int) -> Fraction:
    """Return a matchpoint score of a deal with few results as it counts in a field of this size.

    Neuberg's formula, by which a board with fewer scores is drawn towards the average: with two
    matchpoints for each result beaten and one for each tie, m becomes (m + 1) · field / results - 1
    (English Bridge Union, White Book, "Neuberg formula"). Here, as in `deal_scores`, scores run
    from -½ to ½. Returned as it is if there are as many results as the field has.
    """
    if results >= field:
        return score
    return score * Fraction(field * (results - 1), results * (field - 1))


class TableRound(NamedTuple):
    """What was played at a table in a round, as it is compared.

    `total` is a net result over the whole round that a director has set instead of the deals'.
    `forfeited_by` are the sides that forfeit the deals without a net result.
    """

    nets: Nets = ()
    total: int | None = None
    forfeited_by: frozenset[int] = frozenset()


def match_scores(
    tables: Sequence[TableRound], deals: int, scoring: Scoring
) -> list[tuple[Scores, Scores]]:
    """Return the scores of both sides by deal at each table.

    A deal that was not played has a score only if it was forfeited. A total set by a director is
    compared with the totals of the other tables, and stands in the comparison of no single deal.
    `deals` is how many a round has.
    """
    by_deal = round_scores([table.nets if table.total is None else () for table in tables], scoring)
    totals = [_total(table) for table in tables]
    by_total = deal_scores(totals, scoring)
    scores: list[tuple[Scores, Scores]] = []
    for at, table in enumerate(tables):
        score = by_total[at]
        if table.total is not None and score is not None:
            mine: Scores = (score * (deals if scoring is Scoring.MATCHPOINTS else 1),)
        else:
            mine = tuple(one for one in by_deal[at] if one is not None)
        forfeited = [_forfeited(table, side, deals - len(mine)) for side in (0, 1)]
        scores.append(((*mine, *forfeited[0]), (*(-one for one in mine), *forfeited[1])))
    return scores


def _forfeited(table: TableRound, side: int, unplayed: int) -> Scores:
    """Return the scores of a side for the deals that a forfeit has left unplayed."""
    if not table.forfeited_by:
        return ()
    return (FORFEIT_LOST if side in table.forfeited_by else FORFEIT_WON,) * unplayed


def _total(table: TableRound) -> int | None:
    if table.forfeited_by:
        return None
    if table.total is not None:
        return table.total
    return sum(net for net in table.nets if net is not None)


def round_scores(tables: Sequence[Nets], scoring: Scoring) -> list[list[Fraction | None]]:
    """Return for each table the scores of north and south by deal; None for an unplayed deal.

    Tables may have played different numbers of deals if time was up.
    """
    most = max((len(nets) for nets in tables), default=0)
    padded = [[*nets, *[None] * (most - len(nets))] for nets in tables]
    by_deal = [deal_scores([nets[deal] for nets in padded], scoring) for deal in range(most)]
    return [[scores[table] for scores in by_deal] for table in range(len(tables))]


def standard_error(scores: Sequence[Fraction]) -> float | None:
    """Return the standard error of the sum of these scores; None for fewer than two."""
    if len(scores) < 2:
        return None
    return sqrt(len(scores) * variance(map(float, scores)))
