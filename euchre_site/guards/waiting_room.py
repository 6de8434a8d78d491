"""How many pages are answered at once: whoever comes when all hands are busy waits for a turn.

A page is answered in a thread of its own, which keeps a connection to the database. Sixty people
who open one page at the same moment would be sixty threads that hold each other up and want
sixty connections; answered a few at a time they are all served just as soon, and what goes on at
the tables meanwhile is not kept waiting by them.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

from asgiref.sync import iscoroutinefunction, markcoroutinefunction, sync_to_async
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from euchre_site.guards import unavailable
from games.sockets import loop, metrics

#: Seconds to wait while not one page is finished; while the line moves, seconds to wait in all.
STANDSTILL: Final = 2.0
LONGEST: Final = 15.0
#: How many may wait for each that is answered.
LINE: Final = 50


class BusyError(Exception):
    """The turn of a request does not come in time."""


class Turns:
    """Turns of which so many may be taken at once, first come, first served.

    Use it on one event loop.

    most: how many.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._free = most
        self._line: deque[asyncio.Future[None]] = deque()
        self._moved = time.monotonic()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a turn, and have it while in the block; raise BusyError if it does not come."""
        await self._take()
        taken = metrics.page_turns.labels("taken")
        taken.inc()
        try:
            yield
        finally:
            taken.dec()
            self._give()

    async def _take(self) -> None:
        if self._free:
            self._free -= 1
            return
        if len(self._line) >= LINE * self._most:
            raise BusyError
        mine = asyncio.get_running_loop().create_future()
        self._line.append(mine)
        waiting = metrics.page_turns.labels("waiting")
        waiting.inc()
        came = time.monotonic()
        try:
            while (rest := self._patience(came)) > 0:
                await asyncio.wait({mine}, timeout=rest)
                if mine.done():
                    return
        except asyncio.CancelledError:
            if mine.done():
                self._give()
            raise
        finally:
            mine.cancel()
            waiting.dec()
            metrics.turn_wait_seconds.observe(time.monotonic() - came)
        raise BusyError

    def _patience(self, came: float) -> float:
        """Seconds for which somebody who came then waits, if nothing moves meanwhile."""
        return min(max(came, self._moved) + STANDSTILL, came + LONGEST) - time.monotonic()

    def _give(self) -> None:
        """Let the next in the line have the turn that has ended."""
        self._moved = time.monotonic()
        while self._line:
            following = self._line.popleft()
            if not following.done():  # has not gone away
                following.set_result(None)
                return
        self._free += 1


class WaitingRoom:
    """Middleware by which requests wait for their turn; what their turn does not reach is told so.

    An answer is sent, and a stream goes on, after the turn has ended and the connection to the
    database is given back: whoever reads slowly takes nothing from others.
    """

    async_capable = sync_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Awaitable[HttpResponseBase]]) -> None:
        self.get_response = get_response
        self.turns = Turns(settings.PAGES_AT_ONCE)
        self._is_async = iscoroutinefunction(get_response)
        if self._is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        """Answer in turn; without an event loop there is nobody to wait for."""
        return self._in_turn(request) if self._is_async else self.get_response(request)

    async def _in_turn(self, request: HttpRequest) -> HttpResponseBase:
        try:
            async with self.turns.turn():
                try:
                    return await self.get_response(request)
                finally:
                    await sync_to_async(loop.give_connection_back)()
        except BusyError:
            return unavailable.busy(request)
