"""A club's results from before it came to the site, as they are shown and exported."""

from collections.abc import Iterator, Sequence
from datetime import date
from itertools import groupby
from typing import Final, NamedTuple, TypedDict

from django.db.models import Q, QuerySet

from tournaments.models import Club, PastResult
from tournaments.spreadsheets import cell, csv_text

COLUMNS: Final = ("date", "event", "place", "player", "name", "email", "points")
EVENTS_A_PAGE: Final = 20
#: Events whose winners the hall of fame lists.
WINNERS: Final = 10


class PastEvent(TypedDict):
    """A day and the name of an event on it."""

    day: date
    event: str


class PastEventResults(NamedTuple):
    day: date
    event: str
    results: Sequence[PastResult]


def events_of(club: Club) -> "QuerySet[PastResult, PastEvent]":
    """Return the days and names of the events, the latest first."""
    return club.past_results.order_by("-day", "event").values("day", "event").distinct()


def with_results(club: Club, events: Sequence[PastEvent], **wanted: int) -> list[PastEventResults]:
    """Return events with their results, in the order of places."""
    if not events:
        return []
    these = Q()
    for one in events:
        these |= Q(day=one["day"], event=one["event"])
    rows = club.past_results.filter(these, **wanted).select_related("player")
    return [
        PastEventResults(day, event, list(found))
        for (day, event), found in groupby(rows, lambda row: (row.day, row.event))
    ]


def winners(club: Club) -> list[PastEventResults]:
    """Return who won the latest of the past events."""
    return with_results(club, list(events_of(club)[:WINNERS]), place=1)


def as_csv(club: Club) -> str:
    return csv_text(COLUMNS, _rows(club))


def _rows(club: Club) -> Iterator[dict[str, str]]:
    for row in club.past_results.select_related("player"):
        yield {
            "date": row.day.isoformat(),
            "event": cell(row.event),
            "place": str(row.place),
            "player": str(row.player_id or ""),
            "name": cell(row.who),
            "points": cell(row.score),
        }
