"""Looks an event up by its join code, which gives no rights of its own."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db.models import F
from django.http import Http404, HttpRequest
from django.shortcuts import resolve_url

from games.people import limits
from tournaments.access import event_of
from tournaments.models import Event, RoomTable, WalkIn
from tournaments.models.events import JOIN_LENGTH
from tournaments.models.room import CODE_LENGTH
from tournaments.refusals import RefusedError
from tournaments.room_scores.codes import plain, retired_from

WRONG: Final = (
    "No event that you may see has the code {code}, and no table. Compare it with the screen or the"
    " card: an event’s code has {length} letters and digits, a table’s eight, never 0, 1, A, B, E,"
    " I, L, O, S, U or Z. Events of a club that is joined by invitation are open to its members"
    " only: log in first."
)
TOO_MANY: Final = "Too many wrong codes from your network. Try again in ten minutes."


def address_of(event: Event) -> str:
    """Return the short address of an event for QR codes; its page's if it has no code."""
    if event.join_code:
        return f"{settings.SITE_URL}{resolve_url('join_by_code', event.join_code)}"
    return f"{settings.SITE_URL}{resolve_url('event', event.pk)}"


def page_by_code(request: HttpRequest, typed: str) -> str:
    """Return the path that a code leads to: of an event, a table in the room or a walk-in.

    Raises RefusedError like `event_by_code`.
    """
    code = plain(typed)
    if len(code) == CODE_LENGTH:
        tables = RoomTable.objects.filter(code=code).exclude(event__state=Event.State.DRAFT)
        if tables.exists() or retired_from(code) is not None:
            return resolve_url("room_table", code)
        if WalkIn.objects.filter(code=code).exists():
            return resolve_url("walk_in", code)
    return resolve_url("event", event_by_code(request, typed).pk)


def event_by_code(request: HttpRequest, typed: str) -> Event:
    """Return the event that a code leads to; raise RefusedError if it is wrong, or too many were.

    A code leads to the latest event that has it. The answer is the same whether there is no such
    event or the requester may not see it.
    """
    code = plain(typed)
    short = len(code) == JOIN_LENGTH
    if not limits.may_try_code(request, short=short):
        raise RefusedError("too_many_codes", TOO_MANY, status=429)
    found = Event.objects.filter(join_code=code).exclude(join_code="")
    event = found.order_by(F("ended").desc(nulls_first=True)).first()
    if event is not None:
        try:
            return event_of(request, event.pk).event
        except (Http404, PermissionDenied):
            pass
    limits.count_wrong_code(request, short=short)
    words = WRONG.format(code=code[: 2 * JOIN_LENGTH] or "that was typed", length=JOIN_LENGTH)
    raise RefusedError("wrong_code", words, status=404)
