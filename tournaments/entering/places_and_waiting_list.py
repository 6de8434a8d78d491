"""Places in an event and its waiting list; the caller holds the event's row lock."""

from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, Max, Q

from games.models import Player
from tournaments.events.notices import note
from tournaments.events.timetable import checking_in, start_in_words
from tournaments.models import Entry, Event
from tournaments.models.entries import PLACED
from tournaments.outbox import letters


class PlaceCounts(NamedTuple):
    """Numbers of entries; `last` is the highest arrival number, withdrawn entries included."""

    places: int
    waiting: int
    last: int


def placed(entry: str = "") -> Q:
    """Return the condition that an entry has a place in its event.

    Entries of house players who fill up tables have no arrival number, and no place.

    entry: the lookup path to the entry: "entries__"; empty for entries.
    """
    return Q((f"{entry}state__in", PLACED), (f"{entry}arrival__isnull", False))


def place_counts(event: Event) -> PlaceCounts:
    found = event.entries.aggregate(
        places=Count("pk", filter=placed()),
        waiting=Count("pk", filter=Q(state=Entry.State.WAITING)),
        last=Max("arrival"),
    )
    return PlaceCounts(found["places"], found["waiting"], found["last"] or 0)


def full(event: Event, places: int, waiting: int) -> bool:
    """Return whether new entries join the waiting list, given the numbers of `taken`."""
    return waiting > 0 or places >= event.capacity


def full_now(event: Event) -> bool:
    filled = place_counts(event)
    return full(event, filled.places, filled.waiting)


def arrive(event: Event, entry: Entry, now: datetime) -> Entry:
    """Give a complete entry, saved or new, its arrival number and a place or a wait.

    Entries that arrive during check-in are checked in.
    """
    give_place(event, entry, place_counts(event), now)
    entry.save()
    return entry


def give_place(event: Event, entry: Entry, filled: PlaceCounts, now: datetime) -> PlaceCounts:
    """Do as `arrive` without saving, given the numbers of entries; return those with this one."""
    entry.arrival, entry.invited = filled.last + 1, None
    here = checking_in(event, now)
    if full(event, filled.places, filled.waiting):
        entry.state, entry.here = Entry.State.WAITING, here
        return filled._replace(waiting=filled.waiting + 1, last=filled.last + 1)
    entry.state = Entry.State.CHECKED_IN if here else Entry.State.ENTERED
    return filled._replace(places=filled.places + 1, last=filled.last + 1)


def promote(event: Event, now: datetime, *, here_only: bool = False) -> list[Entry]:
    """Give free places to the first entries on the waiting list, and write to them.

    here_only: skip entries that have not checked in.
    """
    free = max(0, event.capacity - place_counts(event).places)
    waiting = event.entries.filter(state=Entry.State.WAITING).order_by("arrival")
    if here_only:
        waiting = waiting.filter(here=True)
    promoted = list(waiting.prefetch_related("players__player")[:free])
    for entry in promoted:
        here = entry.here and checking_in(event, now)
        entry.state = Entry.State.CHECKED_IN if here else Entry.State.ENTERED
        entry.here = False
        entry.save(update_fields=["state", "here"])
        note(event, f"{entry.name}: in from the waiting list.")
        letters.write(
            f"event {event.pk} promoted {entry.pk}",
            players_of(entry),
            f"You have a place: {event.name}",
            "promoted",
            event=event,
            starts=start_in_words(event),
            check_in=0 if here or now >= event.starts else event.check_in_minutes,
        )
    return promoted


def players_of(*entries: Entry) -> list[Player]:
    """Return the players of entries, with their users."""
    return list(Player.objects.select_related("user").filter(entries__entry__in=entries).distinct())
