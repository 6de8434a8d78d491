"""API of ratings: pools, leaderboards, and the history of a player's rating."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated
from uuid import UUID

from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Field, Query, Router, Schema

from games.api.callers import ApiRequest
from games.api.problems import ApiProblem
from games.api.values import NO_CONTROLS, Page, PageQuery, PlayerRef, one_of, page_of, ref_of
from games.records import RESULT_WORDS
from tournaments.access import club_for, clubs_shown, requested_player
from tournaments.models import Rating, RatingChange
from tournaments.ratings import effects, leaderboards, words
from tournaments.ratings.leaderboards import BoardFilter
from tournaments.seasons import seasons

router = Router(tags=["Ratings"])
of_players = Router(tags=["Players"])


class PoolOut(Schema):
    """Ratings that can be compared: of one kind of game, online, in the room or in quick games."""

    pool: str = Field(description="Its word in addresses.")
    name: str
    ranked: int = Field(description="How many are ranked: settled, and active in 180 days.")
    rated: int = Field(description="How many have a rating.")


class RatingOut(Schema):
    """A rating as it is now."""

    rating: int
    deviation: int = Field(description="How sure it is: the standard deviation.")
    settled: bool = Field(description="Whether the deviation is under 90.")
    games: int = Field(description="How many games were rated.")
    latest: datetime = Field(description="When the last one ended.")


class PlayerRating(RatingOut):
    """A player’s rating in a pool."""

    pool: str
    ranked: bool
    mu: float = Field(description="After the last rated game, unrounded.")
    sigma: float = Field(description="After the last rated game: without the days since then.")


class BoardLine(RatingOut):
    """A player on a leaderboard."""

    place: int | None = Field(description="Null for who is not ranked.")
    player: PlayerRef
    why: str = Field(description="Why the player is not ranked; empty for who is.")


class Board(Schema):
    """A part of a leaderboard: 50 lines."""

    pool: str
    count: int = Field(description="How many are listed in total.")
    ranked: int
    page: int
    pages: int
    lines: list[BoardLine] = Field(description="The ranked by place, after them the others.")


class ChangeOut(Schema):
    """What one rated game did to a player’s rating."""

    at: datetime
    event: int | None = Field(description="Null for a quick game, and where you may not see it.")
    game: UUID | None = Field(description="The quick game; null for a game of an event.")
    partner: str
    opponents: str
    score: list[int] | None = Field(description="The player’s side’s points, and the others’.")
    outcome: Annotated[str, one_of(RESULT_WORDS.values())]
    expected: float = Field(description="How likely the player’s side was to win, from 0 to 1.")
    weight: float = Field(
        description="The share of the game that counts for the player, from 0 to 1: less than 1 "
        "where not everybody played it to its end."
    )
    mu_before: float
    sigma_before: float
    mu_after: float
    sigma_after: float
    sentence: str = Field(description="What changed and why.")


class BoardQuery(Schema):
    """Whose ratings are asked for."""

    page: int = Field(1, ge=1, le=100_000, description="From 1; the last one if there are fewer.")
    club: str = Field("", max_length=60, pattern=NO_CONTROLS, description="Only its members.")
    season: int | None = Field(
        None, description="Rather those who took part in an event of the club in this season."
    )
    year: int | None = Field(
        None,
        ge=seasons.YEARS.start,
        lt=seasons.YEARS.stop,
        description="Rather those who did so in this calendar year.",
    )
    country: str = Field("", pattern=r"^([A-Z]{2})?$", description="ISO 3166.")


@router.get("", response=list[PoolOut])
def pools(request: ApiRequest) -> list[PoolOut]:
    """The pools in which somebody is rated."""
    lines = leaderboards.pools(request.auth.player, timezone.now())
    return [
        PoolOut(
            pool=words.pool_slug(pool.key),
            name=words.pool_name(pool.key),
            ranked=pool.ranked,
            rated=pool.total,
        )
        for pool, _leaders, _own in lines
    ]


@router.get("{slug:pool}", response=Board)
def leaderboard(request: ApiRequest, pool: str, wanted: Query[BoardQuery]) -> Board:
    """The leaderboard of a pool.

    First the ranked, whose ratings are settled and who have played in the last 180 days, then the
    others with the reason. Who keeps their record private is not on it.
    """
    rated, now = leaderboards.pool_of(pool), timezone.now()
    board = leaderboards.board_of(
        rated, _board_filter(request, wanted), request.auth.player, wanted.page, now
    )
    return Board(
        pool=pool,
        count=board.total,
        ranked=board.ranked,
        page=board.page,
        pages=board.pages,
        lines=[
            BoardLine(
                place=line.place,
                player=ref_of(line.rating.player),
                why=line.why,
                games=line.rating.games,
                latest=line.rating.latest,
                rating=round(line.skill.mu),
                deviation=round(line.skill.sigma),
                settled=line.skill.settled,
            )
            for line in board.lines
        ],
    )


@of_players.get("{num:player_id}/ratings/{slug:pool}", response=Page[ChangeOut])
def rating_changes(
    request: ApiRequest, player_id: int, pool: str, page: Query[PageQuery]
) -> Page[ChangeOut]:
    """How a player’s rating came about.

    What every rated game did to it, the latest first.
    """
    player = requested_player(request, player_id)
    caller = request.auth
    clubs = clubs_shown(caller.player, caller.session)
    changes = effects.changes_of(player).filter(pool=leaderboards.pool_of(pool))

    def answers(rows: Iterable[RatingChange]) -> list[ChangeOut]:
        lines = effects.lines(rows, player, caller.player, clubs)
        return [
            ChangeOut(
                at=line.change.row.at,
                event=line.event.pk if line.event else None,
                game=line.quick,
                partner=line.change.partner,
                opponents=line.opponents,
                score=list(line.score) if line.score else None,
                outcome=RESULT_WORDS[line.change.outcome],
                expected=line.change.row.expected,
                weight=line.change.row.weight,
                mu_before=line.change.row.mu_before,
                sigma_before=line.change.row.sigma_before,
                mu_after=line.change.row.mu_after,
                sigma_after=line.change.row.sigma_after,
                sentence=line.change.sentence,
            )
            for line in lines
        ]

    return page_of(request, changes, page, answers)


def rating_out(rating: Rating, now: datetime) -> PlayerRating:
    """Return a rating with its pool."""
    skill = words.present(rating, now)
    return PlayerRating(
        pool=words.pool_slug(rating.pool.key),
        ranked=leaderboards.is_ranked(rating, now),
        mu=rating.mu,
        sigma=rating.sigma,
        games=rating.games,
        latest=rating.latest,
        rating=round(skill.mu),
        deviation=round(skill.sigma),
        settled=skill.settled,
    )


def _board_filter(request: ApiRequest, wanted: BoardQuery) -> BoardFilter:
    if wanted.season is not None and wanted.year is not None:
        raise ApiProblem(422, "invalid", "query.year: send `season` or `year`, not both.")
    if not wanted.club and wanted.season is not None:
        raise ApiProblem(
            422, "invalid", "query.season: a season is one of a club; send `club` too."
        )
    if not wanted.club and wanted.year is not None:
        raise ApiProblem(422, "invalid", "query.year: a year is one of a club; send `club` too.")
    if not wanted.club:
        return BoardFilter(country=wanted.country)
    club = club_for(request.auth.player, wanted.club, request.auth.session).club
    season = None
    if wanted.year is not None:
        season = seasons.year(wanted.year)
    elif wanted.season is not None:
        season = get_object_or_404(club.seasons, pk=wanted.season)
    return BoardFilter(club, season, wanted.country)
