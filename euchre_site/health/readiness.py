"""Whether the site can be used, and what of it is not at work.

Whoever asks is told of the last look if it is not older than a second, and all who ask meanwhile
wait for one look: however often it is asked for, the database is written to once a second.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum
from functools import cache
from typing import Final, NamedTuple

from django.conf import settings
from django.db import Error, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone
from redis import RedisError
from redis import asyncio as redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from euchre_site import shutdown
from games.sockets import heartbeats, loop

#: Seconds for which what was seen is told again, and for which a look is waited for.
KEPT: Final = 1.0
PATIENCE: Final = 3.0
#: Seconds for which Redis is waited for.
REDIS_PATIENCE: Final = 1.0
#: When this process started, by the clock that nobody sets.
_STARTED: Final = time.monotonic()
#: The row that is written to see whether one can.
ROW: Final = "readiness"

FINE: Final = "fine"
AWAY: Final = "away"
UNKNOWN: Final = "unknown"

#: How each part of the site is, in one word.
Parts = Mapping[str, str]


class State(StrEnum):
    """What may be asked of the site."""

    READY = "ready"
    DEGRADED = "degraded"
    NOT_READY = "not ready"


class Readiness(NamedTuple):
    """How the site is.

    Attributes:
        state: in one word.
        parts: of each part, which never tells more than a word.
    """

    state: State
    parts: Parts

    @property
    def status(self) -> int:
        """The HTTP status that says so."""
        return 503 if self.state == State.NOT_READY else 200


#: Parts without which this process can do nothing, and those without which events stand still.
NEEDED: Final = ("process", "database", "migrations")
MOVING: Final = ("schedule", "ticks")


async def of_site() -> Readiness:
    """How the whole site is: its workers and its schedule, too.

    These wait for Redis where it is away, and tables are played on without them meanwhile.
    """
    parts = await _parts()
    needed = NEEDED if parts["redis"] == AWAY else (*NEEDED, *MOVING)
    return _judged(parts, needed)


async def of_process() -> Readiness:
    """How this web process is: what a proxy asks, which should not leave out all of them at once
    because a worker has ended."""
    return _judged(await _parts(), NEEDED)


def _judged(parts: Parts, needed: tuple[str, ...]) -> Readiness:
    wrong = {name for name, word in parts.items() if word not in (FINE, "not used")}
    if wrong & {*needed}:
        return Readiness(State.NOT_READY, parts)
    return Readiness(State.DEGRADED if wrong else State.READY, parts)


# Looking ------------------------------------------------------------------------------------


class _Last:
    """The last look, and one that is going on."""

    parts: Parts | None = None
    at = 0.0
    looking: asyncio.Task[None] | None = None
    since = 0.0


async def _parts() -> Parts:
    if shutdown.begun():
        return {"process": "ending"} | dict.fromkeys(("database", "redis"), UNKNOWN)
    await _seen_lately()
    seen = _Last.parts if time.monotonic() - _Last.at < KEPT + PATIENCE else None
    return {"process": FINE, **(seen or _nothing(AWAY)), "redis": _redis_of(seen)}


def _redis_of(seen: Parts | None) -> str:
    if seen is not None:
        return seen["redis"]
    return UNKNOWN if settings.REDIS_URL else "not used"


async def _seen_lately() -> None:
    """Look, unless somebody has just done so; whoever asks meanwhile waits for the same look."""
    now = time.monotonic()
    looking = _Last.looking
    here = asyncio.get_running_loop()
    if looking is None or looking.done() or looking.get_loop() is not here:
        if now - _Last.at < KEPT:
            return
        _Last.since = now
        looking = _Last.looking = asyncio.create_task(_look())
    await asyncio.wait([looking], timeout=max(0.0, _Last.since + PATIENCE - now))


async def _look() -> None:
    database, redis_word = await asyncio.gather(loop.in_database(_ask_database), _ask_redis())
    _Last.parts = {**database, "redis": redis_word}
    _Last.at = time.monotonic()


def _ask_database() -> dict[str, str]:
    """Read and write; a database that only answers is not enough to play."""
    now = timezone.now()
    try:
        migrated = _migrated()
        health = heartbeats.health(now, _age())
    except Error:
        return _nothing(AWAY)
    try:
        heartbeats.beat(ROW, now)
    except Error:
        written = "not writable"
    else:
        written = FINE
    parts = {"database": written, "migrations": FINE if migrated else "missing"}
    return parts | {name: str(word) for name, word in health.items()}


def _age() -> timedelta:
    """How long this process has run; signs of life of before say nothing of now.

    By a clock that nobody sets.
    """
    return timedelta(seconds=time.monotonic() - _STARTED)


def _nothing(database: str) -> dict[str, str]:
    """What is said where the database does not answer."""
    unknown = dict.fromkeys(("migrations", *heartbeats.PARTS), UNKNOWN)
    return {"database": database, **unknown}


def _migrated() -> bool:
    """Whether the database has all changes that this code needs; it may have later ones."""
    applied = MigrationRecorder(connection).migration_qs.values_list("app", "name")
    return _latest() <= {*applied}


@cache
def _latest() -> frozenset[tuple[str, str]]:
    """The last migration of each app, with which all before it have been applied."""
    return frozenset(MigrationLoader(None).graph.leaf_nodes())


async def _ask_redis() -> str:
    if not settings.REDIS_URL:
        return "not used"
    client = redis.Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=REDIS_PATIENCE,
        socket_connect_timeout=REDIS_PATIENCE,
        retry=Retry(NoBackoff(), 0),
    )
    try:
        await client.ping()
    except (RedisError, OSError):
        return AWAY
    else:
        return FINE
    finally:
        await client.aclose()


def forget() -> None:
    """Trust no look of before."""
    _Last.parts, _Last.at, _Last.looking = None, 0.0, None
