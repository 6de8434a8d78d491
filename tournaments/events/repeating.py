"""Repeated events: each makes the next one when it begins, at the same local time of the club.

The date of the next follows from the rule: a night that was moved does not move those after it.
"""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from itertools import takewhile
from typing import Final

from dateutil.relativedelta import relativedelta
from dateutil.rrule import MONTHLY, WEEKLY, rrule, weekday
from django.db.models import Q

from games.models import Player
from tournaments.changes.row_locks import with_event_lock
from tournaments.events.notices import note
from tournaments.events.timetable import next_change, scheduled_start, state_at
from tournaments.models import Event
from tournaments.times import clocks_change, from_local

#: Events that take place.
PUBLISHED: Final = ~Q(state__in=(Event.State.DRAFT, Event.State.CANCELLED))
#: The last such weekday of a month is its fifth, or else its fourth.
LAST: Final = 5

#: Fields that are not copied from the event before.
OWN: Final = (
    "id",
    "created",
    "repeat_of",
    "series_day",
    "template",
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
    "bracket_by_hand",
    "to_rate",
    "tie_break_edition",
)


def on_day(event: Event, day: date, now: datetime, at: time | None = None) -> Event:
    """Return an unsaved draft like this event on another day of its club's time zone.

    It starts at the time that was set, even if an outage of the site postponed this one, or its
    hour did not exist on this date; or at another time. Registration that opened when the event was
    made opens at once.
    """
    common = [field for field in Event._meta.concrete_fields if field.name not in OWN]
    later = Event(**{field.attname: getattr(event, field.attname) for field in common}, created=now)
    later.starts = _start_on(event, day, at)
    days = day - series_day(event)
    for name in ("registration_opens", "registration_closes"):
        setattr(later, name, from_local(_local_time(event, name) + days, event.club.zone))
    if _local_time(event, "registration_closes") == _local_time(event, "starts"):
        later.registration_closes = later.starts
    if event.registration_opens <= event.created:
        later.registration_opens = now.replace(second=0, microsecond=0)
    later.registration_closes = min(later.registration_closes, later.starts)
    later.registration_opens = min(later.registration_opens, later.registration_closes)
    return later


def series_day(event: Event) -> date:
    """Return the date of an event by the rule of its series, even if it was moved."""
    return event.series_day or _held_on(event)


def _start_on(event: Event, day: date, at: time | None = None) -> datetime:
    time_of_day = at or _local_time(event, "starts").time()
    return from_local(datetime.combine(day, time_of_day), event.club.zone)


def _local_time(event: Event, name: str) -> datetime:
    """Return a time of an event as the series has it, in its club's time zone.

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


def same_weekdays(event: Event, now: datetime) -> Iterator[date]:
    """Yield the later dates of an event's weekday on which its hour is still to come."""
    for moment in rrule(WEEKLY, dtstart=datetime.combine(series_day(event), time())):
        if moment.date() > series_day(event) and _start_on(event, moment.date()) > now:
            yield moment.date()


def following_dates(event: Event) -> Iterator[date]:
    """Yield the dates, in the club's time zone, on which the series goes on after this event.

    Endless; dates in ``no_event_on`` are left out, and those that the event was moved past, unless
    it is cancelled. The event must be repeated.
    """
    cancelled = event.state == Event.State.CANCELLED
    held = series_day(event) if cancelled else _held_on(event)
    return (day for day in _dates(event) if day > held)


def passed_over(event: Event) -> list[date]:
    """Return the dates of its series that a repeated event was moved to or past."""
    return [*takewhile(_held_on(event).__ge__, _dates(event))]


def _held_on(event: Event) -> date:
    return scheduled_start(event).astimezone(event.club.zone).date()


def _dates(event: Event) -> Iterator[date]:
    first = series_day(event)
    for moment in _rule(first, Event.Recurrence(event.recurrence)):
        if moment.date() > first and moment.date().isoformat() not in event.no_event_on:
            yield moment.date()


def _rule(first: date, recurrence: Event.Recurrence) -> rrule:
    begins = datetime.combine(first, time())
    if recurrence in {Event.Recurrence.WEEKLY, Event.Recurrence.FORTNIGHTLY}:
        return rrule(WEEKLY, begins, 1 if recurrence == Event.Recurrence.WEEKLY else 2)
    which = week_of_month(first)
    last = recurrence == Event.Recurrence.LAST or which == LAST
    same = weekday(first.weekday(), -1 if last else which)
    return rrule(MONTHLY, begins + relativedelta(months=1, day=1), byweekday=same)


def week_of_month(day: date) -> int:
    """Return 2 for the second Thursday of a month, and so on; 5 occurs only in some months."""
    return (day.day - 1) // 7 + 1


def make_next(event: Event, now: datetime) -> Event | None:
    """Publish the next event if a locked event is repeated and has not made it yet.

    A date for which the club has planned the same night already is left out.
    """
    if not event.recurrence or event.repeats.exists():
        return None
    same = event.club.events.filter(PUBLISHED, name=event.name, starts__gt=now)
    there = set(same.values_list("starts", flat=True))
    day = next(
        day
        for day in following_dates(event)
        if (starts := _start_on(event, day)) > now and starts not in there
    )
    later = on_day(event, day, now)
    later.repeat_of, later.series_day = event, day
    later.state = state_at(later, now)
    later.due = next_change(later, now)
    later.save()
    before = event.starts.astimezone(event.club.zone)
    note(later, f"Made by the repeated event of {before:%Y-%m-%d}.")
    return later


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
