"""Append-only event log of games: stores an event and advances the game's version.

An append is a compare-and-swap: it succeeds only if the game is still at the version the event was
decided on. When `append` returns, the event is durable.

On SQLite one thread writes all queued events in one transaction, so that a burst costs one flush.
On PostgreSQL an append is one statement.
"""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias
from uuid import UUID

from django.db import OperationalError, connection
from psycopg import OperationalError as PostgresError
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from games.models import Game, GameEvent, Table
from games.sockets import metrics, sessions
from games.sockets.watching import SocketSession

#: Outcomes of an append.
STORED: Final = "stored"
REPEATED: Final = "repeated"
LOST: Final = "lost"
ENDED: Final = "ended"

#: Most events in one SQLite transaction.
BATCH: Final = 500
#: PostgreSQL connections of a process for events, and seconds an event waits for one.
CONNECTIONS: Final = 4
WAIT: Final = 2.0


class GameHead(NamedTuple):
    """State of a game after an event; `due` is when the table next acts automatically, or None."""

    state: str
    turn: int
    deal_number: int
    score: tuple[int, int]
    winner: int
    due: datetime | None
    ended: datetime | None


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """An event to append.

    version: the version it was decided on; the event gets number ``version`` + 1. seat: -1 for the
    table. client_key: idempotency key from the browser, unique in a game. session: must still be
    valid; None if it has been checked already.
    """

    game_id: UUID
    version: int
    seat: int
    player_id: int | None
    by: str
    action: str
    client_key: str | None
    at: datetime
    head: GameHead
    session: SocketSession | None = None


class Appended(NamedTuple):
    """Outcome of an append; `seq` is the number of the stored event, 0 if there is none.

    status: ``STORED``; ``REPEATED``: the client key exists already; ``LOST``: another event took
    the version; or ``ENDED``: the session is no longer valid.
    """

    status: str
    seq: int


async def append(entry: JournalEntry) -> Appended:
    """Append an event; raise DatabaseError or psycopg.Error if nothing was stored."""
    if _on_postgres():
        return await _append_to_postgres(entry)
    return await _writer().append(entry)


@cache
def _on_postgres() -> bool:
    return connection.vendor == "postgresql"


def close() -> None:
    with _Writing.guard:
        if _Writing.thread is not None:
            _Writing.thread.stop()
            _Writing.thread = None


async def aclose() -> None:
    """Do as `close`, and close the running loop's pool, whose tasks must not outlive the loop."""
    close()
    pool = _pools.pop(asyncio.get_running_loop(), None)
    if pool is not None:
        await pool.close()


# The statements -----------------------------------------------------------------------------

_GAME: Final = Game._meta.db_table
_EVENT: Final = GameEvent._meta.db_table
_TABLE: Final = Table._meta.db_table
_ADVANCE: Final = f"""UPDATE {_GAME} SET version = version + 1, state = %s, moved = %s, turn = %s,
    deal_number = %s, score_0 = %s, score_1 = %s, winner = %s, due = %s, ended = %s
    WHERE id = %s AND version = %s AND state = 'playing' AND NOT EXISTS
    (SELECT 1 FROM {_EVENT} WHERE game_id = %s AND client_key = %s) AND {sessions.LIVES}"""  # noqa: S608
_COLUMNS: Final = 'game_id, seq, seat, player_id, "by", action, client_key, at'
_INSERT: Final = f"INSERT INTO {_EVENT} ({_COLUMNS}) VALUES ({', '.join(['%s'] * 8)})"  # noqa: S608
_FINISH: Final = f"""UPDATE {_TABLE} SET state = 'finished'
    WHERE state = 'playing' AND id = (SELECT table_id FROM {_GAME} WHERE id = %s)"""  # noqa: S608
_APPEND: Final = f"""WITH moved AS ({_ADVANCE} RETURNING id, table_id, state), finished AS (
    UPDATE {_TABLE} SET state = 'finished' FROM moved
    WHERE {_TABLE}.id = moved.table_id AND moved.state = 'over')
    INSERT INTO {_EVENT} ({_COLUMNS})
    SELECT id, %s::int, %s::int, %s::bigint, %s::text, %s::text, %s::text, %s::timestamptz
    FROM moved RETURNING seq"""  # noqa: S608
#: Lock order: the table's row before the game's, as everywhere else; for events that end both.
_HOLD: Final = f"""SELECT 1 FROM {_TABLE}
    WHERE id = (SELECT table_id FROM {_GAME} WHERE id = %s) FOR UPDATE"""  # noqa: S608
#: Finds why an event was not stored: its session has ended, or its key exists with this number.
_FIND: Final = f"""SELECT {sessions.LIVES},
    (SELECT seq FROM {_EVENT} WHERE game_id = %s AND client_key = %s)"""  # noqa: S608


_IN_SQLITE: Final = {
    statement: statement.replace("%s", "?") for statement in (_ADVANCE, _INSERT, _FINISH, _FIND)
}


def _advance_values(entry: JournalEntry, game_id: Any, times: Sequence[Any]) -> tuple[Any, ...]:
    at, due, ended = times
    head = entry.head
    return (
        head.state, at, head.turn, head.deal_number, *head.score, head.winner, due, ended,
        game_id, entry.version, game_id, entry.client_key, *sessions.values(entry.session, at),
    )  # fmt: skip


def _find_values(entry: JournalEntry, game_id: Any, at: Any) -> tuple[Any, ...]:
    return (*sessions.values(entry.session, at), game_id, entry.client_key)


def _not_stored(lives: object, seq: int | None) -> Appended:
    if not lives:
        return Appended(ENDED, 0)
    return Appended(REPEATED, seq) if seq is not None else Appended(LOST, 0)


def _event_values(entry: JournalEntry, at: Any) -> tuple[Any, ...]:
    return (
        entry.version + 1, entry.seat, entry.player_id, entry.by, entry.action,
        entry.client_key, at,
    )  # fmt: skip


# SQLite: one writer, many events a transaction -----------------------------------------------


#: Of `euchre_site.sqlite3`.
_sqlite: Any = connection


class _Waiting(NamedTuple):
    entry: JournalEntry
    loop: asyncio.AbstractEventLoop
    answer: asyncio.Future[Appended]


class _Writer(threading.Thread):
    def __init__(self) -> None:
        super().__init__(name="journal", daemon=True)
        self._queue: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()

    async def append(self, entry: JournalEntry) -> Appended:
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Appended] = loop.create_future()
        self._queue.put(_Waiting(entry, loop, answer))
        return await answer

    def stop(self) -> None:
        self._queue.put(None)
        self.join()

    def run(self) -> None:
        try:
            while (first := self._queue.get()) is not None:
                batch, last = self._collect(first)
                self._store(batch)
                if last:
                    break
        finally:
            connection.close()

    def _collect(self, first: _Waiting) -> tuple[list[_Waiting], bool]:
        """Return everything queued so far, and whether the thread must stop after it."""
        batch = [first]
        while len(batch) < BATCH:
            try:
                waiting = self._queue.get_nowait()
            except queue.Empty:
                break
            if waiting is None:
                return batch, True
            batch.append(waiting)
        return batch, False

    def _store(self, batch: list[_Waiting]) -> None:
        """Store a batch in one transaction; if an event fails, retry each alone.

        Errors that affect all of them (disk full, database locked) are returned at once: retries
        would keep the last table waiting for the timeouts of all others.
        """
        outcomes: Sequence[Appended | Exception]
        began = time.perf_counter()
        try:
            with _sqlite.wrap_database_errors, _sqlite.first() as own:
                metrics.lock_wait_seconds.observe(time.perf_counter() - began)
                outcomes = [_append_to_sqlite(own.execute, waiting.entry) for waiting in batch]
        except Exception as error:  # noqa: BLE001 - passed on to the callers
            if len(batch) > 1 and not isinstance(error, OperationalError):
                for waiting in batch:
                    self._store([waiting])
                return
            outcomes = [error] * len(batch)
        metrics.store_seconds.observe(time.perf_counter() - began)
        by_loop: dict[asyncio.AbstractEventLoop, list[_Answered]] = {}
        for waiting, outcome in zip(batch, outcomes, strict=True):
            by_loop.setdefault(waiting.loop, []).append((waiting.answer, outcome))
        for loop, answers in by_loop.items():
            _answer(loop, answers)


_Answered: TypeAlias = tuple["asyncio.Future[Appended]", Appended | Exception]


def _answer(loop: asyncio.AbstractEventLoop, answers: list[_Answered]) -> None:
    def wake() -> None:
        for future, outcome in answers:
            if future.done():
                continue
            if isinstance(outcome, Exception):
                future.set_exception(outcome)
            else:
                future.set_result(outcome)

    with suppress(RuntimeError):  # loop closed
        loop.call_soon_threadsafe(wake)


def _append_to_sqlite(execute: Callable[..., sqlite3.Cursor], entry: JournalEntry) -> Appended:
    """Append with the raw driver connection: Django's cursor takes twice SQLite's time."""
    game_id, at = entry.game_id.hex, _stored(entry.at)
    times = (at, _stored(entry.head.due), _stored(entry.head.ended))
    if execute(_IN_SQLITE[_ADVANCE], _advance_values(entry, game_id, times)).rowcount == 1:
        execute(_IN_SQLITE[_INSERT], (game_id, *_event_values(entry, at)))
        if entry.head.state == Game.State.OVER:
            execute(_IN_SQLITE[_FINISH], (game_id,))
        return Appended(STORED, entry.version + 1)
    return _not_stored(*execute(_IN_SQLITE[_FIND], _find_values(entry, game_id, at)).fetchone())


def _stored(time: datetime | None) -> str | None:
    """Format a datetime as Django stores it in SQLite: UTC without an offset."""
    return str(time.astimezone(UTC).replace(tzinfo=None)) if time is not None else None


class _Writing:
    guard = threading.Lock()
    thread: _Writer | None = None


def _writer() -> _Writer:
    with _Writing.guard:
        if _Writing.thread is None or not _Writing.thread.is_alive():
            _Writing.thread = _Writer()
            _Writing.thread.start()
        return _Writing.thread


# PostgreSQL: one statement on a pool of its own ----------------------------------------------


_pools: dict[asyncio.AbstractEventLoop, AsyncConnectionPool] = {}


async def _append_to_postgres(entry: JournalEntry) -> Appended:
    pool = await _pool()
    began = time.perf_counter()
    try:
        return await _append_on(pool, entry)
    except PoolTimeout:
        raise
    except PostgresError:
        # The server dropped the connection, perhaps after storing the event. Retrying is safe:
        # version and client key prevent a duplicate.
        await pool.check()
        return await _append_on(pool, entry)
    finally:
        metrics.store_seconds.observe(time.perf_counter() - began)


async def _append_on(pool: AsyncConnectionPool, entry: JournalEntry) -> Appended:
    times = (entry.at, entry.head.due, entry.head.ended)
    values = (*_advance_values(entry, entry.game_id, times), *_event_values(entry, entry.at))
    async with pool.connection() as conn:
        if entry.head.state == Game.State.OVER:
            async with conn.transaction():
                await conn.execute(_HOLD, (entry.game_id,))
                row = await (await conn.execute(_APPEND, values)).fetchone()
        else:
            row = await (await conn.execute(_APPEND, values)).fetchone()
        if row is not None:
            return Appended(STORED, row[0])
        found = await conn.execute(_FIND, _find_values(entry, entry.game_id, entry.at))
        return _not_stored(*(await found.fetchone() or ()))


def pool_stats() -> list[dict[str, int]]:
    """Return `psycopg_pool` statistics; empty on SQLite and before the first event."""
    return [pool.get_stats() for pool in list(_pools.values())]


async def _pool() -> AsyncConnectionPool:
    loop = asyncio.get_running_loop()
    if loop not in _pools:
        params = connection.get_connection_params() | {"autocommit": True}
        del params["cursor_factory"]  # Django's cursor is synchronous
        own = {"max_size": CONNECTIONS, "timeout": WAIT}
        options = connection.settings_dict["OPTIONS"]["pool"] | own
        pool = _pools[loop] = AsyncConnectionPool(kwargs=params, open=False, **options)
        await pool.open()
    return _pools[loop]
