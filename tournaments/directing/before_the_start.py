"""The director's desk before the start: he checks somebody in, or takes an entry out.

Every verb raises RefusedError when it cannot be done, and then nothing has changed.
"""

from datetime import datetime

from games.models import Player
from tournaments.changes.changes import changed
from tournaments.changes.held_rows import held
from tournaments.entering import suggesting
from tournaments.entering.places import full_now, players_of, promote
from tournaments.events.notices import note
from tournaments.events.states import UPCOMING
from tournaments.events.timetable import checking_in
from tournaments.models import Entry, Event
from tournaments.models.entries import COMPLETE, PLACED
from tournaments.outbox import letters
from tournaments.refusals import RefusedError


def check_in(entry: Entry, by: Player, now: datetime) -> None:
    """Say for an entry that it is there; also for one on the waiting list.

    A repetition changes nothing.
    """
    with held(entry.event) as event:
        mine = _upcoming(event, entry)
        if not checking_in(event, now):
            raise RefusedError("not now", "Nobody checks in to this event now.")
        if mine.state not in COMPLETE:
            stands = mine.get_state_display().lower()
            raise RefusedError("not entered", f"{mine.name}: {stands}, and so not checked in.")
        if mine.state == Entry.State.CHECKED_IN or mine.here:
            return
        if mine.state == Entry.State.ENTERED:
            mine.state = Entry.State.CHECKED_IN
        else:
            mine.here = True
        mine.save(update_fields=["state", "here"])
        note(event, f"{mine.name}: checked in.", by)
        changed(event)


def take_out(entry: Entry, by: Player, now: datetime) -> None:
    """Take an entry out of an event that has not begun, and tell its players.

    Its place goes to the first of the waiting list.
    """
    with held(entry.event) as event:
        mine = _upcoming(event, entry)
        if mine.state not in (*COMPLETE, Entry.State.SEEKING, Entry.State.INVITING):
            raise RefusedError("out", f"{mine.name}: {mine.get_state_display().lower()} already.")
        placed = mine.state in PLACED
        mine.state, mine.invited = Entry.State.WITHDRAWN, None
        mine.save(update_fields=["state", "invited"])
        mine.players.update(active=False)
        note(event, f"{mine.name}: taken out before the start.", by)
        if placed:
            promote(event, now)
        full = full_now(event)
        letters.write(
            f"event {event.pk} taken out {mine.pk}",
            players_of(mine),
            f"You are not in {event.name} any more",
            "taken_out",
            event=event,
            by=by,
            suggestion=suggesting.suggested(event, "", now, full=full, here=False),
        )
        changed(event)


def _upcoming(event: Event, entry: Entry) -> Entry:
    """Return the entry as it is now, of an event that is held and has not begun."""
    if event.state not in UPCOMING:
        stands = event.get_state_display().lower()
        raise RefusedError(
            "begun", f"That is for the time before the start; this event is {stands}."
        )
    return event.entries.prefetch_related("players__player").get(pk=entry.pk)
