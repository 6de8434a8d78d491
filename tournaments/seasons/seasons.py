"""A club's seasons and their tables, computed from the results on every read."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Final, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q, QuerySet
from django.utils.timezone import localtime

from games.models import Player
from games.records import reading
from tournaments.changes.row_locks import locked_club
from tournaments.models import Club, Entry, EntryPlayer, Event, Season
from tournaments.refusals import RefusedError
from tournaments.standings.winners import Placed, outcome

MAX_SEASONS: Final = 100  # seasons a club
YEARS: Final = range(1900, 3000)  # safely inside what calendars and time zones can represent


@dataclass(frozen=True, slots=True)
class SeasonRow:
    """A line of a season table; the place is shared if points, wins and best place are equal.

    An event counts one point, and one for each entry placed below the player's; house entries are
    not counted where they win no prizes. `best` and `average` are places among those who can win.
    """

    place: int
    player: Player
    events: int
    wins: int
    points: int
    best: int
    average: float


class SeasonResult(NamedTuple):
    """An entry's result in one event; both numbers count only those who can win."""

    place: int
    below: int
    won: bool


@transaction.atomic
def make(club: Club, *, name: str, first_day: date, last_day: date) -> Season:
    """Add a season to a club; raise RefusedError ``name taken``, ``many`` or ``gone``."""
    club = locked_club(club)
    if club.seasons.count() >= MAX_SEASONS:
        raise RefusedError("many", f"A club can keep {MAX_SEASONS} seasons: delete one first.")
    return _stored(Season(club=club, name=name, first_day=first_day, last_day=last_day))


@transaction.atomic
def change(season: Season, *, name: str, first_day: date, last_day: date) -> Season:
    """Change a season's name and days; raise RefusedError ``name taken`` or ``gone``."""
    kept = locked_club(season.club).seasons.filter(pk=season.pk).first()
    if kept is None:
        raise RefusedError("gone", f"{season.name} has been deleted.", 404)
    kept.name, kept.first_day, kept.last_day = name, first_day, last_day
    return _stored(kept)


def delete(season: Season) -> None:
    """Delete a season, but not its events or their results."""
    season.delete()


def seasons_of(club: Club, now: datetime, years: Collection[int] | None = None) -> list[Season]:
    """Return the club's seasons, the latest first; if it has none, the years with results.

    Future seasons come last, so that the first one is the one to show.
    """
    today = localtime(now, club.zone).date()
    seasons = sorted(club.seasons.all(), key=lambda season: season.first_day > today)
    if seasons:
        return seasons
    if years is None:
        played = finished(club).datetimes("starts", "year", tzinfo=club.zone)
        years = {day.year for day in played}
    return [year(number) for number in sorted({today.year, *years}, reverse=True)]


def year(number: int) -> Season:
    return Season(name=str(number), first_day=date(number, 1, 1), last_day=date(number, 12, 31))


def table(club: Club, season: Season) -> list[SeasonRow]:
    """Return the season table, from the finished events of `events_of`, in two queries.

    House players are listed only if they are members. Where they win no prizes, places and
    points are those among people.
    """
    house = Q(player__kind=Player.Kind.HOUSE)
    listed = ~house | Exists(club.memberships.filter(player=OuterRef("player")))
    rows = (
        EntryPlayer.objects.filter(event__in=events_of(club, season), entry__place__isnull=False)
        .annotate(listed=ExpressionWrapper(listed, output_field=BooleanField()))
        .values_list(
            *("event", "event__house_prizes", "entry", "entry__place", "entry__house"),
            *("entry__state", "listed", "player"),
        )
    )
    held: dict[tuple[int, bool], dict[Placed, list[int]]] = defaultdict(dict)
    for event, prizes, entry, place, filled, state, has_line, player in rows:
        placed = Placed(entry, place or 0, filled, state == Entry.State.WITHDRAWN)
        shown = held[event, prizes].setdefault(placed, [])
        if has_line:
            shown.append(player)
    results: dict[int, list[SeasonResult]] = defaultdict(list)
    for (_event, prizes), entries in held.items():
        ended = outcome(entries, house_prizes=prizes)
        places = sorted(placed.place for placed in entries if placed.entry in ended.counted)
        for placed, people in entries.items():
            prize = ended.places.get(placed.entry)
            below = len(places) - bisect_right(places, placed.place)
            for one in people:
                results[one].append(SeasonResult(prize or placed.place, below, prize == 1))
    players = reading.people(results.keys())
    lines = [
        SeasonRow(
            place=0,
            player=players[who],
            events=len(mine),
            wins=sum(result.won for result in mine),
            points=sum(1 + result.below for result in mine),
            best=min(result.place for result in mine),
            average=sum(result.place for result in mine) / len(mine),
        )
        for who, mine in results.items()
    ]
    ordered = sorted(lines, key=lambda line: (_order(line), line.player.name.casefold()))
    # Equal lines share a place.
    shared = {_order(line): number for number, line in reversed([*enumerate(ordered, start=1)])}
    return [replace(line, place=shared[_order(line)]) for line in ordered]


def _order(line: SeasonRow) -> tuple[int, int, int]:
    return -line.points, -line.wins, line.best


def events_of(club: Club, season: Season) -> QuerySet[Event]:
    """Return the club's finished events that started in a season, in the club's time zone."""
    return finished(club).filter(
        starts__gte=_midnight(club, season.first_day),
        starts__lt=_midnight(club, season.last_day + timedelta(days=1)),
    )


def finished(club: Club) -> QuerySet[Event]:
    return club.events.filter(state=Event.State.FINISHED)


def _stored(season: Season) -> Season:
    try:
        with transaction.atomic():
            season.save()
    except IntegrityError as error:
        raise RefusedError(
            "name taken", f"{season.club} already has a season called {season.name}."
        ) from error
    return season


def _midnight(club: Club, day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=club.zone)
