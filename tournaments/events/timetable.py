"""What an event's times say: where it stands, whether players check in, when it changes next.

Players' verbs go by these and wait for no clock.
"""

from datetime import datetime, timedelta
from typing import Final

from tournaments.events.states import UPCOMING
from tournaments.models import Event, Round
from tournaments.times import told

State = Event.State

#: How much later than the length of its check-in an event may still begin by itself.
GRACE: Final = timedelta(hours=2)
#: How long an event's pauses may be in all: what has been won and lost is rated when it is over.
MOST_PAUSE: Final = timedelta(days=7)


def set_start(event: Event) -> datetime:
    """Return when an event was set to start, before an outage of the site put that off."""
    return event.starts - event.put_off


def check_in_opens(event: Event) -> datetime:
    """Return when check-in opens; when the event starts if it has none."""
    return set_start(event) - timedelta(minutes=event.check_in_minutes)


def checking_in(event: Event, now: datetime) -> bool:
    """Whether check-in is open, or has been until the start."""
    return event.check_in_minutes > 0 and check_in_opens(event) <= now


def state_at(event: Event, now: datetime) -> State:
    """Return where a published event that has not begun stands by its times."""
    if now < event.registration_opens:
        return State.ANNOUNCED
    if checking_in(event, now):
        return State.CHECK_IN
    return State.REGISTRATION if now < event.registration_closes else State.READY


def missed_start(event: Event, now: datetime) -> bool:
    """Whether an event's start is so long past that its players have gone, and it has not begun."""
    latest = event.starts + timedelta(minutes=event.check_in_minutes) + GRACE
    return event.state in UPCOMING and now > latest


def next_change(event: Event, now: datetime) -> datetime | None:
    """Return when something is due next in an event that has not begun; None if nothing is."""
    check_in = [check_in_opens(event)] if event.check_in_minutes else []
    match event.state:
        case State.ANNOUNCED:
            return event.registration_opens
        case State.REGISTRATION:
            return min([event.registration_closes, *check_in, event.starts])
        case State.READY:
            return min([*check_in, event.starts])
        case State.CHECK_IN:
            closes = event.registration_closes
            return closes if now < closes else event.starts
    return None


def put_off(round_: Round, time: timedelta) -> None:
    """Move the times of the latest round: those of its play, or of the break after it."""
    if round_.over is not None:
        round_.over += time
    else:
        round_.called += time
        round_.ends = round_.ends and round_.ends + time
    round_.save(update_fields=["called", "ends", "over"])


def pause_ends(event: Event) -> datetime | None:
    """Return when a paused event goes on by itself; None if it is not paused."""
    return event.paused and event.paused + max(timedelta(), MOST_PAUSE - event.paused_for)


def go_on(event: Event, now: datetime) -> timedelta:
    """Let the clock of a held and paused event go on; every time is as much later as it stood.

    Returns:
        How long that was.
    """
    stood = now - (event.paused or now)
    latest = event.played_rounds.order_by("-number").first()
    if latest is not None:
        put_off(latest, stood)
    event.final_at = event.final_at and event.final_at + stood
    event.paused, event.paused_for, event.due = None, event.paused_for + stood, now
    event.save(update_fields=["paused", "paused_for", "due", "final_at"])
    return stood


def start_in_words(event: Event) -> str:
    """Return when an event starts in its club's zone: "Thursday 6 November, 19:30 Dublin time"."""
    return told(event.starts, event.club.zone)
