"""Handicap by rating: points that the weaker side of a match is given for the standings.

With n hands, the difference of the points of two sides varies by `HAND` times the square root of n
around what their strengths make expected. The handicap is the expected difference at which the
stronger side wins as often as the ratings say, if they are right: HAND · √n · Φ⁻¹(chance), rounded.
With all of it both sides have the same chance in the standings; an event can give a part of it.
"""

from __future__ import annotations

from math import exp, sqrt
from statistics import NormalDist
from typing import Final

from tournaments.formats.draw import PlayedMatch

#: Standard deviation of the points of a hand: 993 hands of house players by the classic rules.
HAND: Final = 1.56
#: Scale of the sum of two players' ratings: the root of twice the squared BETA of the rating model.
SCALE: Final = 240.0 * sqrt(2)
#: Chances beyond these are not believed; they keep the handicap within bounds.
MOST: Final = 0.95


def bonus(strengths: tuple[int, int], hands: int, percent: int) -> tuple[int, int]:
    """Return the points given to each side, one of which gets none.

    strengths: the sum of the ratings of each side. percent: how much of the difference is made up.
    """
    stronger = int(strengths[1] > strengths[0])
    gap = strengths[stronger] - strengths[1 - stronger]
    chance = min(MOST, 1 / (1 + exp(-gap / SCALE)))
    points = round(HAND * sqrt(hands) * NormalDist().inv_cdf(chance) * percent / 100)
    return (0, points) if stronger == 0 else (points, 0)


def counted(match: PlayedMatch, given: tuple[int, int]) -> PlayedMatch:
    """Return a match as it counts with the points given; a forfeit counts as it is."""
    if match.forfeit or given == (0, 0):
        return match
    first, second = (match.points[side] + given[side] for side in (0, 1))
    winner = -1 if first == second else int(second > first)
    return match._replace(points=(first, second), winner=winner)
