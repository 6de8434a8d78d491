"""Clubs, their members and their season tables."""

from collections.abc import Iterable, Iterator
from datetime import date, datetime
from typing import Annotated

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Field, Query, Router, Schema

from games.api.callers import ApiRequest
from games.api.values import NO_CONTROLS, Page, PageQuery, PlayerRef, one_of, page_of, ref_of
from tournaments.access import club_for
from tournaments.calendar import catalogue
from tournaments.clubs.members import members_of
from tournaments.models import Club, Membership, Season
from tournaments.seasons import divisions, seasons
from tournaments.seasons.rule import rule_of
from tournaments.seasons.season_table import SeasonResults, SeasonRow

router = Router(tags=["Clubs"])


class ClubOut(Schema):
    """A club."""

    slug: str = Field(description="Its word in addresses.")
    name: str
    about: str
    joining: Annotated[str, one_of(Club.Joining.values)] = Field(
        description="Who becomes a member: everybody, whom a director lets in, who has the link."
    )
    time_zone: str = Field(description="An IANA name.")
    country: str = Field(description="ISO 3166, or empty.")
    members: int = Field(description="How many it has.")
    created: datetime


class MemberOut(Schema):
    """A member of a club."""

    player: PlayerRef
    role: Annotated[str, one_of(Membership.Role.values)]


class SeasonOut(Schema):
    """The days whose events count for one season table."""

    id: int | None = Field(description="Null for a calendar year, where the club has no seasons.")
    name: str
    first_day: date
    last_day: date


class SeasonLine(Schema):
    """A player’s line of a season table."""

    place: int = Field(description="Shared by those who are equal.")
    player: PlayerRef
    events: int = Field(description="How many the player took part in.")
    wins: int = Field(description="How many of them the player won.")
    points: int = Field(description="By the season’s rule, of the events that count.")
    best: int = Field(
        description="The player’s best place, among those who can win; 0 if they have not played."
    )


class DivisionOut(Schema):
    """A division with its table, in which only its own players are counted."""

    name: str
    lines: list[SeasonLine]


class SeasonTable(Schema):
    """A season with its table."""

    season: SeasonOut
    rule: str = Field(description="How points are counted, in words.")
    divisions: list[DivisionOut] = Field(description="The highest first; none in most seasons.")
    lines: list[SeasonLine] = Field(description="All who played, whatever their division.")


@router.get("", response=Page[ClubOut])
def clubs(
    request: ApiRequest,
    page: Query[PageQuery],
    search: Annotated[str, Query(max_length=100, pattern=NO_CONTROLS)] = "",
) -> Page[ClubOut]:
    """The clubs you may see.

    By name. `search`: words of the name or the description.
    """
    found = catalogue.clubs(request.auth.player, request.auth.session, search)
    return page_of(request, found, page, lambda part: map(ClubOut.from_orm, part))


@router.get("{slug:slug}", response=ClubOut)
def club(request: ApiRequest, slug: str) -> Club:
    """A club."""
    return catalogue.with_members(Club.objects.all()).get(pk=_club(request, slug).pk)


@router.get("{slug:slug}/members", response=Page[MemberOut])
def members(request: ApiRequest, slug: str, page: Query[PageQuery]) -> Page[MemberOut]:
    """The members of a club.

    The owners first, within each role by name.
    """

    def answers(found: Iterable[Membership]) -> Iterator[MemberOut]:
        for member in found:
            yield MemberOut(player=ref_of(member.player), role=member.role)

    return page_of(request, members_of(_club(request, slug)), page, answers)


@router.get("{slug:slug}/seasons", response=list[SeasonOut])
def club_seasons(request: ApiRequest, slug: str) -> list[Season]:
    """The seasons of a club.

    The latest first. Where the club has made none: the calendar years with results.
    """
    return seasons.seasons_of(_club(request, slug), timezone.now())


@router.get("{slug:slug}/seasons/{num:season_id}", response=SeasonTable)
def season_table(request: ApiRequest, slug: str, season_id: int) -> SeasonTable:
    """The table of a season."""
    club = _club(request, slug)
    season = get_object_or_404(club.seasons, pk=season_id)
    return _table(club, season)


@router.get("{slug:slug}/years/{num:year}", response=SeasonTable)
def year_table(request: ApiRequest, slug: str, year: int) -> SeasonTable:
    """The table of a calendar year."""
    club = _club(request, slug)
    if year not in seasons.YEARS:
        raise Http404
    return _table(club, seasons.year(year))


def _club(request: ApiRequest, slug: str) -> Club:
    return club_for(request.auth.player, slug, request.auth.session).club


def _table(club: Club, season: Season) -> SeasonTable:
    results = SeasonResults.of(club, season)
    return SeasonTable(
        season=SeasonOut.from_orm(season),
        rule=rule_of(season).sentence,
        divisions=[
            DivisionOut(name=one.division.name, lines=list(map(_line, one.rows)))
            for one in divisions.tables(season, results)
        ],
        lines=list(map(_line, results.sheet().lines)),
    )


def _line(row: SeasonRow) -> SeasonLine:
    return SeasonLine(
        place=row.place,
        player=ref_of(row.player),
        events=row.events,
        wins=row.wins,
        points=row.points,
        best=row.best,
    )
