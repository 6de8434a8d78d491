"""Messages of directors to all or to one table, not what the clock and other acts announce."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.db.models import QuerySet

from tournaments.models import Act, Event, Notice, Pairing


def standing(event: Event) -> QuerySet[Act]:
    """Return the messages to all that have not been undone, the latest first."""
    return event.acts.filter(kind=Act.Kind.MESSAGE, undone_by=None).order_by("-pk")


def latest(event: Event) -> Act | None:
    """Return the latest message to all, with its author and its words in `reason`."""
    return standing(event).select_related("by").first()


def notices(event: Event, most: int) -> tuple[Notice, ...]:
    """Return at most so many of the latest messages as the event's page shows them."""
    rows = standing(event).select_related("by")[:most]
    return tuple(Notice(event=event, by=one.by, at=one.at, text=one.reason) for one in rows)


def at_tables(matches: Iterable[Pairing]) -> Mapping[int, Act]:
    """Return the latest message to each of these tables that has not been undone, by match."""
    rows = Act.objects.filter(kind=Act.Kind.TO_TABLE, undone_by=None, pairing__in=matches)
    found = rows.select_related("by").order_by("pk")
    return {one.pairing_id: one for one in found if one.pairing_id}
