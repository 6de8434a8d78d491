"""The numbers of the rating model, for those who want to understand it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import ceil

from tournaments import ratings
from tournaments.ratings import BETA, START, START_MU, START_SIGMA, TAU, Skill
from tournaments.services.rating_store import ACTIVE
from tournaments.services.rating_words import percent


@dataclass(frozen=True, slots=True)
class Facts:
    """What the explanation of the ratings says in numbers.

    Attributes:
        mu, sigma, beta, tau, rest, settled: the model's constants; `rest` is a day's variance.
        active: days after which somebody is no more ranked.
        games, games_of_two: after how many games against equals a rating is settled, where four
            play and where two do.
        weeks: for how many weeks a rating that has just settled by a margin of 20 stays so.
        better: chance of a side rated 100 more a player, both quite sure, to win a game.
        first: what the first game of four new players changes.
    """

    mu: int
    sigma: int
    beta: int
    tau: float
    rest: float
    settled: int
    active: int
    games: int
    games_of_two: int
    weeks: int
    better: str
    first: int


@cache
def facts() -> Facts:
    """Return the numbers, worked out from the model itself."""
    sure = Skill(START_MU, 50.0)
    better = Skill(START_MU + 100, 50.0)
    winners, _losers = ratings.rated(([START, START], [START, START]), 0)
    return Facts(
        mu=round(START_MU),
        sigma=round(START_SIGMA),
        beta=round(BETA),
        tau=TAU,
        rest=ratings.REST_A_DAY,
        settled=round(ratings.SETTLED),
        active=round(ACTIVE),
        games=games_until_settled(2),
        games_of_two=games_until_settled(1),
        weeks=int(ratings.settled_for(Skill(START_MU, ratings.SETTLED - 20)) // 7),
        better=percent(ratings.expected(([better, better], [sure, sure]))),
        first=ceil(winners[0].mu - START_MU),
    )


def games_until_settled(size: int) -> int:
    """Return after how many games in a row new players of equal strength are settled.

    size: how many play on a side.
    """
    sides = [START] * size, [START] * size
    games = 0
    while not sides[0][0].settled:
        sides = ratings.rated(sides, games % 2)
        games += 1
    return games
