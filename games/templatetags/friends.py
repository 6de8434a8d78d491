"""What pages show of friends: the button that makes them, who is online, invitations to tables."""

from typing import Any

from django import template
from django.template import Context
from django.utils import timezone

from games.access import invitations as followed_links
from games.friends import inviting, listing
from games.models import Player
from games.people import friends, online

register = template.Library()


@register.inclusion_tag("games/friends/_button.html", takes_context=True)
def friend_button(context: Context, person: Player, *, brief: bool = False) -> dict[str, Any]:
    """Show what the viewer can do to become friends with a person, if both have accounts.

    brief: only that, and nothing that ends it.
    """
    me = context.get("me")
    if not me or me == person or person.kind != Player.Kind.PERSON or person.user_id is None:
        return {}
    shown = {"person": person, "csrf_token": context.get("csrf_token"), "brief": brief}
    if not friends.may_have_friends(me):
        return {**shown, "guest": True}
    return {**shown, "between": friends.between(me, [person.pk], timezone.now())[person.pk]}


@register.simple_tag(takes_context=True)
def is_here(context: Context, person: Player) -> bool:
    """Return True if a person has asked for a page lately and shows it to the viewer."""
    now = timezone.now()
    return bool(online.here([person.pk], now)) and online.shown_to(
        context.get("me") or None, person
    )


@register.inclusion_tag("games/friends/_online.html", takes_context=True)
def friends_online(context: Context) -> dict[str, Any]:
    """List the viewer's friends who are online; members only."""
    me: Player | None = context.get("me") or None
    if me is None or not friends.may_have_friends(me):
        return {}
    lines = listing.lines_for(me, timezone.now(), followed_links(context["request"].session))
    return {
        "me": me,
        "csrf_token": context.get("csrf_token"),
        "all_friends": len(lines),
        "friends": [line for line in lines if line.online][: listing.MAX_ONLINE],
    }


@register.inclusion_tag("games/friends/_invited.html", takes_context=True)
def invitations(context: Context) -> dict[str, Any]:
    """Show the viewer's open invitations to tables; the page then looks for new ones by itself."""
    me = context.get("me")
    if not me:
        return {}
    return {
        "me": me,
        "csrf_token": context.get("csrf_token"),
        "invitations": inviting.waiting_for(me, timezone.now()),
    }
