"""What follows from an event's times: its state, whether check-in is open, when it changes next.

Players' actions go by these times and do not wait for the clock.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from tournaments.events.states import UPCOMING
from tournaments.models import Event, Round
from tournaments.times import local_time_in_words

State = Event.State

#: How long after its start, plus the length of its check-in, an event may still begin by itself.
GRACE: Final = timedelta(hours=2)
#: Limit of an event's pauses in total, since its games are rated only when it is over.
MAX_PAUSE: Final = timedelta(days=7)
#: How long before the start players are reminded of it, by the keys of kinds of notifications.
REMINDERS: Final[Mapping[str, timedelta]] = {
    "day_before": timedelta(days=1),
    "hour_before": timedelta(hours=1),
}


def scheduled_start(event: Event) -> datetime:
    """Return the start that was set, before an outage of the site postponed it."""
    return event.starts - event.put_off


def check_in_opens(event: Event) -> datetime:
    """Return when check-in opens; the start if there is none."""
    return scheduled_start(event) - timedelta(minutes=event.check_in_minutes)


def checking_in(event: Event, now: datetime) -> bool:
    return event.check_in_minutes > 0 and check_in_opens(event) <= now


def state_at(event: Event, now: datetime) -> State:
    """Return the state of a published event that has not begun, by its times."""
    if now < event.registration_opens:
        return State.ANNOUNCED
    if checking_in(event, now):
        return State.CHECK_IN
    return State.REGISTRATION if now < event.registration_closes else State.READY


def missed_start(event: Event, now: datetime) -> bool:
    """Return whether an event was not started in time, so that its players will have left."""
    latest = event.starts + timedelta(minutes=event.check_in_minutes) + GRACE
    return event.state in UPCOMING and now > latest


def reminders_to_write(event: Event) -> dict[str, datetime]:
    """Return when the reminders not yet written are due, by the keys of kinds of notifications.

    Earliest first, and possibly in the past. There is none when check-in opens, since its letter
    reminds everybody, and none for times before the event was set up.
    """
    moments = {field: scheduled_start(event) - ahead for field, ahead in REMINDERS.items()}
    since = event.reminded or event.created
    opens = check_in_opens(event)
    return {field: at for field, at in moments.items() if at > since and at != opens}


def next_change(event: Event, now: datetime) -> datetime | None:
    """Return when the next step of an event that has not begun is due; None if nothing is."""
    check_in = [check_in_opens(event)] if event.check_in_minutes else []
    reminders = reminders_to_write(event).values()
    match event.state:
        case State.ANNOUNCED:
            return event.registration_opens
        case State.REGISTRATION:
            return min([event.registration_closes, *check_in, *reminders, event.starts])
        case State.READY:
            return min([*check_in, *reminders, event.starts])
        case State.CHECK_IN:
            closes = [event.registration_closes] if now < event.registration_closes else []
            return min([*closes, *reminders, event.starts])
    return None


def postpone(round_: Round, time: timedelta) -> None:
    """Postpone the times of the latest round, or of the break after it."""
    if round_.over is not None:
        round_.over += time
    else:
        round_.called += time
        round_.ends = round_.ends and round_.ends + time
    round_.save(update_fields=["called", "ends", "over"])


def pause_ends(event: Event) -> datetime | None:
    """Return when a paused event resumes by itself; None if it is not paused."""
    return event.paused and event.paused + max(timedelta(), MAX_PAUSE - event.paused_for)


def resume(event: Event, now: datetime) -> timedelta:
    """Resume a locked, paused event; return by how long all its times were postponed."""
    pause = now - (event.paused or now)
    latest = event.played_rounds.order_by("-number").first()
    if latest is not None:
        postpone(latest, pause)
    event.final_at = event.final_at and event.final_at + pause
    event.paused, event.paused_for, event.due = None, event.paused_for + pause, now
    event.save(update_fields=["paused", "paused_for", "due", "final_at"])
    return pause


def start_in_words(event: Event) -> str:
    """Return when an event starts, in its club's time zone: "Thursday 6 November, 19:30 …"."""
    return local_time_in_words(event.starts, event.club.zone)
