"""Whether a session still lets in whom it let in when it opened a socket.

A logout, a new password, an account that is closed or deleted ends its sockets by news, at once.
News may get lost, and nobody tells of what is changed in the database by hand. So a session is
looked at again before anything is done or shown at its socket's request, and those of all sockets
every few seconds: for an action by the statement that stores it, else by `lives`. Whoever asks that
while a look is under way waits for the next one, which is one query for all of them: what it finds
was so after it was asked for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import Any, Final

import structlog
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.models import Session
from django.db import DatabaseError, connection
from django.utils import timezone

from games.models import User
from games.sockets import loop
from games.sockets.hub import ANOTHER_SESSION
from games.sockets.watching import SocketSession, Watched, Watcher

log = structlog.get_logger(__name__)

#: Seconds between two looks at the sessions of all sockets.
EVERY: Final = 15.0
#: The most sessions that one query asks about.
CHUNK: Final = 400

#: In SQL, whether a session lives; it takes `values`.
LIVES: Final = f"""(CAST(%s AS text) IS NULL OR EXISTS
    (SELECT 1 FROM {Session._meta.db_table} WHERE session_key = %s AND expire_date > %s))
    AND (CAST(%s AS bigint) IS NULL OR EXISTS
    (SELECT 1 FROM {User._meta.db_table} WHERE is_active AND id = %s AND password = %s))"""  # noqa: S608
_SESSIONS: Final = f"""SELECT session_key, 0, '' FROM {Session._meta.db_table}
    WHERE expire_date > %s AND session_key IN"""  # noqa: S608
_USERS: Final = f"""SELECT '', id, password FROM {User._meta.db_table}
    WHERE is_active AND id IN"""  # noqa: S608


class SessionEndedError(Exception):
    """The session that opened a socket lets nobody in any more."""


class _Looking:
    """What is asked for on the event loop of this process."""

    loop: asyncio.AbstractEventLoop | None = None
    waiting: dict[SocketSession, asyncio.Future[bool]]
    look: asyncio.Task[None] | None = None
    rounds: asyncio.Task[None] | None = None


_Looking.waiting = {}


def opened_by(session: SessionBase, user: object) -> SocketSession | None:
    """Return what a session is now; None where there is none.

    user: the session's, anonymous for a guest or a visitor.
    """
    if session.session_key is None:
        return None
    if isinstance(user, User):
        return SocketSession(session.session_key, user.pk, user.password)
    return SocketSession(session.session_key, None, "")


def values(session: SocketSession | None, now: Any) -> tuple[Any, ...]:
    """Return what `LIVES` takes.

    now: as the database stores it.
    """
    if session is None:
        return (None, None, now, None, None, None)
    key, user_id, password = session
    return (key, key, now, user_id, user_id, password)


async def lives(session: SocketSession) -> bool:
    """Whether a session still lets in whom it let in; raise DatabaseError if nobody can tell."""
    _on_this_loop()
    answer = _Looking.waiting.get(session)
    if answer is None:
        answer = _Looking.waiting[session] = asyncio.get_running_loop().create_future()
        if _Looking.look is None or _Looking.look.done():
            _Looking.look = asyncio.create_task(_look())
    return await asyncio.shield(answer)


async def check(session: SocketSession) -> None:
    """Raise SessionEndedError unless `lives`."""
    if not await lives(session):
        raise SessionEndedError


def keep_looking() -> None:
    """Look at the sessions of all sockets now and then, on the running loop."""
    _on_this_loop()
    if _Looking.rounds is None or _Looking.rounds.done():
        _Looking.rounds = asyncio.create_task(_go_round())


async def end_dead() -> None:
    """End every socket of this process whose session has ended without its being told."""
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
        await _end([one for one, session in chunk.items() if session not in alive])


async def _end(watchers: Collection[Watcher]) -> None:
    for watcher in watchers:
        await watcher.close(ANOTHER_SESSION)


def _on_this_loop() -> None:
    """Forget what another loop waited for, which has ended with it."""
    running = asyncio.get_running_loop()
    if _Looking.loop is not running:
        _Looking.loop, _Looking.waiting = running, {}
        _Looking.look = _Looking.rounds = None


async def _look() -> None:
    while _Looking.waiting:
        asked, _Looking.waiting = _Looking.waiting, {}
        try:
            alive = await loop.in_database_shortly(_alive, asked.keys())
        except Exception as error:  # noqa: BLE001 - whoever waits for it is told
            for answer in asked.values():
                answer.set_exception(error)
                answer.exception()  # nobody may be waiting any more, which is no fault
        else:
            for session, answer in asked.items():
                answer.set_result(session in alive)


async def _go_round() -> None:
    while not loop.told_to_end():
        await asyncio.sleep(EVERY)
        try:
            await end_dead()
        except DatabaseError as error:
            log.warning("sessions not looked at", reason=type(error).__name__)


def _alive(asked: Collection[SocketSession]) -> set[SocketSession]:
    """Those of some sessions that live, with the accounts and passwords that they had."""
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


def _marks(values: Collection[object]) -> str:
    return ", ".join(["%s"] * len(values))
