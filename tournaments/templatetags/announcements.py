"""The announcements that a club's page shows, wherever the part is included."""

from collections.abc import Iterable

from django import template

from tournaments.models import Announcement, Club

register = template.Library()

LATEST = 5


@register.simple_tag
def latest_announcements(club: Club) -> Iterable[Announcement]:
    """The last announcements of a club, with their authors."""
    return club.announcements.select_related("author")[:LATEST]
