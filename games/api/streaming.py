"""Streaming responses: a line of JSON for each change.

Programs watch a table by these instead of a socket. A stream is a watcher of the hub, so it counts
as presence. It is only notified of a change and then reads the table: a slow reader skips
intermediate states and never gets an outdated view.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Final

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone

from games.models import Player, Token
from games.picture.scene import View
from games.play import play, presence
from games.programs import tokens
from games.sockets import connection_limits, hub, loop
from games.sockets.connection_limits import ConnectionSlot
from games.sockets.watching import Picture, Watcher

MEDIA_TYPE: Final = "application/x-ndjson"
HEADERS: Final = {"Cache-Control": "no-store"}
#: Seconds without a change after which a stream sends a heartbeat.
HEARTBEAT: Final = 15.0
#: Streams that one token may have open in one process.
MAX_STREAMS: Final = 12

_ends: Final[set[Callable[[], None]]] = set()


def streamed(request: HttpRequest, lines: AsyncIterator[bytes]) -> HttpResponseBase:
    """Return a response of lines as they come; a HEAD request starts no stream."""
    if request.META["REQUEST_METHOD"] == "HEAD":
        return HttpResponse(content_type=MEDIA_TYPE, headers=HEADERS)
    return StreamingHttpResponse(lines, content_type=MEDIA_TYPE, headers=HEADERS)


def take_slot(token: Token) -> ConnectionSlot | None:
    return connection_limits.take(f"stream by {hub.opener_of_token(token.pk)}", MAX_STREAMS)


async def views(table_id: int, player: Player, token: Token) -> AsyncGenerator[View | None, None]:
    """Yield a player's view of a table now and at each change; None for a heartbeat.

    It ends when the token becomes invalid. The player must be allowed to see the table.
    """
    changed, ended = asyncio.Event(), asyncio.Event()

    async def wake(_picture: Picture) -> None:
        changed.set()

    def end() -> None:
        ended.set()
        changed.set()

    async def close(_code: int) -> None:
        end()

    watcher = Watcher(table_id, player.pk, hub.opener_of_token(token.pk), wake, close)
    hub.join(watcher)
    presence.start()
    try:
        with ending_with_process(end):
            await presence.arrive(table_id, player.pk)
            while not ended.is_set():
                changed.clear()
                yield await play.seen(table_id, player.pk)
                while not await set_within(changed, HEARTBEAT):
                    if not await loop.in_database(tokens.alive, token.pk, timezone.now()):
                        return
                    yield None
    finally:
        hub.leave(watcher)
        if player.pk not in hub.connected(table_id):
            await presence.depart(table_id, player.pk)


def end_all() -> None:
    """End all streams when the process stops; call it on the event loop."""
    for end in list(_ends):
        end()


@contextmanager
def ending_with_process(end: Callable[[], None]) -> Iterator[None]:
    """Register a stream's `end` with `end_all` for as long as it is read."""
    _ends.add(end)
    try:
        yield
    finally:
        _ends.discard(end)


async def set_within(event: asyncio.Event, seconds: float) -> bool:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return False
    return True
