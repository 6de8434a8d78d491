"""Does something as often as it is asked for, but not more often than a pace allows."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from games.sockets import loop

log = structlog.get_logger(__name__)


class Paced:
    """Something done on the event loop whenever it is asked for.

    It is done at once if it was not done for a while. What is asked for meanwhile is done once
    for all when the rest is over, so that the last time it is asked for is never lost.

    Args:
        do: what is done; a failure is logged.
        pace: seconds to wait between two times.
    """

    def __init__(self, do: Callable[[], Awaitable[None]], pace: float) -> None:
        self._do = do
        self._pace = pace
        self._asked = False
        self._task: asyncio.Task[None] | None = None

    def ask(self) -> None:
        """Let it be done."""
        self._asked = True
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._go_on())

    def end(self) -> None:
        """Do it no more."""
        self._asked = False
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _go_on(self) -> None:
        while self._asked and not loop.told_to_end():
            self._asked = False
            try:
                await self._do()
            except Exception:
                log.exception("not done at its pace")
            await rest(self._pace)


async def rest(seconds: float) -> None:
    """Wait between two times."""
    await asyncio.sleep(seconds)
