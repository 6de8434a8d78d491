"""The codes of tables in the room; each opens its score card while the same people sit there.

Nobody needs an account at a table, so a code from an earlier round would let its reader write, and
sign for both sides, where they have nothing to do. Whatever seats other people calls `codes_of`.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Final

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.http import HttpRequest
from django.shortcuts import resolve_url

from games.models import Player
from games.people import limits
from games.people.identity import player_of
from games.refusals import Remedy
from tournaments.changes import row_locks
from tournaments.events import acts
from tournaments.events.notices import note
from tournaments.models import Act, Event, PairingEntry, RetiredCode, RoomTable
from tournaments.models.room import CODE_LENGTH, new_table_code
from tournaments.refusals import RefusedError

WRONG: Final = (
    "No table has the code {code}. Compare it with the card on the table: it has {length} letters"
    " and digits, never 0, 1, A, B, E, I, L, O, S, U or Z."
)
TOO_MANY: Final = "Too many wrong codes. Scan the right one, or type it in ten minutes."
RETIRED: Final = (
    "Table {table} has a new code, and this one no longer works: others sit there now, or"
    " the director has changed it. The event’s page and a walk-in’s page lead to the card of your"
    " table, and whoever has that open can show its code to the others."
)
#: In the session: the tables whose cards the browser has opened, as [event, table].
OPENED_KEY: Final = "opened_tables"
MOST_OPENED: Final = 40
ENDED: Final = "{event} is over, so the codes of its tables no longer work."


def codes_of(event: Event, numbers: Iterable[int]) -> dict[int, str]:
    """Return the codes of tables by number: new ones if they have none, or others sit there now.

    The first to sit down at a table have the code that was printed before.
    """
    wanted = set(numbers)
    rows = event.room_tables.filter(number__in=wanted)
    if missing := sorted(wanted.difference(rows.values_list("number", flat=True))):
        # another request may make them at the same moment
        RoomTable.objects.bulk_create(
            (RoomTable(event=event, number=number) for number in missing), ignore_conflicts=True
        )
    if _reseated(event, wanted):
        _renew_reseated(event, wanted)
    return dict(rows.values_list("number", "code"))


@row_locks.with_event_lock
def _renew_reseated(event: Event, numbers: Collection[int]) -> None:
    """Store who sits at tables, and give those another code at which others sat before.

    Whoever only prints cards holds no lock, and a draw may have seated others since they looked.
    """
    changed, retired = [], []
    for table, seated in _reseated(event, numbers):
        if table.seated:
            retired.append(RetiredCode(table=table, code=table.code))
            table.code = new_table_code()
        table.seated = seated
        changed.append(table)
    RoomTable.objects.bulk_update(changed, ["code", "seated"])
    RetiredCode.objects.bulk_create(retired)


def _reseated(event: Event, numbers: Collection[int]) -> list[tuple[RoomTable, str]]:
    """Return the tables at which others sit than those who have the code, and a digest of them."""
    people = _seated(event, numbers)
    rows = [(table, people[table.number]) for table in event.room_tables.filter(number__in=people)]
    return [(table, seated) for table, seated in rows if seated != table.seated]


def _seated(event: Event, numbers: Collection[int]) -> dict[int, str]:
    """Return a digest of who sits at tables in the room in the latest round, by number.

    A walk-in whose results an account has claimed is the same person.
    """
    latest = event.played_rounds.order_by("-number").values("pk")[:1]
    seats = PairingEntry.objects.filter(
        round=latest, pairing__in_room=True, pairing__number__in=numbers
    )
    claimed = dict(event.walk_ins.values_list("claimed_by", "player"))
    people: dict[int, set[int]] = defaultdict(set)
    for number, player in seats.values_list("pairing__number", "entry__players__player"):
        people[number].add(claimed.get(player, player))
    return {
        number: hashlib.sha256(repr(sorted(there)).encode()).hexdigest()[:32]
        for number, there in people.items()
    }


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
    found = rows.select_related("table__event").first()
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
        words = RETIRED.format(table=retired.number)
        remedy = _own_card(retired.event, player_of(request))
        raise RefusedError("retired_code", words, 410, remedy)
    if table is None:
        words = WRONG.format(code=code[: 2 * CODE_LENGTH], length=CODE_LENGTH)
        raise wrong_code(request, words)
    if table.event.ended is not None or table.event.club.closed is not None:
        raise RefusedError("event_over", ENDED.format(event=table.event.name), status=410)
    been = [tuple(one) for one in request.session.get(OPENED_KEY, ())]
    if (table.event_id, table.pk) not in been:
        request.session[OPENED_KEY] = [*been, (table.event_id, table.pk)][-MOST_OPENED:]
    return table


def _own_card(event: Event, player: Player | None) -> Remedy:
    """Return the way to the card of a player's table, or to the event's page."""
    round_ = event.played_rounds.order_by("-number").values("pk")[:1]
    seats = PairingEntry.objects.filter(round=round_, pairing__in_room=True)
    mine = seats.filter(entry__players__player=player).values("pairing__number")
    own = event.room_tables.filter(number__in=mine).first() if player is not None else None
    if own is None:
        return Remedy("Pairings and standings", resolve_url("event", event.pk))
    return Remedy(f"The card of your table, {own.number}", resolve_url("room_table", own.code))


def been_elsewhere(session: SessionBase, table: RoomTable) -> bool:
    """Return whether a browser has opened the card of another table of the same event."""
    opened = session.get(OPENED_KEY, ())
    return any(event == table.event_id and pk != table.pk for event, pk in opened)


def wrong_code(request: HttpRequest, words: str) -> RefusedError:
    """Count a wrong code of eight letters; return its refusal, another one after many of them."""
    if not limits.may_try_code(request, short=False):
        return RefusedError("too_many_codes", TOO_MANY, status=429)
    limits.count_wrong_code(request, short=False)
    return RefusedError("wrong_code", words, status=404)
