"""Repeated events: each makes the next one when it begins, at the same local time of the club."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from itertools import count
from typing import Final

from games.models import Player
from tournaments.changes.row_locks import with_event_lock
from tournaments.events.notices import note
from tournaments.events.timetable import next_change, scheduled_start, state_at
from tournaments.models import Event
from tournaments.times import clocks_change, days_later, from_local

WEEK: Final = 7
#: The last such weekday of a month is its fifth, or else its fourth.
LAST: Final = 5

TIMES: Final = ("starts", "registration_opens", "registration_closes")

#: Fields that are not copied from the event before.
OWN: Final = (
    "id",
    "created",
    "repeat_of",
    "play_offs_of",
    "starts",
    "put_off",
    "reminded",
    "registration_opens",
    "registration_closes",
    "state",
    "seed",
    "join_code",
    "due",
    "paused",
    "paused_for",
    "started",
    "final_at",
    "ended",
    "version",
    "trouble",
    "tries",
    "cut_to",
    "to_rate",
    "tie_break_edition",
)


def in_days(event: Event, days: int, now: datetime) -> Event:
    """Return an unsaved draft like this event, this many days later.

    It starts at the time that was set, even if an outage of the site postponed this one, or its
    hour did not exist on this date. Registration that opened when the event was made opens at once.
    """
    common = [field for field in Event._meta.concrete_fields if field.name not in OWN]
    later = Event(**{field.attname: getattr(event, field.attname) for field in common}, created=now)
    for name in TIMES:
        local = _local_time(event, name) + timedelta(days=days)
        setattr(later, name, from_local(local, event.club.zone))
    if event.registration_opens <= event.created:
        later.registration_opens = now.replace(second=0, microsecond=0)
    return later


def _local_time(event: Event, name: str) -> datetime:
    """Return one of the `TIMES` of an event as the series has it, in its club's time zone.

    It is another than the event's own where that was moved forward, as the hour did not exist.
    """
    zone = event.club.zone
    moment = scheduled_start(event) if name == "starts" else getattr(event, name)
    own: datetime = moment.astimezone(zone).replace(tzinfo=None)
    if event.repeat_of is None or not clocks_change(moment, zone):
        return own
    before = _local_time(event.repeat_of, name)
    meant = before + timedelta(days=(own.date() - before.date()).days)
    return meant if from_local(meant, zone) == moment else own


def days_until_same_weekday(event: Event, now: datetime) -> int:
    """Return after how many days, one week at least, an event like this one starts in the future.

    It is on the same weekday.
    """
    starts = scheduled_start(event)
    days = max(WEEK, (now - starts).days // WEEK * WEEK)
    while days_later(starts, days, event.club.zone) <= now:
        days += WEEK
    return days


def following_dates(event: Event) -> Iterator[date]:
    """Yield the dates, in the club's time zone, on which the series goes on after this event.

    Endless; dates in ``no_event_on`` are left out. The event must be repeated.
    """
    first = scheduled_start(event).astimezone(event.club.zone).date()
    for number in count(1):
        day = _following(first, Event.Recurrence(event.recurrence), number)
        if day.isoformat() not in event.no_event_on:
            yield day


def _following(first: date, recurrence: Event.Recurrence, number: int) -> date:
    if recurrence == Event.Recurrence.WEEKLY:
        return first + timedelta(days=WEEK * number)
    if recurrence == Event.Recurrence.FORTNIGHTLY:
        return first + timedelta(days=2 * WEEK * number)
    which = LAST if recurrence == Event.Recurrence.LAST else week_of_month(first)
    months = first.year * 12 + first.month - 1 + number
    return _weekday_in_month(months, first.weekday(), which)


def week_of_month(day: date) -> int:
    """Return 2 for the second Thursday of a month, and so on; 5 occurs only in some months."""
    return (day.day - 1) // WEEK + 1


def _weekday_in_month(months: int, weekday: int, which: int) -> date:
    """Return a month's first to fourth such weekday, or its last.

    months: of the year 0, from 0.
    """
    begins = date(months // 12, months % 12 + 1, 1)
    day = begins + timedelta(days=(weekday - begins.weekday()) % WEEK + WEEK * (which - 1))
    return day if day.month == begins.month else day - timedelta(days=WEEK)


def make_next(event: Event, now: datetime) -> Event | None:
    """Publish the next event if a locked event is repeated and has not made it yet."""
    if not event.recurrence or event.repeats.exists():
        return None
    later = in_days(event, _days_until_next(event, now), now)
    later.repeat_of = event
    later.state = state_at(later, now)
    later.due = next_change(later, now)
    later.save()
    day = event.starts.astimezone(event.club.zone)
    note(later, f"Made by the repeated event of {day:%Y-%m-%d}.")
    return later


def _days_until_next(event: Event, now: datetime) -> int:
    starts, zone = scheduled_start(event), event.club.zone
    first = starts.astimezone(zone).date()
    distances = ((day - first).days for day in following_dates(event))
    return next(days for days in distances if days_later(starts, days, zone) > now)


@with_event_lock
def stop(event: Event, by: Player) -> None:
    """End a series: neither this event nor any that it has made is repeated. They take place."""
    series = [event]
    while following := series[-1].repeats.order_by("starts").first():
        series.append(following)
    for one in series:
        one.recurrence = Event.Recurrence.NONE
        one.save(update_fields=["recurrence"])
        note(one, "No longer repeated.", by)
