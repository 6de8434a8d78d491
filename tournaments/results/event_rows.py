"""What an event holds, as rows with everything that is told of them, in few queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Prefetch, QuerySet

from games.seats import reserved
from games.seats.reserved import TableResult
from tournaments.models import Entry, Event, Pairing, PairingEntry, Round, SitOut
from tournaments.results.history import entries_of, fillers_of, with_players


@dataclass(frozen=True, slots=True)
class Matches:
    """Matches with who plays in them.

    rows: by round and table, each with its `entries`. games: of each table, by its key. entries:
    everybody drawn, by number, with his players.
    """

    rows: Sequence[Pairing]
    games: Mapping[int, Sequence[TableResult]]
    entries: Mapping[int, Entry]


def entries(event: Event) -> QuerySet[Entry]:
    """Return the entries that are complete, withdrawn ones too, in order of arrival."""
    return with_players(event.entries.filter(arrival__isnull=False).order_by("arrival"))


def entry(entry_id: int) -> Entry:
    """Return an entry with its players."""
    return with_players(Entry.objects.all()).get(pk=entry_id)


def pairings(event: Event, *, round_number: int | None = None) -> QuerySet[Pairing]:
    """Return an event's matches, by round and table; only of one round if it is said."""
    rows = Pairing.objects.filter(round__event=event)
    if round_number is not None:
        rows = rows.filter(round__number=round_number)
    return with_entries(rows)


def with_entries(rows: QuerySet[Pairing]) -> QuerySet[Pairing]:
    """Return matches by round and table, with who is drawn in them."""
    lines = PairingEntry.objects.order_by("side", "position")
    ordered = rows.select_related("round").order_by("round__number", "number")
    return ordered.prefetch_related(Prefetch("entries", lines))


def matches(event: Event, rows: Sequence[Pairing]) -> Matches:
    """Return some matches of an event, which `pairings` gave, with all that is told of them."""
    games = reserved.results(row.table_id for row in rows if row.table_id is not None)
    return Matches(rows, games, drawn(event))


def idle(one: Round) -> list[int]:
    """Return the entries that do not play in a round."""
    rows = SitOut.objects.filter(round=one).order_by("entry")
    return list(rows.values_list("entry", flat=True))


def drawn(event: Event) -> dict[int, Entry]:
    """Return everybody who can be drawn, house players who fill tables too, by number."""
    return {entry.pk: entry for entry in (*entries_of(event), *fillers_of(event))}
