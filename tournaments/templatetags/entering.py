"""What comes next for whoever looks, on pages that are not of events."""

from django import template

from games.models import Player
from tournaments.services.listing import EventLine, next_for

register = template.Library()


@register.simple_tag
def next_event(player: Player | None) -> EventLine | None:
    """The event a player is in next, or could enter next in his clubs; None for guests.

    player: `me` of the page's context, which is false for a visitor.
    """
    return next_for(player) if player and player.user_id is not None else None
