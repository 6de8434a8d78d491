"""Who is here: a heartbeat that notes the players with an open socket, and shows who left.

One statement notes everybody connected to this process; nothing is written per action.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Final

import structlog
from django.conf import settings
from django.utils import timezone

from games.live import state as tables
from games.live.state import Live
from games.models import Game, Seat
from games.picture import viewing
from games.play import play
from games.sockets import hub, loop, news

log = structlog.get_logger(__name__)

#: Seconds between two heartbeats of a table.
BEAT: Final = 15
#: Shares in which all tables are looked at one after the other, so that no moment is long.
SHARES: Final = 60
#: Rows noted by one statement, so that no statement keeps the journal waiting.
CHUNK: Final = 400


class _Heart:
    task: asyncio.Task[None] | None = None
    shown: dict[int, tuple[bool, ...]]


_Heart.shown = {}


def start() -> None:
    """Let the heart beat in the running loop, unless it does already."""
    if (
        _Heart.task is None
        or _Heart.task.done()
        or _Heart.task.get_loop() is not asyncio.get_running_loop()
    ):
        _Heart.task = asyncio.create_task(_beat_for_ever())


async def _beat_for_ever() -> None:
    share = 0
    while not loop.told_to_end():
        await asyncio.sleep(BEAT / SHARES)
        share = (share + 1) % SHARES
        try:
            await beat([table_id for table_id in hub.tables() if table_id % SHARES == share])
        except Exception:
            log.exception("heartbeat failed")


async def beat(table_ids: Sequence[int] | None = None) -> None:
    """Note who is connected to some tables (None: to all), and show where people came or went."""
    present = {
        table_id: hub.connected(table_id)
        for table_id in (hub.tables() if table_ids is None else table_ids)
    }
    if not present:
        return
    seen = await loop.in_database(_note, present, timezone.now())
    stored = await loop.in_database(_versions, list(present)) if settings.REDIS_URL else {}
    for table_id, last_seen in seen.items():
        live = await tables.get(table_id)
        if _behind(live, set(last_seen), stored.get(table_id)):
            await play.catch_up(table_id)
        elif news.hearing() is None:  # asked for again just now or by a page, and not yet shown
            play.show(live)
        for position, sitter in enumerate(live.seats):
            if position in last_seen:
                sitter.last_seen = last_seen[position]
        away = viewing.away_seats(live)
        if _Heart.shown.get(table_id, (False,) * len(away)) != away:
            play.show(live)
        _Heart.shown[table_id] = away
    for table_id in _Heart.shown.keys() - hub.tables():
        del _Heart.shown[table_id]


def _versions(table_ids: list[int]) -> dict[int, tuple[int, int]]:
    """The number and version of each table's latest game."""
    games = Game.objects.filter(table__in=table_ids).order_by("number")
    return {
        table: (number, version)
        for table, number, version in games.values_list("table", "number", "version")
    }


def _behind(live: Live, taken: set[int], stored: tuple[int, int] | None) -> bool:
    """Whether another process has changed a table and its news has not come."""
    if stored is None:
        return False
    known = (live.playing.number, live.playing.engine.version) if live.playing else (0, 0)
    seated = {position for position, sitter in enumerate(live.seats) if sitter.player_id}
    return stored > known or taken != seated


def _note(present: dict[int, set[int]], now: datetime) -> dict[int, dict[int, datetime]]:
    """Write who is here; return when each seat's person was last seen, by table and position."""
    seen: dict[int, dict[int, datetime]] = defaultdict(dict)
    here: list[int] = []
    seats = Seat.objects.filter(table__in=present, player__isnull=False)
    for pk, table_id, position, player_id, last_seen in seats.values_list(
        "pk", "table_id", "position", "player_id", "last_seen"
    ).iterator():
        connected = player_id in present[table_id]
        seen[table_id][position] = now if connected else last_seen
        if connected:
            here.append(pk)
    for first in range(0, len(here), CHUNK):
        Seat.objects.filter(pk__in=here[first : first + CHUNK]).update(last_seen=now)
    return seen


async def arrive(table_id: int, player_id: int) -> None:
    """Note at once that a player's socket is open, and show him to the others if he was away."""
    live = await tables.get(table_id)
    if live.seat_of(player_id) is not None:
        await loop.in_database(_note_one, table_id, player_id)
        await play.came_back(table_id, player_id)


def _note_one(table_id: int, player_id: int) -> None:
    Seat.objects.filter(table=table_id, player=player_id).update(last_seen=timezone.now())


def note_visit(table_id: int, player_id: int, *, throws_in: bool = False) -> None:
    """Note that a seat's person has just loaded the table's page or acted on it without scripts.

    throws_in: whether his browser throws a number into shuffles.
    """
    Seat.objects.filter(table=table_id, player=player_id).update(
        last_seen=timezone.now(), throws_in=throws_in
    )
