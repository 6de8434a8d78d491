"""The sweep: whatever is due at any table is done, also after a restart.

When a table acts by itself next stands in its game's row. A timer in the process makes it
punctual; the sweep that runs every second makes it certain. Both come to the same verb, which
does nothing when the moment has passed. While no web process serves, nothing is due.
"""

from __future__ import annotations

from collections.abc import Awaitable
from datetime import datetime, timedelta
from typing import Final

import structlog
from django.utils import timezone

from games.models import Game
from games.play import outages, play
from games.shuffle import shuffling
from games.sockets import loop

log = structlog.get_logger(__name__)

#: Seconds by which the sweep lets a process's own timer go first.
GRACE: Final = 1.5
#: The most tables one sweep wakes.
MOST: Final = 200


async def sweep() -> None:
    """Let every table act whose moment has passed; may run twice, late, or in two places."""
    now = await loop.in_database(outages.present)
    for table_id in (await loop.in_database(shuffling.overdue, now))[:MOST]:
        await _tried(table_id, loop.in_database(shuffling.go_on, table_id, timezone.now()))
    for table_id in await loop.in_database(_overdue, now):
        await _tried(table_id, play.act_by_itself(table_id))


async def _tried(table_id: int, acting: Awaitable[object]) -> None:
    """Let a table act; one that fails does not hold up the others."""
    try:
        await acting
    except Exception:
        log.exception("table not swept", table=table_id)


def _overdue(now: datetime) -> list[int]:
    late = now - timedelta(seconds=GRACE)
    games = Game.objects.filter(state=Game.State.PLAYING, due__lte=late).order_by("due")
    return list(games.values_list("table_id", flat=True)[:MOST])
