"""Who is named to somebody that types a part of a partner's name, and how often.

Only to whoever may see the members of the club anyway: not to one who was let into a single event
of a club that is joined by invitation.
"""

from datetime import datetime
from typing import Final

from django.http import HttpRequest, QueryDict
from django.shortcuts import resolve_url

from games.people import limits
from tournaments.access import ClubAccess, EventAccess
from tournaments.answers import typed
from tournaments.entering import partners
from tournaments.models import Membership

#: How often in a minute; a list is asked for at most four times a second while one types.
MOST_IN_A_MINUTE: Final = 60
TOO_OFTEN: Final = "You have looked for many names; wait a minute, or write the whole name."
LONGEST: Final = 254


def words_of(fields: QueryDict) -> str:
    """Return what stands in the field `partner`, without what databases refuse."""
    return fields.get("partner", "").replace("\0", "").strip()[:LONGEST]


def sees_members(access: ClubAccess) -> bool:
    """Whether somebody may see who belongs to the club, as on the page of its members."""
    return access.invited or access.may("see_club")


def found(access: EventAccess, words: str, now: datetime) -> list[Membership] | None:
    """Return the members who may be meant; None if this player has asked too often."""
    player = access.player
    if player is None or player.user_id is None or not sees_members(access) or not words:
        return []
    if access.event.team_size == 1:
        return []
    if limits.count(f"partner-{player.pk}", MOST_IN_A_MINUTE, now).exceeded:
        return None
    return partners.members_named(access.event, player, words)


def meant(request: HttpRequest, access: EventAccess, now: datetime) -> dict[str, object]:
    """Return what the page of an event tells when the name just sent was not exactly a member's.

    wanted: what was typed, or an empty text. candidates: the members who may be meant.
    """
    fields = typed(request, resolve_url("ask_partner", access.event.pk))
    words = words_of(fields) if fields is not None else ""
    return {"wanted": words, "candidates": (found(access, words, now) or []) if words else []}
