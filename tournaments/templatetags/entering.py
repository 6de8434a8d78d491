"""What comes next for whoever looks, on pages that are not of events."""

from django import template
from django.utils import timezone

from games.models import Player
from tournaments.calendar.listing import EventLine, next_for
from tournaments.calendar.your_events import EntryLine, invitations_to
from tournaments.entering import conditions
from tournaments.models import Entry

register = template.Library()


@register.simple_tag
def next_event(player: Player | None) -> EventLine | None:
    """The event a player is in next, or could enter next in their clubs; None for guests.

    player: `me` of the page's context, which is false for a visitor.
    """
    return next_for(player, timezone.now()) if player and player.user_id is not None else None


@register.simple_tag
def partners_asking(player: Player | None) -> tuple[EntryLine, ...]:
    """The invitations of partners that await a player's answer; none for guests.

    player: as of `next_event`.
    """
    return invitations_to(player) if player and player.user_id is not None else ()


@register.filter
def awaited(entry: Entry) -> bool:
    """Whether an entry is awaited to check in now."""
    return conditions.awaited(entry.event, entry.state, timezone.now(), here=entry.here)
