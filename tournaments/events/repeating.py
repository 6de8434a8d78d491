"""Weekly events: each makes the next one when it begins, at the same local time of the club."""

from datetime import datetime
from typing import Final

from games.models import Player
from tournaments.changes.row_locks import with_event_lock
from tournaments.events.notices import note
from tournaments.events.timetable import next_change, scheduled_start, state_at
from tournaments.models import Event
from tournaments.times import days_later

WEEK: Final = 7

#: Fields that are not copied from the event of the week before.
OWN: Final = (
    "id",
    "created",
    "repeat_of",
    "starts",
    "put_off",
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


def in_weeks(event: Event, weeks: int) -> Event:
    """Return an unsaved draft like this event, this many weeks later.

    It starts at the time that was set, even if an outage of the site postponed this one.
    """
    common = [field for field in Event._meta.concrete_fields if field.name not in OWN]
    later = Event(**{field.attname: getattr(event, field.attname) for field in common})
    times = {
        "starts": scheduled_start(event),
        "registration_opens": event.registration_opens,
        "registration_closes": event.registration_closes,
    }
    for name, moment in times.items():
        setattr(later, name, days_later(moment, WEEK * weeks, event.club.zone))
    return later


def weeks_until(event: Event, now: datetime) -> int:
    """Return after how many weeks, at least 1, an event like this one starts in the future."""
    starts = scheduled_start(event)
    weeks = max(1, (now - starts).days // WEEK)
    while days_later(starts, WEEK * weeks, event.club.zone) <= now:
        weeks += 1
    return weeks


def make_next(event: Event, now: datetime) -> Event | None:
    """Publish next week's event if a locked event is weekly and has not made it yet."""
    if not event.repeats_weekly or event.repeats.exists():
        return None
    later = in_weeks(event, weeks_until(event, now))
    later.repeat_of = event
    later.state = state_at(later, now)
    later.due = next_change(later, now)
    later.save()
    note(later, f"Made by the weekly event of {event.starts.astimezone(event.club.zone):%Y-%m-%d}.")
    return later


@with_event_lock
def stop(event: Event, by: Player) -> None:
    """End a series: neither this event nor any that it has made is repeated. They take place."""
    series = [event]
    while following := series[-1].repeats.order_by("starts").first():
        series.append(following)
    for one in series:
        one.repeats_weekly = False
        one.save(update_fields=["repeats_weekly"])
        note(one, "No longer repeated every week.", by)
