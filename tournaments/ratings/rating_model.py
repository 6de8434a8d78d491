"""The numbers of the rating model, for those who want to understand it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

from django.conf import settings

from tournaments import skill
from tournaments.ratings.rating_holds import LOOKED_BACK
from tournaments.ratings.rating_store import ACTIVE
from tournaments.ratings.rating_words import percent
from tournaments.skill import BETA, START, START_MU, START_SIGMA, Skill

#: A deviation well below that of a settled rating.
FIRM: Final = skill.SETTLED - 10
MONTH: Final = 30  # days


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What the explanation of the ratings says in numbers.

    Attributes:
        mu, sigma, beta, rest, settled: the model's constants; `rest` is a day's variance.
        active: days after which somebody is no more ranked.
        games, games_of_two: after how many games against equals a rating is settled, where four
            play and where two do.
        firm: a deviation well below the settled one, and `months` for how many it stays settled.
        better: chance of a side rated 100 more a player, both quite sure, to win a game.
        first: what the first game of four new players changes.
    """

    mu: int
    sigma: int
    beta: int
    rest: float
    settled: int
    active: int
    games: int
    games_of_two: int
    firm: int
    months: int
    better: str
    first: int


@dataclass(frozen=True, slots=True)
class Bounds:
    """The settings by which people are ranked, and matches wait for a moderator; 0: never.

    Attributes:
        opponents: different ones for a place on a leaderboard.
        days: how far back is counted.
        same_matches, same_players: more matches than that among no more others.
        matches_an_hour: more of one player.
        hand_seconds: less for each hand of a game.
        address_matches: more of two players from one address.
    """

    opponents: int
    days: int
    same_matches: int
    same_players: int
    matches_an_hour: int
    hand_seconds: int
    address_matches: int


def bounds() -> Bounds:
    """Return the bounds as they are set."""
    return Bounds(
        opponents=settings.RANKED_OPPONENTS,
        days=LOOKED_BACK.days,
        same_matches=settings.RATING_SAME_MATCHES,
        same_players=settings.RATING_SAME_PLAYERS,
        matches_an_hour=settings.RATING_MATCHES_AN_HOUR,
        hand_seconds=settings.RATING_HAND_SECONDS,
        address_matches=settings.RATING_ADDRESS_MATCHES,
    )


@cache
def facts() -> ModelFacts:
    """Return the numbers, worked out from the model itself."""
    sure = Skill(START_MU, 50.0)
    better = Skill(START_MU + 100, 50.0)
    winners, _losers = skill.rated(([START, START], [START, START]), 0)
    return ModelFacts(
        mu=round(START_MU),
        sigma=round(START_SIGMA),
        beta=round(BETA),
        rest=skill.REST_A_DAY,
        settled=round(skill.SETTLED),
        active=round(ACTIVE),
        games=games_until_settled(2),
        games_of_two=games_until_settled(1),
        firm=round(FIRM),
        months=int(skill.settled_for(Skill(START_MU, FIRM)) // MONTH),
        better=percent(skill.expected(([better, better], [sure, sure]))),
        first=round(winners[0].mu) - round(START_MU),  # as a page shows a change
    )


def games_until_settled(size: int) -> int:
    """Return after how many games in a row new players of equal strength are settled.

    size: how many play on a side.
    """
    sides = [START] * size, [START] * size
    games = 0
    while not sides[0][0].settled:
        sides = skill.rated(sides, games % 2)
        games += 1
    return games
