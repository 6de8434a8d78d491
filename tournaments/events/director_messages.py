"""Messages of directors to all, apart from what the clock and other acts announce by themselves."""

from __future__ import annotations

from django.db.models import QuerySet

from tournaments.models import Act, Event, Notice


def standing(event: Event) -> QuerySet[Act]:
    """Return the messages that have not been undone, the latest first."""
    return event.acts.filter(kind=Act.Kind.MESSAGE, undone_by=None).order_by("-pk")


def latest(event: Event) -> Act | None:
    """Return the latest message, with its author and its words in `reason`."""
    return standing(event).select_related("by").first()


def notices(event: Event, most: int) -> tuple[Notice, ...]:
    """Return at most so many of the latest messages as the event's page shows them."""
    rows = standing(event).select_related("by")[:most]
    return tuple(Notice(event=event, by=one.by, at=one.at, text=one.reason) for one in rows)
