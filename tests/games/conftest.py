"""Every test of the games starts with empty tables, no sockets and no writer thread.

News from a view or a verb is heard at once: on the test's own loop where it has one, else before
the verb returns. What the loop asks the database is asked on the thread of the test, or of the
request for which it asks: one after the other, on one connection.
"""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.db import connection

from games.live import journal, state
from games.play import play
from games.sockets import hub, loop


@pytest.fixture(autouse=True)
def _nothing_kept(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    by_thread = loop.spawn

    def spawn(coro: Coroutine[Any, Any, None]) -> None:
        if loop.has_web_loop():
            by_thread(coro)
        else:
            async_to_sync(_wait)(coro)

    monkeypatch.setattr(loop, "spawn", spawn)
    monkeypatch.setattr(loop, "_on_play_threads", sync_to_async)
    monkeypatch.setattr(loop, "_on_short_query_thread", sync_to_async)
    database = request.node.get_closest_marker("django_db")
    if connection.vendor == "sqlite" and database and not database.kwargs.get("transaction"):
        # The test's own transaction keeps the writer thread out until its end: it need not wait.
        monkeypatch.setitem(connection.settings_dict["OPTIONS"], "timeout", 0.0)
    state.forget_all()  # what tests elsewhere have looked at
    yield
    state.forget_all()
    hub.forget_all()
    journal.close()


async def _wait(coro: Coroutine[Any, Any, None]) -> None:
    await coro


@pytest.fixture(autouse=True)
async def _web_loop() -> AsyncIterator[None]:
    loop.set_web_loop(asyncio.get_running_loop())
    yield
    state.forget_all()  # with their timers; what has rung ends before the loop does
    await asyncio.gather(*play._ringing, return_exceptions=True)
    loop.set_web_loop(None)
    await journal.aclose()
