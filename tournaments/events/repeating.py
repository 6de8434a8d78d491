"""Weekly events: each makes the next one, at the same local time of the club, when it begins."""

from datetime import datetime
from typing import Final

from games.models import Player
from tournaments.changes.held_rows import on_held_event
from tournaments.events.notices import note
from tournaments.events.timetable import next_change, set_start, state_at
from tournaments.models import Event
from tournaments.times import days_later

WEEK: Final = 7

#: What an event does not have in common with the one of the week before.
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
    """Return an event like this one so many weeks later, not stored: a draft.

    It starts as this one was set to, though an outage of the site may have put that off.
    """
    common = [field for field in Event._meta.concrete_fields if field.name not in OWN]
    later = Event(**{field.attname: getattr(event, field.attname) for field in common})
    times = {
        "starts": set_start(event),
        "registration_opens": event.registration_opens,
        "registration_closes": event.registration_closes,
    }
    for name, moment in times.items():
        setattr(later, name, days_later(moment, WEEK * weeks, event.club.zone))
    return later


def weeks_until(event: Event, now: datetime) -> int:
    """Return after how many weeks an event like this one starts in the future; at least 1."""
    starts = set_start(event)
    weeks = max(1, (now - starts).days // WEEK)
    while days_later(starts, WEEK * weeks, event.club.zone) <= now:
        weeks += 1
    return weeks


def make_next(event: Event, now: datetime) -> Event | None:
    """Publish next week's event of a held weekly one, unless it has been made."""
    if not event.repeats_weekly or event.repeats.exists():
        return None
    later = in_weeks(event, weeks_until(event, now))
    later.repeat_of = event
    later.state = state_at(later, now)
    later.due = next_change(later, now)
    later.save()
    note(later, f"Made by the weekly event of {event.starts.astimezone(event.club.zone):%Y-%m-%d}.")
    return later


@on_held_event
def stop(event: Event, by: Player) -> None:
    """End a series: neither this event nor one it has made makes another; they take place."""
    series = [event]
    while following := series[-1].repeats.order_by("starts").first():
        series.append(following)
    for one in series:
        one.repeats_weekly = False
        one.save(update_fields=["repeats_weekly"])
        note(one, "No longer repeated every week.", by)
