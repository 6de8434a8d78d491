"""A stream of all ended games, in the order in which they opened, from any cursor on.

A game opens to everybody when it ends or, if other tables play the same deals, when the last of
them has finished. A cursor holds that time and the game's id. Games appear a moment after they have
opened, because one that is stored later may have opened earlier.
"""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from ninja import Field, Query, Router, Schema

from games.api import streaming
from games.api.games import game_out
from games.api.problems import ApiProblem
from games.models import Game
from games.people.addresses import client_address
from games.sockets import connection_limits, loop
from games.sockets.connection_limits import ConnectionSlot

router = Router(tags=["Games"])

#: Seconds between polls for new games, and between heartbeats.
POLL_EVERY: Final = 1.0
HEARTBEAT: Final = 15.0
#: Streams that one address may have open in one process.
MAX_PER_ADDRESS: Final = 5
#: How long after it has opened a game appears.
APPEARS_AFTER: Final = timedelta(seconds=3)
#: Games read at a time, which bounds the memory of a stream.
BATCH: Final = 20

_CURSOR: Final = re.compile(r"([0-9]{1,17})-([0-9a-f]{32})")

#: The stream's response in the OpenAPI document: one of these objects per line.
RESPONSES: Final[dict[str, Any]] = {
    "responses": {
        200: {
            "description": "A line for each game, with the `cursor` to go on from after it, and "
            '`{"heartbeat": …}` with the last cursor when there was none for a while.',
            "content": {
                streaming.MEDIA_TYPE: {
                    "schema": {
                        "type": "object",
                        "properties": {
                            "cursor": {"type": "string"},
                            "game": {"$ref": "#/components/schemas/GameOut"},
                        },
                    }
                }
            },
        }
    }
}


class CursorError(ValueError):
    pass


class StreamCursor(NamedTuple):
    """The position after a game in the stream. opened: microseconds since 1970."""

    opened: int
    game: UUID

    def __str__(self) -> str:
        return f"{self.opened}-{self.game.hex}"

    @property
    def moment(self) -> datetime:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=self.opened)


def parse_cursor(text: str) -> StreamCursor:
    """Parse the text of a `StreamCursor`; raise CursorError for any other text."""
    found = _CURSOR.fullmatch(text)
    if found is None:
        raise CursorError(f"{text[:60]!r} is not a cursor: send one that a line of the stream had.")
    return StreamCursor(int(found[1]), UUID(found[2]))


def cursor_of(game: Game) -> StreamCursor:
    """Return the cursor after a game that has opened."""
    shared = game.table.shared_deals
    opened = game.ended if shared is None else shared.opened
    past = (opened or game.moved) - datetime(1970, 1, 1, tzinfo=UTC)
    return StreamCursor(past // timedelta(microseconds=1), game.pk)


def opened_after(cursor: StreamCursor | None, now: datetime) -> Sequence[Game]:
    """Return the next games at open tables after a cursor (None: the very first), in order."""
    ended = Game.objects.filter(ended__isnull=False, table__open=True)
    alone = ended.filter(table__shared_deals=None)
    shared = ended.filter(table__shared_deals__opened__isnull=False)
    until = now - APPEARS_AFTER
    # Each kind is read by its own index.
    found = [
        *_next(alone, "ended", cursor, until),
        *_next(shared, "table__shared_deals__opened", cursor, until),
    ]
    return sorted(found, key=cursor_of)[:BATCH]


def _next(
    games: QuerySet[Game], opened: str, cursor: StreamCursor | None, until: datetime
) -> QuerySet[Game]:
    """Return the next games of a kind. opened: the path to the time when they opened."""
    games = games.filter(**{f"{opened}__lte": until})
    if cursor is not None:
        later = Q(**{f"{opened}__gt": cursor.moment})
        together = Q(**{opened: cursor.moment, "pk__gt": cursor.game})
        games = games.filter(later | together, **{f"{opened}__gte": cursor.moment})
    return games.select_related("table__shared_deals").order_by(opened, "pk")[:BATCH]


class StreamQuery(Schema):
    """From where on, and for how long."""

    after: str = Field("", max_length=60, description="The cursor of the last game you have.")
    follow: bool = Field(False, description="Whether to wait for games still to come.")


@router.get("/stream", auth=None, openapi_extra=RESPONSES)
async def game_stream(request: HttpRequest, asked: Query[StreamQuery]) -> HttpResponseBase:
    """The games that have ended at tables everybody may watch, oldest first, a line of JSON each.

    A game of a duplicate event comes when the last table with the same deals has finished. Without
    `follow` it ends with the last of them.
    """
    try:
        cursor = parse_cursor(asked.after) if asked.after else None
    except CursorError as error:
        raise ApiProblem(422, "cursor", str(error)) from error
    slot = connection_limits.take(f"stream of games by {client_address(request)}", MAX_PER_ADDRESS)
    if slot is None:
        raise ApiProblem(
            429, "too many streams", f"{MAX_PER_ADDRESS} streams from one address are allowed."
        )
    lines = _lines(cursor, follow=asked.follow)
    return streaming.streamed(request, _in_slot(lines, slot))


async def _in_slot(
    lines: AsyncGenerator[bytes, None], slot: ConnectionSlot
) -> AsyncIterator[bytes]:
    with slot:
        async with aclosing(lines):
            async for line in lines:
                yield line


async def _lines(cursor: StreamCursor | None, *, follow: bool) -> AsyncGenerator[bytes, None]:
    silent, ended = 0.0, asyncio.Event()
    with streaming.ending_with_process(ended.set):
        while not ended.is_set():
            lines = await loop.in_database(_batch, cursor)
            for place, line in lines:
                cursor, silent = place, 0.0
                yield line
            if lines:
                continue
            if not follow or await streaming.set_within(ended, POLL_EVERY):
                return
            silent += POLL_EVERY
            if silent >= HEARTBEAT:
                silent = 0.0
                yield _json({"heartbeat": str(cursor or "")})


def _batch(cursor: StreamCursor | None) -> Sequence[tuple[StreamCursor, bytes]]:
    lines = []
    for game in opened_after(cursor, timezone.now()):
        place = cursor_of(game)
        line = {"cursor": str(place), "game": game_out(game).model_dump(mode="json")}
        lines.append((place, _json(line)))
    return lines


def _json(line: dict[str, Any]) -> bytes:
    return f"{json.dumps(line, ensure_ascii=False)}\n".encode()
