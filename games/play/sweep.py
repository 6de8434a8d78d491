"""The sweep: performs overdue automatic actions, also after a restart.

The time of a table's next automatic action is stored in its game's row. A timer in the process
makes it punctual; the sweep, every second, makes it certain. Both call the same function, which
does nothing if the action is no longer due. The sweep does nothing while no web process is up.

It also finds absent players at tables without sockets, which have no heartbeat.
"""

from __future__ import annotations

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

#: Seconds by which the sweep lets a process's own timer go first.
GRACE: Final = 1.5
#: Tables per sweep.
MAX_TABLES: Final = 200
#: One sweep in this many seconds looks for players who have not been seen.
LOOK_EVERY: Final = 5
#: Maximum number of absent players marked per sweep, before due actions are performed.
MAX_ABSENT: Final = 50


async def sweep() -> None:
    """Perform all overdue table actions; safe to run twice, late or in two places."""
    now = await loop.in_database(outages.present)
    if now.second % LOOK_EVERY == 0:
        for table_id in await loop.in_database(absence.mark_all_stale_as_gone, now, MAX_ABSENT):
            await _log_errors(table_id, play.catch_up(table_id))  # stores when the house takes over
    for table_id in (await loop.in_database(shuffling.overdue, now))[:MAX_TABLES]:
        await _log_errors(table_id, loop.in_database(shuffling.advance, table_id, timezone.now()))
    for table_id in await loop.in_database(_overdue, now):
        await _log_errors(table_id, play.act_by_itself(table_id))


async def _log_errors(table_id: int, acting: Awaitable[object]) -> None:
    """Await a table's action; a failure does not hold up the others."""
    try:
        await acting
    except Exception:
        log.exception("table not swept", table=table_id)


def _overdue(now: datetime) -> list[int]:
    late = now - timedelta(seconds=GRACE)
    games = Game.objects.filter(state=Game.State.PLAYING, due__lte=late).order_by("due")
    return list(games.values_list("table_id", flat=True)[:MAX_TABLES])
