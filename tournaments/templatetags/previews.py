"""The previews of links to clubs and events, for the heads of their pages."""

from typing import Any

from django import template

from tournaments.models import Club, Event
from tournaments.sharing import previews

register = template.Library()


@register.inclusion_tag("games/sharing/_preview.html")
def club_preview(club: Club) -> dict[str, Any]:
    return {"preview": previews.of_club(club)}


@register.inclusion_tag("games/sharing/_preview.html")
def event_preview(event: Event, path: str = "") -> dict[str, Any]:
    return {"preview": previews.of_event(event, path)}
