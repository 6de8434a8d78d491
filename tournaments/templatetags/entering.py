"""Entries and places, for lists of events."""

from django import template
from django.utils import timezone

from tournaments.calendar.listing import CountedEvent
from tournaments.entering import conditions, places_and_waiting_list
from tournaments.models import Entry
from tournaments.standings.winners import ordinal

register = template.Library()


@register.filter
def awaited(entry: Entry) -> bool:
    return conditions.awaited(entry.event, entry.state, timezone.now(), here=entry.here)


@register.filter
def full(event: CountedEvent) -> bool:
    return places_and_waiting_list.full(event, event.entered, event.waiting)


register.filter("ordinal", ordinal)
