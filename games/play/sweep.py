"""The sweep: whatever is due at any table is done, also after a restart.

When a table acts by itself next stands in its game's row. A timer in the process makes it
punctual; the sweep that runs every second makes it certain. Both come to the same verb, which
does nothing when the moment has passed. While no web process serves, nothing is due.

It also finds who has gone at a table where nobody has a socket, so that no heart beats for it.
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
#: The most tables one sweep wakes.
MOST: Final = 200
#: In every so many seconds one sweep looks for those of whom nothing is heard any more.
LOOK_EVERY: Final = 5
#: The most of them it notes, before it does what is due: nobody is played for by who is not there.
MOST_LOST: Final = 50


async def sweep() -> None:
    """Let every table act whose moment has passed; may run twice, late, or in two places."""
    now = await loop.in_database(outages.present)
    if now.second % LOOK_EVERY == 0:
        for table_id in await loop.in_database(absence.lose_unheard, now, MOST_LOST):
            await _tried(table_id, play.catch_up(table_id))  # which stores when the house plays
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
