"""The sweep: performs overdue automatic actions, also after a restart.

The time of a table's next automatic action is stored in its game's row. A timer in the process
makes it punctual; the sweep, every second, makes it certain. Both call the same function, which
does nothing if the action is no longer due. The sweep does nothing while no web process is up.

It also finds absent players at tables without sockets, which have no heartbeat.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from datetime import datetime, timedelta
from typing import Final

import structlog
from django.utils import timezone

from games.live import absence
from games.models import Game
from games.play import outages, play
from games.shuffle import shuffling
from games.sockets import loop

log = structlog.get_logger(__name__)

#: Seconds that a sweep may take before the next goes on.
LIMIT: Final = 10.0
#: Seconds by which the sweep lets a process's own timer go first.
GRACE: Final = 1.5
#: The same at solo tables, whose house players take as long as they need on a busy site.
SOLO_GRACE: Final = 90.0
#: Tables per sweep.
MAX_TABLES: Final = 200
#: One sweep in this many seconds looks for players who have not been seen.
LOOK_EVERY: Final = 5
#: Maximum number of absent players marked per sweep, before due actions are performed.
MAX_ABSENT: Final = 50


async def sweep(limit: float = LIMIT) -> None:
    """Perform all overdue table actions; safe to run twice, late or in two places.

    Stop after so many seconds: the next sweep goes on.
    """
    left: list[int] = []
    try:
        async with asyncio.timeout(limit):
            await _sweep(left)
    except TimeoutError:
        log.warning("sweep not finished; the next goes on", seconds=limit, tables=len(left))


async def _sweep(left: list[int]) -> None:
    """Sweep; `left`: at every moment, the tables that are still to be swept."""
    now = await loop.in_database(outages.present)
    if now.second % LOOK_EVERY == 0:
        for table_id in await loop.in_database(absence.mark_all_stale_as_gone, now, MAX_ABSENT):
            await _log_errors(table_id, play.catch_up(table_id))  # stores when the house takes over
    for table_id in (await loop.in_database(shuffling.overdue, now))[:MAX_TABLES]:
        await _log_errors(table_id, loop.in_database(shuffling.advance, table_id, timezone.now()))
    left += await loop.in_database(_overdue, now)
    while left:
        await _log_errors(left[0], play.act_by_itself(left[0]))
        del left[0]


async def _log_errors(table_id: int, acting: Awaitable[object]) -> None:
    """Await a table's action; a failure does not hold up the others."""
    try:
        await acting
    except Exception:
        log.exception("table not swept", table=table_id)


def _overdue(now: datetime) -> list[int]:
    late, very_late = (now - timedelta(seconds=grace) for grace in (GRACE, SOLO_GRACE))
    games = Game.objects.filter(state=Game.State.PLAYING, due__lte=late).order_by("due")
    games = games.exclude(table__solo=True, due__gt=very_late)
    return list(games.values_list("table_id", flat=True)[:MAX_TABLES])
