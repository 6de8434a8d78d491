"""What the clock does with an event before it begins.

The state follows from the event's times, so that a step may be done twice, or late: then all that
was missed is made up for. Players' verbs go by the times themselves and wait for no clock.
"""

from datetime import datetime

from games.models import Player
from tournaments.changes.held_rows import changed
from tournaments.entering.places import players_of, promote, taken
from tournaments.events import repeating, states
from tournaments.events.notices import note
from tournaments.events.states import UPCOMING, Who
from tournaments.events.timetable import missed_start, next_change, start_in_words, state_at
from tournaments.models import Entry, Event
from tournaments.models.clubs import DIRECTORS
from tournaments.models.entries import INCOMPLETE, PLACED
from tournaments.outbox import letters
from tournaments.running import steps

State = Event.State


def set_due(event: Event, now: datetime) -> None:
    """Store when the clock looks at the event next, as it stands before it begins."""
    event.due = next_change(event, now)
    event.save(update_fields=["due"])


def step(event: Event, now: datetime) -> bool:
    """Do what is due before the start; call it with the event held.

    Returns:
        Whether there may be more to do at once.
    """
    if event.state not in UPCOMING:
        return False
    if missed_start(event, now):
        _ask_directors(event, now)
        return False
    if now >= event.starts:
        _begin(event, now)
        return True
    before = event.state
    follow_times(event, now, Who.CLOCK)
    return event.state != before


def follow_times(event: Event, now: datetime, who: Who) -> None:
    """Move a held event to where it stands by its times, and tell whom it concerns.

    One that has missed its start stays as it is.

    who: the clock, when a time has come; a director, when they have changed one.
    """
    if missed_start(event, now):
        return
    before, to = event.state, state_at(event, now)
    if to != before:
        states.move(event, to, who)
        changed(event)
        if to == State.CHECK_IN:
            # Once for each start.
            expected = event.entries.filter(state__in=(Entry.State.ENTERED, Entry.State.WAITING))
            letters.write(
                f"event {event.pk} check-in {event.starts:%Y%m%d%H%M}",
                players_of(*expected),
                f"Check in now: {event.name}",
                "check_in",
                event=event,
                starts=start_in_words(event),
            )
        if before == State.CHECK_IN:
            # The start was put off: who has checked in is forgotten.
            here = event.entries.filter(state=Entry.State.CHECKED_IN, house=False)
            here.update(state=Entry.State.ENTERED)
            event.entries.update(here=False)
    if now >= event.registration_closes:
        drop_incomplete(event)
    set_due(event, now)


def settle(event: Event, now: datetime) -> None:
    """Make a held event's entries those that play: no-shows out, those who wait in.

    Who has not checked in does not play, if check-in was opened; the waiting list moves up in
    order, then only those of it who have checked in. Incomplete pairs are taken out.
    """
    opened = event.state == State.CHECK_IN
    if opened:
        absent = event.entries.filter(state=Entry.State.ENTERED, house=False)
        for entry in absent.prefetch_related("players__player"):
            note(event, f"{entry.name}: did not check in.")
        absent.update(state=Entry.State.NO_SHOW)
    drop_incomplete(event)
    promote(event, now, here_only=opened)


def drop_incomplete(event: Event) -> None:
    """Take out who has found no partner by the time registration closes, and tell them."""
    lone = event.entries.filter(state__in=INCOMPLETE)
    if not lone:
        return
    letters.write(
        f"event {event.pk} no partner",
        players_of(*lone),
        f"No partner found: {event.name}",
        "no_partner",
        event=event,
    )
    lone.delete()
    changed(event)


def _begin(event: Event, now: datetime) -> None:
    """Start an event whose time has come, or call it off if too few are there."""
    concerned = list(event.entries.filter(state__in=(*PLACED, Entry.State.WAITING)))
    settle(event, now)
    count = taken(event).places
    if count >= event.minimum:
        steps.start(event, now)
    else:
        reason = f"It takes {event.minimum} entries, and there were {count}."
        states.move(event, State.CANCELLED, Who.CLOCK)
        event.ended, event.due = now, None
        event.save(update_fields=["ended", "due"])
        note(event, f"Cancelled. {reason}", public=True)
        letters.write(
            f"event {event.pk} cancelled",
            players_of(*concerned),
            f"{event.name} is cancelled",
            "event_cancelled",
            event=event,
            reason=reason,
        )
        changed(event)
    repeating.make_next(event, now)


def _ask_directors(event: Event, now: datetime) -> None:
    """Leave a held event that has missed its start to the club's directors, and tell them."""
    event.due = None
    event.save(update_fields=["due"])
    note(event, "Missed its start. A director starts it, moves it or calls it off.", public=True)
    directors = Player.objects.filter(
        memberships__club=event.club, memberships__role__in=DIRECTORS
    ).select_related("user")
    letters.write(
        f"event {event.pk} missed {event.starts:%Y%m%d%H%M}",
        directors,
        f"{event.name} has missed its start",
        "missed_start",
        event=event,
        starts=start_in_words(event),
    )
    repeating.make_next(event, now)
    changed(event)
