"""The way from a thread (a Celery task, a plain view) to the event loop that holds the sockets."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextvars import Context
from typing import Any, TypeVar

import structlog
from asgiref.sync import sync_to_async
from django.db import close_old_connections, connection

log = structlog.get_logger(__name__)
Result = TypeVar("Result")


class _Loops:
    """The loop of this process's web server if one runs here, and one of our own if not."""

    web: asyncio.AbstractEventLoop | None = None
    own: asyncio.AbstractEventLoop | None = None
    guard = threading.Lock()


def set_loop(loop: asyncio.AbstractEventLoop | None) -> None:
    """Name the loop of this process's web server; None when it stops."""
    _Loops.web = loop


def has_web_loop() -> bool:
    """Whether a web server runs in this process."""
    return _Loops.web is not None and _Loops.web.is_running()


def run(coro: Coroutine[Any, Any, Result], timeout: float) -> Result:
    """Run `coro` to its end and return its result; call it from a thread without a running loop.

    Where a web server runs in this process, `coro` runs on its loop and so reaches its sockets;
    elsewhere (a worker of its own) it runs on a loop kept for such work.

    timeout: seconds. Raises TimeoutError after it, having cancelled `coro`.
    """
    limited = asyncio.wait_for(coro, timeout)
    return _start(limited).result(timeout + 1)


def spawn(coro: Coroutine[Any, Any, None]) -> None:
    """Start `coro` on the same loop and do not wait for it; a failure is logged."""
    _start(_logged(coro))


async def in_database(call: Callable[..., Result], *args: Any) -> Result:
    """Make a call to the database from the loop, outside any request.

    As before and after a request, a connection that the server has dropped is replaced first, and
    given back to the pool at the end.
    """
    return await sync_to_async(_on_fresh_connection)(call, *args)


def _on_fresh_connection(call: Callable[..., Result], *args: Any) -> Result:
    if connection.in_atomic_block:  # which would end with its connection
        return call(*args)
    close_old_connections()
    try:
        return call(*args)
    finally:
        close_old_connections()


def told_to_end() -> bool:
    """Whether the running task has been cancelled; ask it in a task that goes round for ever.

    A cancellation that arrives while `sync_to_async` waits for its thread is swallowed there, and
    a loop that is to end waits for all its tasks.
    """
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _start(coro: Coroutine[Any, Any, Result]) -> Future[Result]:
    """Start `coro` free of the thread's context: asgiref would take it for the thread's own call
    and refuse it the database, for fear of a deadlock."""
    return Context().run(asyncio.run_coroutine_threadsafe, coro, _loop())


async def _logged(coro: Coroutine[Any, Any, None]) -> None:
    try:
        await coro
    except Exception:
        log.exception("work in the background failed")


def _loop() -> asyncio.AbstractEventLoop:
    if _Loops.web is not None and has_web_loop():
        return _Loops.web
    with _Loops.guard:
        if _Loops.own is None:
            _Loops.own = asyncio.new_event_loop()
            threading.Thread(target=_Loops.own.run_forever, name="loop", daemon=True).start()
        return _Loops.own
