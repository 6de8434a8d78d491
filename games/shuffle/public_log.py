"""The public log of every shuffle, each line of which holds the hash of the line before.

A line is first only stored, in the transaction of what it tells of, so that nobody waits for
anybody else's line. `chain` then gives the stored lines their places. See docs/fairness.md.
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

#: Lines chained in one transaction, so that none holds up others for long.
AT_ONCE: Final = 500
#: What a line of each kind tells, in this order.
FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    LogLine.Kind.CREATED: ("commitment",),
    LogLine.Kind.STARTED: ("commitments", "contributions", "flags", "mixed"),
    LogLine.Kind.ABORTED: ("secret",),
    LogLine.Kind.REVEALED: ("state", "secret", "seal"),
}
#: In SQL: the ORM's `bulk_update` would hold other writers up for ten times as long.
_CHAIN: Final = (
    f"UPDATE {LogLine._meta.db_table} SET place = %s, at = %s, text = %s, hash = %s"  # noqa: S608
    " WHERE id = %s AND place IS NULL"
)


class LogHead(NamedTuple):
    """The last line of the log, or what stands before the first. hash: of it, 32 bytes."""

    place: int
    hash: bytes
    at: datetime


#: What stands before the first line.
NOTHING_YET: Final = LogHead(0, bytes(32), datetime.min.replace(tzinfo=UTC))


def tell(lines: Iterable[tuple[uuid.UUID, str, Mapping[str, Any]]]) -> None:
    """Write lines (match, kind, what is told), to be chained once they are stored; a line that
    stands there already is left as it is. Call it in the transaction of what they tell of."""
    LogLine.objects.bulk_create(
        (LogLine(match=match, kind=kind, data=dict(data)) for match, kind, data in lines),
        ignore_conflicts=True,
    )


def head() -> LogHead:
    """Return the last line that has its place."""
    found = LogLine.objects.filter(place__isnull=False).order_by("-place")
    last = found.values_list("place", "hash", "at").first()
    return LogHead(last[0] or 0, bytes(last[1] or b""), last[2]) if last else NOTHING_YET


def chain(most: int = AT_ONCE) -> int:
    """Give the next stored lines their place, text and hash in the order written; return how many.

    most: lines at once. It may run twice, late or in several places at once.
    """
    try:
        with transaction.atomic():
            # Who holds the first line is alone; before there is one, the first commit wins.
            LogLine.objects.select_for_update().filter(place=1).first()
            return _chain(most)
    except IntegrityError:
        return 0


def _chain(most: int) -> int:
    # The head comes first: if it is no longer the last when the lines are read, the places clash.
    last, rows, stored = head(), [], connection.ops.adapt_datetimefield_value
    lines = list(LogLine.objects.filter(place=None).order_by("pk")[:most])
    if not lines:
        return 0
    for line in lines:
        line.place = last.place + 1
        # A transaction that took long stores its line after younger ones have their places, and a
        # clock may be set back: time does not run backwards in the log.
        line.at = max(line.at, last.at)
        text = text_of(line, last.hash)
        last = LogHead(line.place, hash_of(text), line.at)
        rows.append((last.place, stored(line.at), text, last.hash, line.pk))
    with connection.cursor() as cursor:
        cursor.executemany(_CHAIN, rows)
    return len(lines)


def text_of(line: LogLine, previous: bytes) -> str:
    """Return a line as it is published. previous: the hash of the line before."""
    told = {
        "place": line.place,
        "at": line.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "kind": line.kind,
        "match": str(line.match),
        **{field: line.data[field] for field in FIELDS[line.kind]},
        "previous": previous.hex(),
    }
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def hash_of(text: str) -> bytes:
    """Return the hash of a line as it is published, without a line break."""
    return hashlib.sha256(b"EUF1.log" + text.encode()).digest()
