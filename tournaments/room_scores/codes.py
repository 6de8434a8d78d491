"""The codes of tables in the room; each opens its score card until the event ends."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from django.conf import settings
from django.http import HttpRequest
from django.shortcuts import resolve_url

from games.people import limits
from tournaments.models import Event, RoomTable
from tournaments.models.room import CODE_LENGTH
from tournaments.refusals import RefusedError

WRONG: Final = (
    "No table has the code {code}. Compare it with the card on the table: it has {length} letters"
    " and digits, never 0, 1, A, B, E, I, L, O, S, U or Z."
)
TOO_MANY: Final = "Too many wrong codes from your network. Try again in ten minutes."
ENDED: Final = "{event} is over, so the codes of its tables lead nowhere any more."


def codes_of(event: Event, numbers: Iterable[int]) -> dict[int, str]:
    """Return the codes of tables by number, and make those that are missing."""
    wanted = set(numbers)
    rows = event.room_tables.filter(number__in=wanted)
    known = dict(rows.values_list("number", "code"))
    if missing := sorted(wanted - known.keys()):
        # another request may make them at the same moment
        RoomTable.objects.bulk_create(
            (RoomTable(event=event, number=number) for number in missing), ignore_conflicts=True
        )
        known = dict(rows.values_list("number", "code"))
    return known


def address_of(code: str) -> str:
    """Return the address that the QR code of a table holds."""
    return f"{settings.SITE_URL}{resolve_url('room_table', code)}"


def in_groups(code: str) -> str:
    """Return a code as it is printed: "CDFG HJKM"."""
    return f"{code[: CODE_LENGTH // 2]} {code[CODE_LENGTH // 2 :]}"


def plain(typed: str) -> str:
    """Return a code as typed without spaces and dashes, in capitals."""
    return "".join(letter for letter in typed.upper() if letter.isalnum())


def table_by_code(request: HttpRequest, typed: str) -> RoomTable:
    """Return the table that a code opens.

    Raises RefusedError ``wrong_code`` (404), ``too_many_codes`` (429) after many of them from one
    address, and ``event_over`` (410).
    """
    if not limits.may_try_code(request):
        raise RefusedError("too_many_codes", TOO_MANY, status=429)
    code = plain(typed)
    table = RoomTable.objects.select_related("event__club").filter(code=code).first()
    if table is None or table.event.state == Event.State.DRAFT:
        limits.count_wrong_code(request)
        words = WRONG.format(code=code[: 2 * CODE_LENGTH], length=CODE_LENGTH)
        raise RefusedError("wrong_code", words, status=404)
    if table.event.ended is not None or table.event.club.closed is not None:
        raise RefusedError("event_over", ENDED.format(event=table.event.name), status=410)
    return table
