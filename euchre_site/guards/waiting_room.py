"""Limits concurrent page requests and queues the rest.

Each page is answered in a thread with a database connection. If sixty people open a page at the
same moment, sixty threads would contend for the processor and need sixty connections. A few at a
time, everybody is served just as soon, and tables in play are not held up.
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

#: Seconds to wait while the queue is stalled, and in total.
STALL_TIMEOUT: Final = 2.0
MAX_WAIT: Final = 15.0
#: Length of the queue for each page answered at once.
QUEUE: Final = 50


class BusyError(Exception):
    """A request has waited too long for its turn."""


class FairLimiter:
    """A fair semaphore with timeouts, for one event loop. most: number of turns at once."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._free = most
        self._queue: deque[asyncio.Future[None]] = deque()
        self._moved = time.monotonic()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a turn and hold it within the block; raise BusyError on timeout."""
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
        if len(self._queue) >= QUEUE * self._most:
            raise BusyError
        mine = asyncio.get_running_loop().create_future()
        self._queue.append(mine)
        waiting = metrics.page_turns.labels("waiting")
        waiting.inc()
        came = time.monotonic()
        try:
            while (rest := self._time_left(came)) > 0:
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

    def _time_left(self, came: float) -> float:
        return min(max(came, self._moved) + STALL_TIMEOUT, came + MAX_WAIT) - time.monotonic()

    def _give(self) -> None:
        self._moved = time.monotonic()
        while self._queue:
            following = self._queue.popleft()
            if not following.done():  # still waiting
                following.set_result(None)
                return
        self._free += 1


class WaitingRoom:
    """Middleware in which requests wait for their turn, and get a 503 if it takes too long.

    The turn ends and the database connection is returned before the response is sent, so that slow
    readers and streams do not hold up others.
    """

    async_capable = sync_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Awaitable[HttpResponseBase]]) -> None:
        self.get_response = get_response
        self.turns = FairLimiter(settings.PAGES_AT_ONCE)
        self._is_async = iscoroutinefunction(get_response)
        if self._is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        """Wait for a turn; without an event loop, as in tests, answer immediately."""
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
