"""Re-checks that an open socket's session is still valid.

Logout, a new password, and closing or deleting an account close sockets at once by a message.
Messages may be lost, and changes made directly in the database send none. So a session is also
checked before each action or answer (for an action by the statement that stores it, else by
`lives`), and all sessions every few seconds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import Any, Final

import structlog
from django.contrib.sessions.models import Session
from django.db import DatabaseError, connection
from django.utils import timezone

from games.models import User
from games.sockets import loop
from games.sockets.batching import Batcher
from games.sockets.hub import ANOTHER_SESSION
from games.sockets.watching import SocketSession, Watched

log = structlog.get_logger(__name__)

#: Seconds between checks of all sockets' sessions.
EVERY: Final = 15.0
#: Seconds between batches of checks requested by sockets.
ASK_EVERY: Final = 0.02
#: Most sessions checked by one query.
CHUNK: Final = 400

#: SQL condition for a valid session, with the parameters `values`.
LIVES: Final = f"""(CAST(%s AS text) IS NULL OR EXISTS
    (SELECT 1 FROM {Session._meta.db_table} WHERE session_key = %s AND expire_date > %s))
    AND (CAST(%s AS bigint) IS NULL OR EXISTS
    (SELECT 1 FROM {User._meta.db_table} WHERE is_active AND id = %s AND password = %s))"""  # noqa: S608
_SESSIONS: Final = f"""SELECT session_key, 0, '' FROM {Session._meta.db_table}
    WHERE expire_date > %s AND session_key IN"""  # noqa: S608
_USERS: Final = f"""SELECT '', id, password FROM {User._meta.db_table}
    WHERE is_active AND id IN"""  # noqa: S608


class SessionEndedError(Exception):
    pass


class _Rounds:
    task: asyncio.Task[None] | None = None


def opened_by(key: str | None, user: User | None) -> SocketSession | None:
    """Return the current state of a session; None without a session key."""
    if key is None:
        return None
    return SocketSession(key, user.pk, user.password) if user else SocketSession(key, None, "")


def values(session: SocketSession | None, now: Any) -> tuple[Any, ...]:
    """Return the parameters of `LIVES`; `now` is as the database stores it."""
    if session is None:
        return (None, None, now, None, None, None)
    key, user_id, password = session
    return (key, key, now, user_id, user_id, password)


async def lives(session: SocketSession) -> bool:
    """Return True if a session is still valid; raise DatabaseError if that is unknown."""
    return await _asking.ask(session)


async def check(session: SocketSession) -> None:
    if not await lives(session):
        raise SessionEndedError


def keep_looking() -> None:
    task, running = _Rounds.task, asyncio.get_running_loop()
    if task is None or task.done() or task.get_loop() is not running:
        _Rounds.task = running.create_task(_go_round())


async def end_dead() -> None:
    watching = [
        watcher
        for watched in Watched.every
        for place in watched.places()
        for watcher in watched.watchers(place)
        if watcher.session is not None
    ]
    for start in range(0, len(watching), CHUNK):
        chunk = {one: one.session for one in watching[start : start + CHUNK] if one.session}
        alive = await loop.in_database(_alive, {*chunk.values()})
        for watcher, session in chunk.items():
            if session not in alive:
                await watcher.close(ANOTHER_SESSION)


async def _go_round() -> None:
    while not loop.is_cancelled():
        await asyncio.sleep(EVERY)
        try:
            await end_dead()
        except DatabaseError as error:
            log.warning("sessions not checked", reason=type(error).__name__)


def _alive(asked: Collection[SocketSession]) -> set[SocketSession]:
    """Return the sessions that exist and whose account still has the same password."""
    keys = sorted({one.key for one in asked})
    users = sorted({one.user_id for one in asked if one.user_id is not None})
    now: Any = connection.ops.adapt_datetimefield_value(timezone.now())
    query, values = f"{_SESSIONS} ({_marks(keys)})", [now, *keys]
    if users:
        query, values = f"{query} UNION ALL {_USERS} ({_marks(users)})", [*values, *users]
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        rows = cursor.fetchall()
    open_keys = {key for key, user, _ in rows if not user}
    passwords = {user: password for _, user, password in rows if user}
    return {
        one
        for one in asked
        if one.key in open_keys
        and (one.user_id is None or passwords.get(one.user_id) == one.password)
    }


_asking: Final = Batcher[SocketSession, bool](
    lambda asked: dict.fromkeys(asked, False) | dict.fromkeys(_alive(asked), True),
    loop.in_database_short,
    pause=ASK_EVERY,
)


def _marks(values: Collection[object]) -> str:
    return ", ".join(["%s"] * len(values))
