"""A club's results from before it came to the site, as they are shown and exported."""

from collections.abc import Mapping, Sequence
from datetime import date
from itertools import groupby
from typing import Any, Final, TypeAlias

from django.db.models import Q, QuerySet

from tournaments.models import Club, PastResult
from tournaments.spreadsheets import cell, csv_text

COLUMNS: Final = ("date", "event", "place", "player", "name", "email", "points")
EVENTS_A_PAGE: Final = 20
#: Events whose winners the hall of fame lists.
WINNERS: Final = 10


#: The day of an event, its name, and its results in the order of places.
PastEvent: TypeAlias = tuple[date, str, list[PastResult]]


def events_of(club: Club) -> "QuerySet[PastResult, Any]":
    """Return the days and names of the events, the latest first."""
    return club.past_results.order_by("-day", "event").values("day", "event").distinct()


def with_results(club: Club, events: Sequence[Mapping[str, Any]], **wanted: int) -> list[PastEvent]:
    """Return events with their results, in the order of places."""
    if not events:
        return []
    these = Q()
    for one in events:
        these |= Q(day=one["day"], event=one["event"])
    rows = club.past_results.filter(these, **wanted).select_related("player")
    return [
        (day, event, list(found))
        for (day, event), found in groupby(rows, lambda row: (row.day, row.event))
    ]


def winners(club: Club) -> list[PastEvent]:
    """Return who won the latest of the past events."""
    return with_results(club, list(events_of(club)[:WINNERS]), place=1)


def as_csv(club: Club) -> str:
    rows = (
        {
            "date": row.day.isoformat(),
            "event": cell(row.event),
            "place": str(row.place),
            "player": str(row.player_id or ""),
            "name": cell(row.who),
            "points": cell(row.score),
        }
        for row in club.past_results.select_related("player")
    )
    return csv_text(COLUMNS, rows)
