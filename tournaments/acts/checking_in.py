"""Checking an entry in, before the start."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest

from games.models import Player
from tournaments.acts import page
from tournaments.acts.base import EntryAct, entry_of
from tournaments.acts.withdrawing import upcoming_entry
from tournaments.changes import row_images
from tournaments.events import acts
from tournaments.events.notices import note
from tournaments.events.states import UPCOMING
from tournaments.events.timetable import checking_in
from tournaments.models import Act, Entry, Event
from tournaments.models.entries import COMPLETE
from tournaments.refusals import RefusedError


def check_in(entry: Entry, by: Player, now: datetime) -> None:
    """Check an entry in, on the waiting list too; do nothing if it has checked in."""
    with row_images.changing(entry.event) as event:
        mine = upcoming_entry(event, entry)
        if not checking_in(event, now):
            raise RefusedError("not now", "Check-in is not open.")
        if mine.state not in COMPLETE:
            state = mine.get_state_display().lower()
            raise RefusedError(
                "not entered", f"{mine.name} cannot be checked in; the entry is {state}."
            )
        if mine.state == Entry.State.CHECKED_IN or mine.here:
            return
        waits = mine.state == Entry.State.WAITING
        state = mine.state if waits else Entry.State.CHECKED_IN
        before = {"state": mine.state}
        mine.state, mine.here = state, mine.here or waits
        mine.save(update_fields=["state", "here"])
        note(event, f"{mine.name}: checked in.", by)
        after = {"state": mine.state}
        acts.record(event, Act.Kind.CHECK_IN, by, now, on=mine, before=before, after=after)


class CheckIn(EntryAct):
    kind, words = Act.Kind.CHECK_IN, "Checked in"
    address, url_name = "entries/<num:entry_id>/check-in", "check_in_entry"
    view = staticmethod(page.press)
    changed = "They have left, or got a place, since."

    def press(self, _request: HttpRequest, entry: Any, by: Player, now: datetime) -> str:
        check_in(entry, by, now)
        return f"{entry.name}: checked in."

    def undo(self, event: Event, row: Act, by: Player, now: datetime) -> None:
        entry = entry_of(event, row)
        if event.state not in UPCOMING:
            raise RefusedError("depends", f"The event has started with {entry.name}.")
        super().undo(event, row, by, now)
