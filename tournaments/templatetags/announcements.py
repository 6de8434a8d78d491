"""The latest announcements of a club."""

from collections.abc import Iterable

from django import template

from tournaments.models import Announcement, Club

register = template.Library()

LATEST = 5


@register.simple_tag
def latest_announcements(club: Club) -> Iterable[Announcement]:
    return club.announcements.select_related("author")[:LATEST]
