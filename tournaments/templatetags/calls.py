"""What pages show without being asked: the reader's calls, running game, and their table's end."""

from typing import Any

from django import template
from django.template import Context
from django.utils import timezone

from tournaments.event_page import table_end
from tournaments.event_page.calls import calls_of, listening

register = template.Library()


@register.simple_tag(takes_context=True)
def calls(context: Context) -> dict[str, Any]:
    """Return the reader's calls, except those to the page itself, and the table of their game.

    Costs no query for visitors, and one for players without an event within a day. Pages of a table
    say themselves whose turn it is.
    """
    me, now = context.get("me"), timezone.now()
    if not me:
        return {"listens": False}
    request = context["request"]
    at_table = request.resolver_match and "table_id" in request.resolver_match.kwargs
    found = listening(me, now, games=not at_table)
    if found.begins is None and found.table is None:
        return {"listens": False}
    seconds = 0
    if found.begins is not None:
        seconds = max(0, round((found.begins - now).total_seconds()))
    called = calls_of(me, now) if found.begins is not None and not seconds else []
    return {
        "listens": True,
        "seconds": seconds if found.table is None else 0,
        "calls": [call for call in called if call.url.partition("#")[0] != request.path],
        "table": found.table,
    }


@register.simple_tag(takes_context=True)
def table_ends(context: Context) -> str:
    """Return when the time of the event's table on this page is up, for those who play there."""
    me = context.get("me")
    ends = table_end.ends_by_player([me.pk]) if me else {}
    return ends.get(me.pk, {}).get(context["request"].path, "") if me else ""
