"""The codes of tables in the room; each opens its score card until the event ends."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from django.conf import settings
from django.http import HttpRequest
from django.shortcuts import resolve_url

from games.models import Player
from games.people import limits
from tournaments.changes import row_locks
from tournaments.events import acts
from tournaments.events.notices import note
from tournaments.models import Act, Event, RetiredCode, RoomTable
from tournaments.models.room import CODE_LENGTH, new_table_code
from tournaments.refusals import RefusedError

WRONG: Final = (
    "No table has the code {code}. Compare it with the card on the table: it has {length} letters"
    " and digits, never 0, 1, A, B, E, I, L, O, S, U or Z."
)
TOO_MANY: Final = "Too many wrong codes. Scan the right one, or type it in ten minutes."
RETIRED: Final = (
    "The director has given table {table} a new code, and this one opens nothing any more. Scan or"
    " type the code that lies on the table now."
)
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


def renew(event: Event, number: int, by: Player, *, reason: str, now: datetime) -> str:
    """Give a table in the room another code, which is returned; the old one opens nothing at once.

    Raises RefusedError if the table has none, or the event is over.
    """
    reason = acts.reason(reason)
    with row_locks.changing(event) as held:
        table = held.room_tables.filter(number=number).first()
        if table is None:
            raise RefusedError("no code", f"Table {number} has no code: it is not in the room.")
        if held.ended is not None:
            raise RefusedError("event_over", ENDED.format(event=held.name))
        RetiredCode.objects.create(table=table, code=table.code)
        table.code, table.renewed = new_table_code(), now
        table.save(update_fields=["code", "renewed"])
        note(held, f"Table {number} has a new code. {reason}", by)
        after = {"number": number}
        acts.record(held, Act.Kind.TABLE_CODE, by, now, reason=reason, after=after)
        return table.code


def retired_from(code: str) -> RoomTable | None:
    """Return the table that has had a code, and has another one now."""
    rows = RetiredCode.objects.filter(code=code).exclude(table__event__state=Event.State.DRAFT)
    found = rows.select_related("table").first()
    return found.table if found is not None else None


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

    Raises RefusedError ``wrong_code`` (404), ``too_many_codes`` (429) for a wrong one after many,
    ``retired_code`` (410), and ``event_over`` (410). A right code is never refused for the wrong
    ones of others.
    """
    code = plain(typed)
    tables = RoomTable.objects.select_related("event__club").filter(code=code)
    table = tables.exclude(event__state=Event.State.DRAFT).first()
    if table is None and (retired := retired_from(code)) is not None:
        raise RefusedError("retired_code", RETIRED.format(table=retired.number), status=410)
    if table is None:
        words = WRONG.format(code=code[: 2 * CODE_LENGTH], length=CODE_LENGTH)
        raise wrong_code(request, words)
    if table.event.ended is not None or table.event.club.closed is not None:
        raise RefusedError("event_over", ENDED.format(event=table.event.name), status=410)
    return table


def wrong_code(request: HttpRequest, words: str) -> RefusedError:
    """Count a wrong code of eight letters; return its refusal, another one after many of them."""
    if not limits.may_try_code(request, short=False):
        return RefusedError("too_many_codes", TOO_MANY, status=429)
    limits.count_wrong_code(request, short=False)
    return RefusedError("wrong_code", words, status=404)
