"""Counts who watches a table without a seat, and shows the number and some names on its page.

People are counted, not windows. Each process counts its own sockets and reports the number to the
others; arrivals and departures within a second are one change. Names are of those who wish to be
named (`Player.named_watching`), and not shown to whoever has muted them or avoids them. They are
read when the spectators change, so that an action costs no query for them.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Collection
from typing import Any, Final, NamedTuple

import structlog

from games.live import state as tables
from games.live.state import Live
from games.models import Avoidance, Mute, Player
from games.picture import viewing
from games.play import play
from games.sockets import audience, hub, loop, news
from games.sockets.audience import Names, NamesByViewer

log = structlog.get_logger(__name__)

#: Seconds after which a change is counted.
AFTER: Final = 1.0
#: Seconds after which a number is reported again.
AGAIN: Final = 30.0
#: The most names that a process reports, and for how many spectators it looks them up.
NAMES: Final = 12
LOOKED_UP: Final = 500


class _Audience(NamedTuple):
    number: int = 0
    names: NamesByViewer = {}  # noqa: RUF012


NOBODY: Final = _Audience()

_shown: Final[dict[int, _Audience]] = {}
_counting: Final[dict[int, asyncio.TimerHandle]] = {}
_running: Final[dict[int, asyncio.Task[None]]] = {}


def changed(table_id: int) -> None:
    """Count the spectators of a table again in a moment, and show the number if it differs.

    What changes meanwhile is counted then too, so that those who come one after another are shown.
    """
    _count_in(table_id, AFTER)


def _count_in(table_id: int, seconds: float) -> None:
    loop = asyncio.get_running_loop()
    waiting = _counting.get(table_id)
    if waiting is not None:
        if waiting.when() <= loop.time() + seconds:
            return
        waiting.cancel()
    _counting[table_id] = loop.call_later(seconds, on_timer, table_id)


def on_timer(table_id: int) -> None:
    _counting.pop(table_id, None)
    running = _running.get(table_id)
    if running is not None:  # it may have read names that are no longer shown
        running.add_done_callback(lambda _task: changed(table_id))
        return
    task = _running[table_id] = asyncio.ensure_future(_count(table_id))
    task.add_done_callback(lambda _task: _running.pop(table_id, None))


async def _count(table_id: int) -> None:
    live = tables.kept(table_id)
    count = viewing.spectators_here(live) if live is not None else 0
    own, names = await _names(live) if live is not None else ({}, {})
    before = _shown.pop(table_id, NOBODY)
    now = _Audience(count, names)
    audience.show_names(table_id, names)
    if now != NOBODY:
        _shown[table_id] = now
        _count_in(table_id, AGAIN)
    if count or before.number:
        await audience.report(table_id, news.PROCESS, count, own)
    if live is not None and now != before:
        play.show(live)


async def _names(live: Live) -> tuple[Names, NamesByViewer]:
    """Return the names of this process's spectators, and all names by viewer."""
    viewers = hub.connected(live.table_id)
    watching = viewers - {one.player_id for one in live.seats}
    elsewhere = audience.names_elsewhere(live.table_id)
    if not watching and not elsewhere:
        return {}, {}
    try:
        return await loop.in_database(_read_names, watching, viewers, elsewhere)
    except Exception:  # the number is right without them
        log.exception("names of spectators not read", table=live.table_id)
        return {}, {}


def _read_names(
    watching: Collection[int], viewers: Collection[int], elsewhere: Names
) -> tuple[Names, NamesByViewer]:
    """Read the names from one query, and who sees which from two more if there are any."""
    shows = Player.objects.filter(
        pk__in=sorted(watching)[:LOOKED_UP], named_watching=True, user__is_active=True
    )
    own = dict(shows.order_by("pk").values_list("pk", "name")[:NAMES])
    everybody = sorted({**elsewhere, **own}.items(), key=lambda one: (one[1].casefold(), one[0]))
    if not everybody:
        return own, {}
    unseen: defaultdict[int, set[int]] = defaultdict(set)
    for model in (Mute, Avoidance):
        hidden = model.objects.filter(other__in=dict(everybody), by__in=viewers)
        for by, other in hidden.values_list("by", "other"):
            unseen[by].add(other)
    everyone = tuple(name for _key, name in everybody)
    names: dict[int | None, tuple[str, ...]] = dict.fromkeys([None, *viewers], everyone)
    for by, others in unseen.items():
        names[by] = tuple(name for key, name in everybody if key not in others)
    return own, names


async def _heard(report: dict[str, Any]) -> None:
    if report["process"] == news.PROCESS:
        return
    before = audience.names_elsewhere(int(report["table"]))
    table_id = audience.take(report)
    live = tables.kept(table_id)
    if live is not None:
        play.show(live)
        if audience.names_elsewhere(table_id) != before:
            changed(table_id)


async def _chosen(player_ids: Collection[int]) -> None:
    """Read the names again at all tables where these players are, in this process."""
    for table_id in {one.place for one in hub.sockets.everybody() if one.player_id in player_ids}:
        changed(table_id)


news.subscribe(audience.AUDIENCE, _heard)
news.subscribe(audience.CHOSEN, _chosen)
