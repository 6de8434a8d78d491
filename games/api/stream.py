"""The stream of finished games."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any, Final

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from ninja import Field, Query, Router, Schema

from games.api import streaming, streams
from games.api.games import game_out
from games.api.problems import Problem
from games.models import Game
from games.people.addresses import asker
from games.records import finished_stream
from games.records.finished_stream import Cursor, CursorError
from games.sockets import loop, places
from games.sockets.places import OpenPlace

router = Router(tags=["Games"])

#: Seconds between two looks for new games, and after which a stream says that it is still there.
LOOK_EVERY: Final = 1.0
HEARTBEAT: Final = 15.0
#: Streams that one address may have open in one process.
MOST: Final = 5


#: What the stream's answer is in the document: one of these objects a line.
STREAMED: Final[dict[str, Any]] = {
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


class StreamQuery(Schema):
    """From where on, and for how long."""

    after: str = Field("", max_length=60, description="The cursor of the last game you have.")
    follow: bool = Field(False, description="Whether to wait for games still to come.")


@router.get("/stream", auth=None, openapi_extra=STREAMED)
async def game_stream(request: HttpRequest, asked: Query[StreamQuery]) -> HttpResponseBase:
    """The games that have ended at tables everybody may watch, oldest first, a line of JSON each.

    Without `follow` it ends with the last of them.
    """
    try:
        cursor = finished_stream.parse(asked.after) if asked.after else None
    except CursorError as error:
        raise Problem(422, "cursor", str(error)) from error
    place = places.take(f"stream of games by {asker(request)}", MOST)
    if place is None:
        raise Problem(429, "too many streams", f"{MOST} streams from one address are allowed.")
    lines = _lines(cursor, follow=asked.follow)
    return streaming.streamed(request, _placed(lines, place))


async def _placed(lines: AsyncGenerator[bytes, None], place: OpenPlace) -> AsyncIterator[bytes]:
    """Hold the place of a stream for as long as it is read."""
    with place:
        async with aclosing(lines):
            async for line in lines:
                yield line


async def _lines(cursor: Cursor | None, *, follow: bool) -> AsyncGenerator[bytes, None]:
    silent, ended = 0.0, asyncio.Event()
    with streams.ended_by(ended.set):
        while not ended.is_set():
            lines = await loop.in_database(_batch, cursor)
            for place, line in lines:
                cursor, silent = place, 0.0
                yield line
            if lines:
                continue
            if not follow or await streams.within(ended, LOOK_EVERY):
                return
            silent += LOOK_EVERY
            if silent >= HEARTBEAT:
                silent = 0.0
                yield _json({"heartbeat": str(cursor or "")})


def _batch(cursor: Cursor | None) -> Sequence[tuple[Cursor, bytes]]:
    """The next games as lines, each with the place after it."""
    return [_line(game) for game in finished_stream.after(cursor, timezone.now())]


def _line(game: Game) -> tuple[Cursor, bytes]:
    place = finished_stream.cursor_of(game)
    told = {"cursor": str(place), "game": game_out(game).model_dump(mode="json")}
    return place, _json(told)


def _json(line: dict[str, Any]) -> bytes:
    return f"{json.dumps(line, ensure_ascii=False)}\n".encode()
