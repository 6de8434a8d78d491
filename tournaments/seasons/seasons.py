"""Seasons of a club and their tables, added up from the results each time."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q, QuerySet
from django.utils.timezone import localtime

from games.models import Player
from tournaments.changes.held_rows import held_club
from tournaments.models import Club, Entry, EntryPlayer, Event, Season
from tournaments.refusals import RefusedError
from tournaments.standings.winners import Placed, outcome

MOST = 100
YEARS = range(1900, 3000)  # far from where a calendar or a time zone ends


@dataclass(frozen=True, slots=True)
class Span:
    """The days of a season table, both included.

    season_id: the club's own season, or None for a calendar year.
    """

    name: str
    first_day: date
    last_day: date
    season_id: int | None = None

    def holds(self, day: date) -> bool:
        """Whether a day belongs to it."""
        return self.first_day <= day <= self.last_day


@dataclass(frozen=True, slots=True)
class SeasonRow:
    """A player's line of a season table.

    place: equal for those who are equal in points, wins and best place. events: how many the player
    took part in. wins: how many of these they won. points: one for each event, and one for each
    entry placed below theirs; house entries are none where they win no prizes. best: the player's
    best place, among those who can win. average: of the player's places. private: whether they
    keep their record to themselves. house: whether it is a house player.
    """

    place: int
    player_id: int
    name: str
    events: int
    wins: int
    points: int
    best: int
    average: float
    private: bool
    house: bool


class SeasonPlayer(NamedTuple):
    """Whose line it is."""

    player_id: int
    name: str
    private: bool
    house: bool


class SeasonResult(NamedTuple):
    """How an entry ended at one event.

    place: among those who can win. below: how many of them were placed below it. won: whether it
    won.
    """

    place: int
    below: int
    won: bool


@transaction.atomic
def make(club: Club, *, name: str, first_day: date, last_day: date) -> Season:
    """Add a season to a club.

    Raises:
        RefusedError: ``name taken``, ``many`` or ``gone``.
    """
    club = held_club(club)
    if club.seasons.count() >= MOST:
        raise RefusedError("many", f"A club can keep {MOST} seasons: delete one first.")
    return _stored(Season(club=club, name=name, first_day=first_day, last_day=last_day))


@transaction.atomic
def change(season: Season, *, name: str, first_day: date, last_day: date) -> Season:
    """Change a season's name and days.

    Raises:
        RefusedError: ``name taken`` or ``gone``.
    """
    kept = held_club(season.club).seasons.filter(pk=season.pk).first()
    if kept is None:
        raise RefusedError("gone", f"{season.name} has been deleted meanwhile.", 404)
    kept.name, kept.first_day, kept.last_day = name, first_day, last_day
    return _stored(kept)


def delete(season: Season) -> None:
    """Delete a season; its events and their results stay."""
    season.delete()


def spans(club: Club, now: datetime, years: Collection[int] | None = None) -> list[Span]:
    """The club's seasons, the latest first; where it has made none, the years with results.

    The first is never in the future unless all are: it is the one to show.

    years: those with results, where they are known already.
    """
    today = localtime(now, club.zone).date()
    seasons = [span_of(season) for season in club.seasons.all()]
    if seasons:
        return sorted(seasons, key=lambda span: span.first_day > today)
    if years is None:
        played = finished(club).datetimes("starts", "year", tzinfo=club.zone)
        years = {day.year for day in played}
    return [year(number) for number in sorted({today.year, *years}, reverse=True)]


def span_of(season: Season) -> Span:
    """The days of one of a club's own seasons."""
    return Span(season.name, season.first_day, season.last_day, season.pk)


def year(number: int) -> Span:
    """The days of a calendar year."""
    return Span(str(number), date(number, 1, 1), date(number, 12, 31))


def table(club: Club, span: Span) -> list[SeasonRow]:
    """The season table: every finished event that started within the days, in the club's zone.

    House players have a line only where they are members. Where they win no prizes, places and
    points are those among people.
    """
    house = Q(player__kind=Player.Kind.HOUSE)
    listed = ~house | Exists(club.memberships.filter(player=OuterRef("player")))
    rows = (
        EntryPlayer.objects.filter(event__in=events_of(club, span), entry__place__isnull=False)
        .annotate(
            house=ExpressionWrapper(house, output_field=BooleanField()),
            listed=ExpressionWrapper(listed, output_field=BooleanField()),
        )
        .values_list(
            *("event", "event__house_prizes", "entry", "entry__place", "entry__house"),
            *("entry__state", "listed"),
            *("player", "player__name", "player__private", "house"),
        )
    )
    held: dict[tuple[int, bool], dict[Placed, list[SeasonPlayer]]] = defaultdict(dict)
    for event, prizes, entry, place, filled, state, has_line, *who in rows:
        placed = Placed(entry, place or 0, filled, state == Entry.State.WITHDRAWN)
        shown = held[event, prizes].setdefault(placed, [])
        if has_line:
            shown.append(SeasonPlayer(*who))
    results: dict[SeasonPlayer, list[SeasonResult]] = defaultdict(list)
    for (_event, prizes), entries in held.items():
        ended = outcome(entries, house_prizes=prizes)
        places = sorted(placed.place for placed in entries if placed.entry in ended.counted)
        for placed, people in entries.items():
            prize = ended.places.get(placed.entry)
            below = len(places) - bisect_right(places, placed.place)
            for one in people:
                results[one].append(SeasonResult(prize or placed.place, below, prize == 1))
    lines = [
        SeasonRow(
            **who._asdict(),
            place=0,
            events=len(mine),
            wins=sum(result.won for result in mine),
            points=sum(1 + result.below for result in mine),
            best=min(result.place for result in mine),
            average=sum(result.place for result in mine) / len(mine),
        )
        for who, mine in results.items()
    ]
    ordered = sorted(lines, key=lambda line: (_order(line), line.name.casefold()))
    # Lines that are equal share a place.
    shared = {_order(line): number for number, line in reversed([*enumerate(ordered, start=1)])}
    return [replace(line, place=shared[_order(line)]) for line in ordered]


def _order(line: SeasonRow) -> tuple[int, int, int]:
    return -line.points, -line.wins, line.best


def events_of(club: Club, span: Span) -> QuerySet[Event]:
    """The club's finished events that started within the days, in its zone."""
    return finished(club).filter(
        starts__gte=_midnight(club, span.first_day),
        starts__lt=_midnight(club, span.last_day + timedelta(days=1)),
    )


def finished(club: Club) -> QuerySet[Event]:
    """All finished events of a club."""
    return club.events.filter(state=Event.State.FINISHED)


def _stored(season: Season) -> Season:
    try:
        with transaction.atomic():
            season.save()
    except IntegrityError as error:
        raise RefusedError(
            "name taken", f"{season.club} has a season called {season.name} already."
        ) from error
    return season


def _midnight(club: Club, day: date) -> datetime:
    """When a day begins in the club's zone."""
    return datetime.combine(day, time(), tzinfo=club.zone)
