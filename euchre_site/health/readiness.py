"""Readiness of the site and of this process, and the state of each part in one word.

The result of a check is reused for a second, and requests that arrive during a check wait for it:
however often readiness is asked for, the database is written to at most once a second.
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

from euchre_site import shutdown
from euchre_site.health.remote_checks import connect_redis
from games.live import thinking
from games.sockets import heartbeats, loop

#: Seconds for which a result is reused.
MAX_AGE: Final = 1.0
#: Seconds to wait for a check.
TIMEOUT: Final = 3.0
#: Timeout for Redis, in seconds.
REDIS_TIMEOUT: Final = 1.0
#: Start of this process on the monotonic clock.
STARTED: Final = time.monotonic()
#: The heartbeat written to test that the database accepts writes.
ROW: Final = "readiness"

FINE: Final = "fine"
AWAY: Final = "away"
UNKNOWN: Final = "unknown"
NOT_USED: Final = "not used"
FAILING: Final = "failing"

#: The state of each part in one word, which is safe to publish.
Parts = Mapping[str, str]


class State(StrEnum):
    READY = "ready"
    DEGRADED = "degraded"
    NOT_READY = "not ready"


class Readiness(NamedTuple):
    state: State
    parts: Parts

    @property
    def status(self) -> int:
        return 503 if self.state == State.NOT_READY else 200


#: Parts without which this process is of no use.
NEEDED: Final = ("process", "database", "migrations")
#: Parts without which events stop.
NEEDED_BY_EVENTS: Final = ("schedule", "ticks")


async def of_site() -> Readiness:
    """Return the readiness of the whole site.

    Schedule and workers are not required without Redis: they cannot work, but tables are played.
    """
    parts = await _parts()
    return _evaluate(parts, NEEDED if parts["redis"] == AWAY else (*NEEDED, *NEEDED_BY_EVENTS))


async def of_process() -> Readiness:
    """Return the readiness of this web process, for a proxy.

    Without schedule and workers, for which a proxy should not drop every web process.
    """
    return _evaluate(await _parts(), NEEDED)


def _evaluate(parts: Parts, needed: tuple[str, ...]) -> Readiness:
    wrong = {name for name, word in parts.items() if word not in (FINE, NOT_USED)}
    if wrong & {*needed}:
        return Readiness(State.NOT_READY, parts)
    return Readiness(State.DEGRADED if wrong else State.READY, parts)


# Checking -----------------------------------------------------------------------------------


class _Last:
    parts: Parts | None = None
    at = 0.0
    running: asyncio.Task[None] | None = None
    since = 0.0


async def _parts() -> Parts:
    if shutdown.has_begun():
        return {"process": "ending"} | dict.fromkeys(("database", "redis"), UNKNOWN)
    await _refresh()
    parts = _Last.parts if time.monotonic() - _Last.at < MAX_AGE + TIMEOUT else None
    if parts is None:
        parts = {**_without_database(), "redis": UNKNOWN if settings.REDIS_URL else NOT_USED}
    return {"process": FINE, "house": _house(), **parts}


async def _refresh() -> None:
    """Run a check unless the last one is recent or one is running, which is waited for."""
    now = time.monotonic()
    running = _Last.running
    here = asyncio.get_running_loop()
    if running is None or running.done() or running.get_loop() is not here:
        if now - _Last.at < MAX_AGE:
            return
        _Last.since = now
        running = _Last.running = asyncio.create_task(_check())
    await asyncio.wait([running], timeout=max(0.0, _Last.since + TIMEOUT - now))


async def _check() -> None:
    database, redis = await asyncio.gather(
        loop.in_database(_check_database), asyncio.to_thread(_check_redis)
    )
    _Last.parts = {**database, "redis": redis}
    _Last.at = time.monotonic()


def _check_database() -> dict[str, str]:
    """Read and write: a database that can only be read is not enough to play."""
    now = timezone.now()
    try:
        migrated = _is_migrated()
        # Heartbeats from before this process started say nothing about the services now.
        age = timedelta(seconds=time.monotonic() - STARTED)
        health = heartbeats.health(now, age)
    except Error:
        return _without_database()
    try:
        heartbeats.beat(ROW, now)
    except Error:
        written = "not writable"
    else:
        written = FINE
    parts = {"database": written, "migrations": FINE if migrated else "missing"}
    return parts | {name: str(word) for name, word in health.items()}


def _house() -> str:
    """Return whether strong house players have processes that think for them."""
    if not settings.HOUSE_PROCESSES:
        return NOT_USED
    return FAILING if thinking.pool.why_failing else FINE


def _without_database() -> dict[str, str]:
    unknown = dict.fromkeys(("migrations", *heartbeats.PARTS), UNKNOWN)
    return {"database": AWAY, **unknown}


def _is_migrated() -> bool:
    """Return whether all of this version's migrations are applied.

    Newer ones do no harm: during an update this process runs until it is replaced. One query,
    as it runs every second.
    """
    applied = MigrationRecorder(connection).migration_qs.values_list("app", "name")
    return _latest() <= {*applied}


@cache
def _latest() -> frozenset[tuple[str, str]]:
    return frozenset(MigrationLoader(None).graph.leaf_nodes())


def _check_redis() -> str:
    if not settings.REDIS_URL:
        return NOT_USED
    try:
        with connect_redis(REDIS_TIMEOUT) as server:
            server.ping()
    except (RedisError, OSError):
        return AWAY
    return FINE


def forget() -> None:
    _Last.parts, _Last.at, _Last.running = None, 0.0, None
