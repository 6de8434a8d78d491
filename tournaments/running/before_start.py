"""Steps of an event before it starts.

The state follows from the event's times, so a step may run twice or late and then catches up.
Players' actions go by the times themselves and never wait for the clock.
"""

from datetime import datetime

from django.urls import reverse

from games.models import Player
from games.notifying import pushes
from games.notifying.kinds import CHECK_IN
from tournaments.changes.row_locks import changed
from tournaments.entering.places_and_waiting_list import place_counts, players_of, promote
from tournaments.events import repeating, states
from tournaments.events.notices import note
from tournaments.events.states import UPCOMING, Who
from tournaments.events.timetable import missed_start, next_change, start_in_words, state_at
from tournaments.models import Entry, Event
from tournaments.models.clubs import DIRECTORS
from tournaments.models.entries import INCOMPLETE, PLACED
from tournaments.outbox import letters
from tournaments.running import reminding, steps

State = Event.State


def set_due(event: Event, now: datetime) -> None:
    """Set when the next step of an event that has not started is due."""
    event.due = next_change(event, now)
    event.save(update_fields=["due"])


def step(event: Event, now: datetime) -> bool:
    """Run the step due before the start, with the event locked; return whether more may be due."""
    if event.state not in UPCOMING:
        return False
    if missed_start(event, now):
        _ask_directors(event, now)
        return False
    if now >= event.starts:
        _begin(event, now)
        return True
    if reminding.write_some(event, now):
        return True
    before = event.state
    follow_times(event, now, Who.CLOCK)
    return event.state != before


def follow_times(event: Event, now: datetime, who: Who) -> None:
    """Update a locked event's state from its times, unless it missed its start; notify people."""
    if missed_start(event, now):
        return
    before, to = event.state, state_at(event, now)
    if to != before:
        states.move(event, to, who)
        changed(event)
        if to == State.CHECK_IN:
            # Once per start.
            expected = event.entries.filter(state__in=(Entry.State.ENTERED, Entry.State.WAITING))
            letters.write(
                f"event {event.pk} check-in {event.starts:%Y%m%d%H%M}",
                players_of(*expected),
                f"Check in now: {event.name}",
                "check_in",
                kind=CHECK_IN,
                event=event,
                starts=start_in_words(event),
            )
            pushes.queue(
                CHECK_IN,
                f"event {event.pk} check-in {event.starts:%Y%m%d%H%M}",
                [player.pk for player in players_of(*expected)],
                f"Check in now: {event.name}",
                reverse("event", args=[event.pk]),
                text=start_in_words(event),
            )
        if before == State.CHECK_IN:
            # The start was postponed: check in again.
            here = event.entries.filter(state=Entry.State.CHECKED_IN, house=False)
            here.update(state=Entry.State.ENTERED)
            event.entries.update(here=False)
    if now >= event.registration_closes:
        drop_incomplete(event)
    set_due(event, now)


def complete_field(event: Event, now: datetime) -> None:
    """Complete the field of a locked event: remove no-shows and fill places from the waiting list.

    If there was a check-in, only entries that checked in play or move up. Incomplete pairs are
    removed.
    """
    had_check_in = event.state == State.CHECK_IN
    if had_check_in:
        absent = event.entries.filter(state=Entry.State.ENTERED, house=False)
        for entry in absent.prefetch_related("players__player"):
            note(event, f"{entry.name}: did not check in.")
        absent.update(state=Entry.State.NO_SHOW)
    drop_incomplete(event)
    promote(event, now, here_only=had_check_in)


def drop_incomplete(event: Event) -> None:
    """Remove entries without a partner when registration closes, and write to them."""
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
    """Start an event, or cancel it if there are too few entries."""
    concerned = list(event.entries.filter(state__in=(*PLACED, Entry.State.WAITING)))
    complete_field(event, now)
    count = place_counts(event).places
    if count >= event.minimum:
        steps.start(event, now)
    else:
        are = "is" if count == 1 else "are"
        reason = f"At least {event.minimum} entries are needed; there {are} {count}."
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
    """Ask the directors what to do with a locked event that has missed its start."""
    event.due = None
    event.save(update_fields=["due"])
    note(event, "Missed its start. A director can start it, move it or cancel it.", public=True)
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
