"""Who may see the money of an event."""

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest

from tournaments.access import EventAccess, event_of


def sees_money(access: EventAccess) -> bool:
    """Return whether somebody is a member, a player of the event or a director."""
    return bool(access.membership or access.entry or access.directs)


def money_of(request: HttpRequest, event_id: int) -> EventAccess:
    """Return the rights at an event's money; raise PermissionDenied, or Http404 if it has none."""
    access = event_of(request, event_id)
    if not sees_money(access):
        raise PermissionDenied
    if not access.event.entry_money:
        raise Http404
    return access
