"""The reader's calls to tables."""

from typing import Any

from django import template
from django.template import Context
from django.utils import timezone

from tournaments.event_page.calls import calls_of, listens_from

register = template.Library()


@register.inclusion_tag("tournaments/event_page/_calls.html", takes_context=True)
def calls(context: Context) -> dict[str, Any]:
    """Show the tables the player is called to, except on their own pages.

    Costs no query for visitors, and one for players without an event within a day.
    """
    me, now = context.get("me"), timezone.now()
    begins = listens_from(me, now) if me else None
    if not me or begins is None:
        return {"listens": False}
    seconds = max(0, round((begins - now).total_seconds()))
    at = context["request"].path
    called = [call for call in calls_of(me, now) if call.url != at] if not seconds else []
    return {"listens": True, "seconds": seconds, "calls": called}
