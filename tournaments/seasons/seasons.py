"""A club's seasons: their days and rules, and which events count; `season_table` adds these up."""

from collections.abc import Collection
from datetime import date, datetime, time, timedelta
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.db.models import Count, QuerySet
from django.utils.timezone import localtime

from games.models import Player
from tournaments.changes.row_locks import locked_club
from tournaments.models import Club, Event, Season, SeasonChange
from tournaments.refusals import RefusedError
from tournaments.seasons.rule import Rule, from_data, rule_of

MAX_SEASONS: Final = 100  # seasons a club
LISTED: Final = 6  # seasons on a club's page
NOT_PLAYED: Final = (Event.State.DRAFT, Event.State.FINISHED, Event.State.CANCELLED)
YEARS: Final = range(1900, 3000)  # safely inside what calendars and time zones can represent


@transaction.atomic
def make(club: Club, **fields: Any) -> Season:
    """Add a season to a club; raise RefusedError ``name taken``, ``many`` or ``gone``."""
    club = locked_club(club)
    if club.seasons.count() >= MAX_SEASONS:
        raise RefusedError("many", f"A club can keep {MAX_SEASONS} seasons: delete one first.")
    return _stored(Season(club=club, **fields))


@transaction.atomic
def change(season: Season, **fields: Any) -> Season:
    """Change a season's name, days and lines; raise RefusedError ``name taken`` or ``gone``."""
    kept = locked(season)
    for name, value in fields.items():
        setattr(kept, name, value)
    return _stored(kept)


def locked(season: Season) -> Season:
    """Return a season as stored, with its club locked; raise RefusedError ``gone``."""
    kept = locked_club(season.club).seasons.filter(pk=season.pk).first()
    if kept is None:
        raise RefusedError("gone", f"{season.name} has been deleted.", 404)
    return kept


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


def listed(club: Club, now: datetime) -> list[tuple[Season, str, str]]:
    """Return the latest seasons of a club's page, each with its nights and how far it is.

    Takes two queries.
    """
    today = localtime(now, club.zone).date()
    found = list(club.seasons.annotate(tables=Count("divisions"))[:LISTED])
    starts = finished(club).filter(play_offs_of=None).values_list("starts", flat=True)
    days = [localtime(moment, club.zone).date() for moment in starts] if found else []
    return [(one, *_state(one, sum(map(one.includes, days)), today)) for one in found]


def _state(season: Season, played: int, today: date) -> tuple[str, str]:
    tables = getattr(season, "tables", 0)
    words = [f"{tables} divisions" if tables > 1 else "one table", season.get_line_display()]
    if season.nights:
        words.insert(0, f"{season.nights} night{'s' * (season.nights > 1)} planned")
    if today < season.first_day:
        days = (season.first_day - today).days
        state = f"Begins in {days} days" if days > 1 else "Begins tomorrow"
    elif today > season.last_day:
        state = "Over"
    elif season.nights and played > season.nights:
        state = f"{played} nights played"
    else:
        state = f"After night {played}" if played else "Nothing played yet"
    return " · ".join(words).lower(), state


def year(number: int) -> Season:
    return Season(name=str(number), first_day=date(number, 1, 1), last_day=date(number, 12, 31))


@transaction.atomic
def set_rule(season: Season, rule: Rule, by: Player | None) -> Season:
    """Change how a season counts, and log who did; raise RefusedError ``gone``."""
    kept = locked(season)
    before = rule_of(kept)
    if before != rule:
        kept.rule_data = rule.data
        kept.save(update_fields=["rule_data"])
        SeasonChange.objects.create(season=kept, by=by, before=before.data, after=rule.data)
    return kept


def put_back(change: SeasonChange, by: Player | None) -> Season:
    """Restore the rule as it was before a change; that is logged too."""
    return set_rule(change.season, from_data(change.before), by)


def events_of(club: Club, season: Season) -> QuerySet[Event]:
    """Return the club's finished events that started in a season, in the club's time zone.

    Play-offs do not count.
    """
    return _within(club, season).filter(state=Event.State.FINISHED)


def coming(club: Club, season: Season, now: datetime) -> list[date]:
    """Return the local days of the season's events that are announced and still to be played."""
    events = _within(club, season).filter(starts__gt=now).exclude(state__in=NOT_PLAYED)
    starts = events.order_by("starts").values_list("starts", flat=True)
    return [localtime(moment, club.zone).date() for moment in starts]


def finished(club: Club) -> QuerySet[Event]:
    return club.events.filter(state=Event.State.FINISHED)


def _within(club: Club, season: Season) -> QuerySet[Event]:
    return club.events.filter(
        starts__gte=_midnight(club, season.first_day),
        starts__lt=_midnight(club, season.last_day + timedelta(days=1)),
        play_offs_of=None,
    )


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
