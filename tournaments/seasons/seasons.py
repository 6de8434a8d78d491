"""A club's seasons: their days and rules, and which events count; `season_table` adds these up."""

from collections.abc import Collection
from datetime import date, datetime, time, timedelta
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.timezone import localtime

from games.models import Player
from tournaments.changes.row_locks import locked_club
from tournaments.models import Club, Event, Season, SeasonChange
from tournaments.refusals import RefusedError
from tournaments.seasons.rule import Rule, from_data, rule_of

MAX_SEASONS: Final = 100  # seasons a club
NOT_PLAYED: Final = (Event.State.DRAFT, Event.State.FINISHED, Event.State.CANCELLED)
YEARS: Final = range(1900, 3000)  # safely inside what calendars and time zones can represent


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
    kept = locked(season)
    kept.name, kept.first_day, kept.last_day = name, first_day, last_day
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
