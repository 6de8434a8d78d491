"""The public log as it is read: its lines in words, by place or by match, and as they stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet

from games.models import Game, LogLine
from games.picture.words import counted

#: Lines on one page.
PAGE: Final = 25
#: Lines in one file.
MOST: Final = 5_000


@dataclass(frozen=True, slots=True)
class PublicLogLine:
    """A line of the log.

    words: what it tells, as a sentence. text: as it is published. hash: of it, in hexadecimal.
    """

    place: int
    at: datetime
    kind: str
    match: UUID
    words: str
    text: str
    hash: str


@dataclass(frozen=True, slots=True)
class PublicLogPage:
    """Some lines, the latest first.

    older, newer: the last place on the pages before and after it, or None where there is none.
    """

    lines: Sequence[PublicLogLine]
    older: int | None
    newer: int | None


@dataclass(frozen=True, slots=True)
class File:
    """Lines as they are published, in order, each ended by a line break. last: the hash of the
    last one, in hexadecimal, or empty. count: how many they are."""

    content: bytes
    last: str
    count: int


def page_to(last: int, head: int) -> PublicLogPage:
    """Return the page that ends with a place. head: the last place there is."""
    lines = _placed().filter(place__lte=last, place__gt=last - PAGE).order_by("-place")
    return PublicLogPage(
        [_line(line) for line in lines],
        last - PAGE if last > PAGE else None,
        min(last + PAGE, head) if last < head else None,
    )


def of_match(match: UUID) -> list[PublicLogLine]:
    """Return the lines of a match, in order."""
    return [_line(line) for line in _placed().filter(match=match).order_by("place")]


def file_of_range(first: int, last: int) -> File:
    """Return the lines from one place to another."""
    return _file(_placed().filter(place__range=(first, last)))


def file_of_match(match: UUID) -> File:
    """Return the lines of a match."""
    return _file(_placed().filter(match=match))


def words_of(kind: str, data: Mapping[str, Any]) -> str:
    """Say what a line tells."""
    if kind == LogLine.Kind.CREATED:
        return "Bower committed itself to the shuffle of a game to come."
    if kind == LogLine.Kind.STARTED:
        seats = len(data["contributions"]) - int(data["flags"]).bit_count()
        threw = counted(seats, "seat", "seats") if seats else "nobody"
        return f"A game began; {threw} threw in {'a number' if seats < 2 else 'numbers'}."
    if kind == LogLine.Kind.ABORTED:
        return "A game was called off before it began; its secret number was told."
    ended = "was given up" if data["state"] == Game.State.ABANDONED else "was played to its end"
    return f"A game {ended}; its secret number was told."


def _placed() -> QuerySet[LogLine]:
    return LogLine.objects.filter(place__isnull=False)


def _line(line: LogLine) -> PublicLogLine:
    words = words_of(line.kind, line.data)
    hexadecimal = bytes(line.hash or b"").hex()
    return PublicLogLine(
        line.place or 0, line.at, line.kind, line.match, words, line.text, hexadecimal
    )


def _file(lines: QuerySet[LogLine]) -> File:
    rows = list(lines.order_by("place").values_list("text", "hash"))
    content = "".join(f"{text}\n" for text, _ in rows).encode()
    return File(content, bytes(rows[-1][1] or b"").hex() if rows else "", len(rows))
