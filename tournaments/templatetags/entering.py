"""Entries and places, for lists of events."""

from django import template
from django.utils import timezone

from tournaments.calendar.listing import CountedEvent
from tournaments.entering import conditions, places
from tournaments.models import Entry

register = template.Library()


@register.filter
def awaited(entry: Entry) -> bool:
    """Whether an entry is awaited to check in now."""
    return conditions.awaited(entry.event, entry.state, timezone.now(), here=entry.here)


@register.filter
def full(event: CountedEvent) -> bool:
    """Return whether new entries join the waiting list."""
    return places.full(event, event.entered, event.waiting)
