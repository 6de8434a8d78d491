"""House players for the free places of an event."""

from __future__ import annotations

from datetime import datetime

from django import forms
from django.db.models import Max

from games.form_fields import WholeNumber
from games.models import Player
from tournaments.acts.base import Button, Names
from tournaments.attendance import walk_ins
from tournaments.changes import row_images
from tournaments.entering import places_and_waiting_list
from tournaments.events import acts, event_words
from tournaments.events.notices import note
from tournaments.events.states import UPCOMING
from tournaments.models import Act, Entry, Event
from tournaments.refusals import RefusedError
from tournaments.running import steps


class HouseForm(forms.Form):
    count = WholeNumber(label="How many", least=1, most=256, initial=1)


def add_house_entries(event: Event, by: Player, count: int, now: datetime) -> None:
    """Give free places of an event that has not begun to house players."""
    with row_images.changing(event) as locked:
        if locked.started is not None or locked.ended is not None:
            raise RefusedError("started", "House players can be added only before the start.")
        if locked.place == Event.Place.ROOM:
            raise RefusedError("room", "House players cannot sit at a table in the room.")
        walk_ins.check_house(locked)
        inside = places_and_waiting_list.place_counts(locked).places
        free = locked.capacity - inside
        if not 1 <= count <= free:
            raise RefusedError("count", f"There are {free} free places, not {count}.", 422)
        last = locked.entries.aggregate(last=Max("arrival"))["last"] or 0
        taken = set(locked.entered_players.values_list("player", flat=True))
        entries = steps.add_house(locked, count, taken)
        for arrival, entry in enumerate(entries, start=last + 1):
            entry.arrival = arrival
        Entry.objects.bulk_update(entries, ["arrival"])
        note(locked, f"{count} entries of house players.", by)
        acts.record(locked, Act.Kind.HOUSE, by, now, after={"entries": [one.pk for one in entries]})


class HousePlayers(Button):
    kind, words = Act.Kind.HOUSE, "Added house players"
    address, url_name = "house", "add_house_entries"
    form = HouseForm
    done = "House players have been added."
    verb = staticmethod(add_house_entries)

    def subject(self, row: Act, _names: Names) -> str:
        return event_words.plural(len(row.after["entries"]), "place")

    def undo(self, event: Event, row: Act, by: Player, now: datetime) -> None:
        if event.state not in UPCOMING:
            raise RefusedError("depends", "The event has started with them.")
        super().undo(event, row, by, now)
        places_and_waiting_list.promote(event, now)
