"""The way from a thread (a Celery task, a plain view) to the event loop that holds the sockets.

And back: what the loop asks the database is asked on threads of its own, never on that of a
request. These threads have connections of their own too, so that no number of requests keeps a
table waiting; whoever holds a table's lock waits for nobody who may be waiting for the table.
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import Context
from functools import partial
from typing import Any, TypeVar

import structlog
from asgiref.sync import sync_to_async
from django.db import close_old_connections, connection

log = structlog.get_logger(__name__)
Result = TypeVar("Result")

#: Threads that ask the database for the tables in play, each with a connection while it does.
THREADS = 3


class _Thread(threading.local):
    """What this thread is for."""

    plays: bool = False


_thread = _Thread()


def _for_play() -> None:
    _thread.plays = True


_threads = ThreadPoolExecutor(THREADS, thread_name_prefix="play", initializer=_for_play)
#: A thread beside these for what every action waits for: however many sockets are just being
#: opened, who has one need not wait for that.
_short = ThreadPoolExecutor(1, thread_name_prefix="short", initializer=_for_play)


class _Loops:
    """The loop of this process's web server if one runs here, and one of our own if not."""

    web: asyncio.AbstractEventLoop | None = None
    own: asyncio.AbstractEventLoop | None = None
    guard = threading.Lock()


def set_loop(loop: asyncio.AbstractEventLoop | None) -> None:
    """Name the loop of this process's web server; None when it stops."""
    _Loops.web = loop


def end_own() -> None:
    """End the loop of our own and what runs on it; call it from a thread, once a web loop is named.

    What a command has set going before it serves would else go on beside the web server.
    """
    with _Loops.guard:
        own, _Loops.own = _Loops.own, None
    if own is not None:
        asyncio.run_coroutine_threadsafe(_cancel_others(), own).result()
        own.call_soon_threadsafe(own.stop)


async def _cancel_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


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


def in_thread_of_play() -> bool:
    """Whether this is one of the threads that ask the database for the tables in play."""
    return _thread.plays


async def in_database(call: Callable[..., Result], *args: Any) -> Result:
    """Make a call to the database from the loop, on one of its threads and outside any request.

    As before and after a request, a connection that the server has dropped is replaced first, and
    given back to the pool at the end. In a loop that a plain thread has made for one call
    (`async_to_sync`), that thread itself asks.
    """
    if asyncio.get_running_loop() in {_Loops.web, _Loops.own}:
        return await _aside(partial(on_fresh_connection, call, *args))()
    return await sync_to_async(on_fresh_connection)(call, *args)


async def in_database_shortly(call: Callable[..., Result], *args: Any) -> Result:
    """Do as `in_database`, on a thread of its own for questions that take next to no time."""
    if asyncio.get_running_loop() in {_Loops.web, _Loops.own}:
        return await _shortly(partial(on_fresh_connection, call, *args))()
    return await sync_to_async(on_fresh_connection)(call, *args)


def _aside(call: Callable[[], Result]) -> Callable[[], Awaitable[Result]]:
    """Return `call` to be awaited, made on a thread of play."""
    return sync_to_async(call, thread_sensitive=False, executor=_threads)


def _shortly(call: Callable[[], Result]) -> Callable[[], Awaitable[Result]]:
    """Return `call` to be awaited, made on the thread beside those of play."""
    return sync_to_async(call, thread_sensitive=False, executor=_short)


def on_fresh_connection(call: Callable[..., Result], *args: Any) -> Result:
    """Make a call to the database in this thread, as a request would."""
    give_connection_back()
    try:
        return call(*args)
    finally:
        give_connection_back()


def give_connection_back(*, keep: bool = False) -> None:
    """Give this thread's connection back to the pool, unless a transaction is going on.

    SQLite has no pool, and to open its file takes as long as some questions: the few threads of
    play keep theirs until an error, and so do other threads that call this with `keep`.
    """
    if (keep or _thread.plays) and connection.vendor == "sqlite":
        connection.close_at = 0.0 if connection.errors_occurred else None
    if not connection.in_atomic_block:  # which would end with its connection
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
