"""Whether an entry is awaited, for lists of entries."""

from django import template
from django.utils import timezone

from tournaments.entering import conditions
from tournaments.models import Entry

register = template.Library()


@register.filter
def awaited(entry: Entry) -> bool:
    """Whether an entry is awaited to check in now."""
    return conditions.awaited(entry.event, entry.state, timezone.now(), here=entry.here)
