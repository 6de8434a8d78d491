"""All games that have ended, oldest first, from any place on: for whoever collects them.

A place is a cursor: when a game ended, and which. Games are told a moment after they have ended,
since one that was stored later may have ended earlier.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

from django.db.models import Q

from games.models import Game

#: How long after its end a game is told.
SETTLED: Final = timedelta(seconds=3)
#: Games read at a time, so that no reader costs more memory than these.
BATCH: Final = 20

_CURSOR: Final = re.compile(r"([0-9]{1,17})-([0-9a-f]{32})")


class CursorError(ValueError):
    """A text is not a cursor."""


class Cursor(NamedTuple):
    """The place after a game. ended: microseconds since 1970. game: which."""

    ended: int
    game: UUID

    def __str__(self) -> str:
        return f"{self.ended}-{self.game.hex}"

    @property
    def moment(self) -> datetime:
        """When the game ended."""
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=self.ended)


def parse(text: str) -> Cursor:
    """Read what `Cursor` writes; raise CursorError for anything else."""
    found = _CURSOR.fullmatch(text)
    if found is None:
        raise CursorError(f"{text[:60]!r} is not a cursor: send one that a line of the stream had.")
    return Cursor(int(found[1]), UUID(found[2]))


def cursor_of(game: Game) -> Cursor:
    """Return the place after a game that has ended."""
    past = (game.ended or game.moved) - datetime(1970, 1, 1, tzinfo=UTC)
    return Cursor(past // timedelta(microseconds=1), game.pk)


def after(cursor: Cursor | None, now: datetime) -> Sequence[Game]:
    """Return the next games at open tables that ended after a place, oldest first.

    cursor: None for the first game there was. now: the present moment.
    """
    ended = Game.objects.filter(ended__lte=now - SETTLED, table__open=True)
    if cursor is not None:
        ended = ended.filter(
            Q(ended__gt=cursor.moment) | Q(ended=cursor.moment, pk__gt=cursor.game),
            ended__gte=cursor.moment,
        )
    return list(ended.select_related("table").order_by("ended", "pk")[:BATCH])
