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
from tournaments.models import Club, Membership
from tournaments.seasons import seasons
from tournaments.seasons.seasons import Span

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
    points: int = Field(
        description="One an event, and one for each entry placed below the player’s. House "
        "entries are none where they win no prizes."
    )
    best: int = Field(description="The player’s best place, among those who can win.")


class SeasonTable(Schema):
    """A season with its table."""

    season: SeasonOut
    lines: list[SeasonLine]


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
    return page_of(request, found, page, _clubs)


@router.get("{slug:slug}", response=ClubOut)
def club(request: ApiRequest, slug: str) -> ClubOut:
    """A club."""
    return _clubs([_club(request, slug)])[0]


@router.get("{slug:slug}/members", response=Page[MemberOut])
def members(request: ApiRequest, slug: str, page: Query[PageQuery]) -> Page[MemberOut]:
    """The members of a club.

    The owners first, within each role by name.
    """

    def told(found: Iterable[Membership]) -> Iterator[MemberOut]:
        for member in found:
            yield MemberOut(player=ref_of(member.player), role=member.role)

    return page_of(request, members_of(_club(request, slug)), page, told)


@router.get("{slug:slug}/seasons", response=list[SeasonOut])
def club_seasons(request: ApiRequest, slug: str) -> list[SeasonOut]:
    """The seasons of a club.

    The latest first. Where the club has made none: the calendar years with results.
    """
    spans = seasons.spans(_club(request, slug), timezone.now())
    return [_season(span) for span in spans]


@router.get("{slug:slug}/seasons/{int:season_id}", response=SeasonTable)
def season_table(request: ApiRequest, slug: str, season_id: int) -> SeasonTable:
    """The table of a season."""
    club = _club(request, slug)
    season = get_object_or_404(club.seasons, pk=season_id)
    return _table(club, seasons.span_of(season))


@router.get("{slug:slug}/years/{int:year}", response=SeasonTable)
def year_table(request: ApiRequest, slug: str, year: int) -> SeasonTable:
    """The table of a calendar year."""
    club = _club(request, slug)
    if year not in seasons.YEARS:
        raise Http404
    return _table(club, seasons.year(year))


def _club(request: ApiRequest, slug: str) -> Club:
    return club_for(request.auth.player, slug, request.auth.session).club


def _clubs(found: Iterable[Club]) -> list[ClubOut]:
    listed = list(found)
    sizes = catalogue.sizes(listed)
    return [
        ClubOut(
            slug=club.slug,
            name=club.name,
            about=club.about,
            joining=club.joining,
            time_zone=club.time_zone,
            country=club.country,
            members=sizes.get(club.pk, 0),
            created=club.created,
        )
        for club in listed
    ]


def _season(span: Span) -> SeasonOut:
    return SeasonOut(
        id=span.season_id, name=span.name, first_day=span.first_day, last_day=span.last_day
    )


def _table(club: Club, span: Span) -> SeasonTable:
    lines = seasons.table(club, span)
    known = catalogue.players([line.player_id for line in lines])
    told = [
        SeasonLine(
            place=line.place,
            player=ref_of(known[line.player_id]),
            events=line.events,
            wins=line.wins,
            points=line.points,
            best=line.best,
        )
        for line in lines
    ]
    return SeasonTable(season=_season(span), lines=told)
