"""From a thread to the loop that holds the sockets, or to one of our own."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.db import DatabaseError, connection

from games import tasks
from games.play import sweep
from games.sockets import loop

ON_PLAY_THREADS = loop._on_play_threads


@pytest.fixture
def web() -> Iterator[asyncio.AbstractEventLoop]:
    """A web server's loop, running in a thread of this process."""
    running = asyncio.new_event_loop()
    thread = threading.Thread(target=running.run_forever)
    thread.start()
    loop.set_web_loop(running)
    yield running
    loop.set_web_loop(None)
    running.call_soon_threadsafe(running.stop)
    thread.join()
    running.close()


@pytest.fixture
def own_threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Threads as the loop has them, which other tests do without."""
    threads = ThreadPoolExecutor(loop.THREADS, initializer=loop._mark_for_play)
    monkeypatch.setattr(loop, "_play_threads", threads)
    monkeypatch.setattr(loop, "_on_play_threads", ON_PLAY_THREADS)
    yield
    threads.shutdown()


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("own_threads")
async def test_the_database_is_asked_on_a_connection_that_is_given_back() -> None:
    def there_is_one() -> bool:
        return connection.connection is not None

    def ask() -> bool:
        connection.ensure_connection()
        return there_is_one()

    assert await loop.in_database(ask)
    if connection.vendor == "sqlite":
        return  # see below
    assert [await loop.in_database(there_is_one) for _ in range(loop.THREADS)] == [False] * 3


@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("own_threads")
async def test_sqlites_file_stays_open_until_it_fails() -> None:
    opened: list[int] = []

    def ask(sql: str = "SELECT 1") -> None:
        if connection.connection is None:
            opened.append(threading.get_ident())
        with connection.cursor() as cursor:
            cursor.execute(sql)

    async def ask_often() -> None:
        for _ in range(10):
            await asyncio.gather(*(loop.in_database(ask) for _ in range(loop.THREADS)))

    await ask_often()
    assert len(opened) == len(set(opened)) <= loop.THREADS, "once by each thread"
    with pytest.raises(DatabaseError):
        await loop.in_database(ask, "no such words")
    before = len(opened)
    await ask_often()
    assert len(opened) > before


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("own_threads")
async def test_the_loop_asks_on_threads_that_no_request_has() -> None:
    async with ThreadSensitiveContext():
        of_request = await sync_to_async(threading.get_ident)()
        assert not await sync_to_async(loop.on_play_thread)()
        assert await loop.in_database(threading.get_ident) != of_request
    assert await loop.in_database(loop.on_play_thread)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("own_threads")
async def test_what_a_request_has_begun_is_finished_after_it() -> None:
    async with ThreadSensitiveContext():
        await sync_to_async(threading.get_ident)()
        begun, goes_on = asyncio.Event(), asyncio.Event()

        async def later() -> bool:
            begun.set()
            await goes_on.wait()
            return await loop.in_database(loop.on_play_thread)

        task = asyncio.create_task(later())
        await begun.wait()
    goes_on.set()
    assert await task


async def current() -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()


def test_work_runs_on_the_web_servers_loop(web: asyncio.AbstractEventLoop) -> None:
    assert loop.run(current(), timeout=60) is web


def test_a_sweep_that_ends_with_the_web_server_is_no_failure(
    web: asyncio.AbstractEventLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    swept: list[str] = []

    async def until_the_server_ends() -> None:
        swept.append("begun")
        for task in asyncio.all_tasks():
            task.cancel()
        await asyncio.sleep(60)
        swept.append("ended")

    monkeypatch.setattr(sweep, "sweep", until_the_server_ends)
    tasks.sweep()
    assert swept == ["begun"]


def test_without_a_web_server_it_runs_elsewhere(web: asyncio.AbstractEventLoop) -> None:
    loop.set_web_loop(None)
    assert loop.run(current(), timeout=60) is not web


def test_what_runs_elsewhere_ends_where_a_web_server_begins(
    web: asyncio.AbstractEventLoop,
) -> None:
    ended = threading.Event()

    async def go_on() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    async def begin() -> asyncio.AbstractEventLoop:
        going.append(asyncio.create_task(go_on()))
        await asyncio.sleep(0)
        return asyncio.get_running_loop()

    going: list[asyncio.Task[None]] = []
    loop.set_web_loop(None)
    own = loop.run(begin(), timeout=60)
    loop.set_web_loop(web)
    loop.stop_fallback_loop()
    assert ended.is_set()
    loop.set_web_loop(None)
    assert loop.run(current(), timeout=60) is not own
    loop.stop_fallback_loop()
    loop.stop_fallback_loop()


def test_a_stopped_web_server_is_not_waited_for(web: asyncio.AbstractEventLoop) -> None:
    closed = asyncio.new_event_loop()
    closed.close()
    loop.set_web_loop(closed)
    assert loop.run(current(), timeout=60) not in (closed, web)


@pytest.mark.usefixtures("web")
def test_an_error_comes_back() -> None:
    async def fail() -> None:
        raise LookupError("no such table")

    with pytest.raises(LookupError, match="no such table"):
        loop.run(fail(), timeout=60)


@pytest.mark.parametrize("served", [True, False])
def test_what_takes_too_long_is_cancelled(web: asyncio.AbstractEventLoop, served: bool) -> None:
    loop.set_web_loop(web if served else None)
    cancelled = threading.Event()

    async def hang() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    with pytest.raises(TimeoutError):
        loop.run(hang(), timeout=0.01)
    assert cancelled.wait(5)
