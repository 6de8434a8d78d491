"""Bridge between threads (Celery tasks, plain views) and the event loop with the sockets.

Database queries of the loop run on threads and connections of their own, so that requests cannot
delay a table. Code that holds a table's row lock must not wait for anything that may need it.
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

#: Threads for database queries of live tables, each with a connection while it is busy.
THREADS = 3


class _Thread(threading.local):
    is_for_play: bool = False


_thread = _Thread()


def _mark_for_play() -> None:
    _thread.is_for_play = True


_play_threads = ThreadPoolExecutor(THREADS, thread_name_prefix="play", initializer=_mark_for_play)
#: A separate thread for the short queries every action needs, so that they do not queue behind
#: sockets being opened.
_short_query_thread = ThreadPoolExecutor(1, thread_name_prefix="short", initializer=_mark_for_play)


class _Loops:
    """The event loop of this process's web server, or a fallback loop without one."""

    web: asyncio.AbstractEventLoop | None = None
    fallback: asyncio.AbstractEventLoop | None = None
    guard = threading.Lock()


def set_web_loop(loop: asyncio.AbstractEventLoop | None) -> None:
    _Loops.web = loop


def stop_fallback_loop() -> None:
    """Stop the fallback loop and cancel its tasks; call from a thread once the web loop is set.

    Otherwise tasks that a command started before serving would run on beside the web server.
    """
    with _Loops.guard:
        fallback, _Loops.fallback = _Loops.fallback, None
    if fallback is not None:
        asyncio.run_coroutine_threadsafe(_cancel_others(), fallback).result()
        fallback.call_soon_threadsafe(fallback.stop)


async def _cancel_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def has_web_loop() -> bool:
    return _Loops.web is not None and _Loops.web.is_running()


def run(coro: Coroutine[Any, Any, Result], timeout: float) -> Result:
    """Run `coro` from a thread without a running loop and return its result.

    Runs on the web server's loop if there is one, with access to its sockets; otherwise (as in a
    worker) on the fallback loop. After `timeout` seconds raises TimeoutError and cancels `coro`.
    """
    limited = asyncio.wait_for(coro, timeout)
    return _submit(limited).result(timeout + 1)


def spawn(coro: Coroutine[Any, Any, None]) -> None:
    """Start `coro` on the same loop as `run` without waiting; a failure is logged."""
    _submit(_log_failure(coro))


def on_play_thread() -> bool:
    return _thread.is_for_play


async def in_database(call: Callable[..., Result], *args: Any) -> Result:
    """Run a database call from the loop, on one of the threads for live play.

    Replaces a dropped connection first and returns it to the pool at the end, as a request does. In
    a loop made by `async_to_sync` the call runs in the calling thread.
    """
    if asyncio.get_running_loop() in {_Loops.web, _Loops.fallback}:
        return await _on_play_threads(partial(on_fresh_connection, call, *args))()
    return await sync_to_async(on_fresh_connection)(call, *args)


async def in_database_short(call: Callable[..., Result], *args: Any) -> Result:
    """Run a short database call like `in_database`, on the thread reserved for those."""
    if asyncio.get_running_loop() in {_Loops.web, _Loops.fallback}:
        return await _on_short_query_thread(partial(on_fresh_connection, call, *args))()
    return await sync_to_async(on_fresh_connection)(call, *args)


def _on_play_threads(call: Callable[[], Result]) -> Callable[[], Awaitable[Result]]:
    return sync_to_async(call, thread_sensitive=False, executor=_play_threads)


def _on_short_query_thread(call: Callable[[], Result]) -> Callable[[], Awaitable[Result]]:
    return sync_to_async(call, thread_sensitive=False, executor=_short_query_thread)


def on_fresh_connection(call: Callable[..., Result], *args: Any) -> Result:
    give_connection_back()
    try:
        return call(*args)
    finally:
        give_connection_back()


def give_connection_back(*, keep: bool = False) -> None:
    """Return this thread's connection to the pool, unless a transaction is open.

    SQLite has no pool, and opening its file can take as long as a query: threads for live play, and
    callers with `keep`, keep the connection until an error.
    """
    if (keep or _thread.is_for_play) and connection.vendor == "sqlite":
        connection.close_at = 0.0 if connection.errors_occurred else None
    if not connection.in_atomic_block:  # closing would abort the transaction
        close_old_connections()


def is_cancelled() -> bool:
    """Return True if the running task has been cancelled; check it in endless loops.

    `sync_to_async` swallows a cancellation that arrives while it waits for its thread, and a
    stopping loop waits for all its tasks.
    """
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _submit(coro: Coroutine[Any, Any, Result]) -> Future[Result]:
    """Start `coro` in an empty context.

    With the thread's context asgiref would refuse it the database, to avoid a deadlock.
    """
    return Context().run(asyncio.run_coroutine_threadsafe, coro, _loop())


async def _log_failure(coro: Coroutine[Any, Any, None]) -> None:
    try:
        await coro
    except Exception:
        log.exception("background task failed")


def _loop() -> asyncio.AbstractEventLoop:
    if _Loops.web is not None and has_web_loop():
        return _Loops.web
    with _Loops.guard:
        if _Loops.fallback is None:
            _Loops.fallback = asyncio.new_event_loop()
            threading.Thread(target=_Loops.fallback.run_forever, name="loop", daemon=True).start()
        return _Loops.fallback
