"""The public log of every shuffle: a hash chain.

A line is first stored without a place, in the transaction of the event it records, so that
transactions do not wait for each other. `chain` then places the stored lines. See docs/fairness.md.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from django.db import IntegrityError, connection, transaction

from games.models import LogLine

#: Lines chained in one transaction, so that it holds its locks only briefly.
AT_ONCE: Final = 500
#: Match, kind and data of a line to be stored.
NewLine = tuple[uuid.UUID, str, Mapping[str, Any]]
#: The fields of each kind of line, in this order. `tables` is there if not all games are listed.
FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    LogLine.Kind.CREATED: ("commitment",),
    LogLine.Kind.STARTED: ("commitments", "contributions", "flags", "mixed"),
    LogLine.Kind.ABORTED: ("secret",),
    LogLine.Kind.REVEALED: ("state", "secret", "seal"),
    LogLine.Kind.OPENED: ("secret", "games", "tables"),
}
#: In SQL because the ORM's `bulk_update` blocks other writers ten times as long.
_CHAIN: Final = (
    f"UPDATE {LogLine._meta.db_table} SET place = %s, at = %s, text = %s, hash = %s"  # noqa: S608
    " WHERE id = %s AND place IS NULL"
)


class LogHead(NamedTuple):
    place: int
    hash: bytes
    at: datetime


#: The head of an empty log.
NOTHING_YET: Final = LogHead(0, bytes(32), datetime.min.replace(tzinfo=UTC))


def append(lines: Iterable[NewLine]) -> None:
    """Store new lines for `chain`, in the transaction of what they record."""
    LogLine.objects.bulk_create(
        (LogLine(match=match, kind=kind, data=dict(data)) for match, kind, data in lines),
        ignore_conflicts=True,
    )


def head() -> LogHead:
    found = LogLine.objects.filter(place__isnull=False).order_by("-place")
    last = found.values_list("place", "hash", "at").first()
    return LogHead(last[0] or 0, bytes(last[1] or b""), last[2]) if last else NOTHING_YET


def chain(most: int = AT_ONCE) -> int:
    """Set the place, text and hash of stored lines in order; safe to run twice or concurrently."""
    try:
        with transaction.atomic():
            # The first line serves as the lock; before there is one, the first commit wins.
            LogLine.objects.select_for_update().filter(place=1).first()
            return _chain(most)
    except IntegrityError:
        return 0


def _chain(most: int) -> int:
    # Read the head first: if it is no longer the last when the lines are read, the places clash.
    last, rows, stored = head(), [], connection.ops.adapt_datetimefield_value
    lines = list(LogLine.objects.filter(place=None).order_by("pk")[:most])
    if not lines:
        return 0
    for line in lines:
        line.place = last.place + 1
        # Times must not decrease in the log, but a slow transaction may commit its line after
        # younger ones have been placed, and a clock may be set back.
        line.at = max(line.at, last.at)
        text = text_of(line, last.hash)
        last = LogHead(line.place, hash_of(text), line.at)
        rows.append((last.place, stored(line.at), text, last.hash, line.pk))
    with connection.cursor() as cursor:
        cursor.executemany(_CHAIN, rows)
    return len(lines)


def text_of(line: LogLine, previous: bytes) -> str:
    """Return a line as published; ``previous`` is the hash of the line before."""
    fields = {
        "place": line.place,
        "at": line.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "kind": line.kind,
        "match": str(line.match),
        **{
            field: line.data[field]
            for field in FIELDS[line.kind]
            if field != "tables" or field in line.data
        },
        "previous": previous.hex(),
    }
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def hash_of(text: str) -> bytes:
    """Return the hash of a published line without its line break."""
    return hashlib.sha256(b"EUF1.log" + text.encode()).digest()
