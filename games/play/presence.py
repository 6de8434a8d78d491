"""Presence: records which players have an open socket, and shows departures.

With several processes it also checks each second for stored changes whose message was lost.

One statement covers everybody connected to this process; nothing is written per action. A closed
last socket is recorded after a short delay, so that a page reload costs nothing and a process that
shuts down marks nobody as gone.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

import structlog
from django.conf import settings
from django.utils import timezone

from games.live import absence, remote_events, stamps
from games.live import state as tables
from games.live.absence import GonePlayer
from games.live.state import Live
from games.models import Game, Player, Proposal, Seat, SeatRequest, Table
from games.models.tables import BEGUN, PATIENCE
from games.picture import viewing
from games.play import play
from games.sockets import hub, loop

log = structlog.get_logger(__name__)

#: Seconds between two heartbeats of a table.
BEAT: Final = 15
#: Tables are processed in this many shares, to keep each step short.
SHARES: Final = 60
#: Groups of tables for checking what other processes have stored; each is checked once a second.
CHECK_GROUPS: Final = 4
#: Delay before a closed last socket is recorded.
DEPARTURE_DELAY: Final = timedelta(seconds=2)
#: Rows per statement, so that none blocks the journal for long.
CHUNK: Final = 400


class _Heart:
    task: asyncio.Task[None] | None = None
    shown: dict[int, tuple[bool, ...]]
    checked: dict[int, _Stored]
    gone: dict[GonePlayer, datetime]
    arrived: set[int]


_Heart.shown = {}
_Heart.checked = {}
_Heart.gone = {}
_Heart.arrived = set()


class _Stored(NamedTuple):
    """What is stored of a table; `moved`: when the last event of a game in play was."""

    version: tuple[int, int]
    moved: datetime | None
    state: str
    comings: list[list[Any]]
    proposals: list[tuple[int, str, list[int]]]
    requests: list[tuple[int, bool]]


def start() -> None:
    if (
        _Heart.task is None
        or _Heart.task.done()
        or _Heart.task.get_loop() is not asyncio.get_running_loop()
    ):
        _Heart.task = asyncio.create_task(_beat_for_ever())


def end() -> None:
    """Stop the heartbeat at shutdown without marking players as gone."""
    if _Heart.task is not None:
        _Heart.task.cancel()
        _Heart.task = None


async def _beat_for_ever() -> None:
    share = 0
    while not loop.is_cancelled():
        await asyncio.sleep(BEAT / SHARES)
        share = (share + 1) % SHARES
        try:
            await record_departures(timezone.now())
            await show_missed_changes(
                [one for one in hub.tables() if one % CHECK_GROUPS == share % CHECK_GROUPS]
            )
            await beat_share(share)
        except Exception:
            log.exception("heartbeat failed")


async def beat_share(share: int) -> None:
    """Do as `beat` for one share of the tables and those with new arrivals."""
    arrived, _Heart.arrived = _Heart.arrived, set()
    await beat([one for one in hub.tables() if one in arrived or one % SHARES == share])


async def beat(table_ids: Sequence[int] | None = None) -> None:
    """Record who is connected to some tables (None: all), and show who came or left."""
    present = {
        table_id: hub.connected(table_id)
        for table_id in (hub.tables() if table_ids is None else table_ids)
    }
    if not present:
        return
    now = timezone.now()
    seen, returned = await loop.in_database(_record_presence, present, now)
    for who in returned:
        await loop.in_database(absence.record_present, *who, now)
    await show_missed_changes(list(present))
    for table_id, last_seen in seen.items():
        live = await tables.get(table_id)
        taken = {position for position, sitter in enumerate(live.seats) if sitter.player_id}
        if settings.REDIS_URL and taken != last_seen.keys():
            await play.catch_up(table_id)
        for position, sitter in enumerate(live.seats):
            if position in last_seen:
                sitter.last_seen = last_seen[position]
        away = viewing.away_seats(live)
        if _Heart.shown.get(table_id, (False,) * len(away)) != away:
            play.show(live)
        _Heart.shown[table_id] = away
    for table_id in _Heart.shown.keys() - hub.tables():
        del _Heart.shown[table_id]


async def show_missed_changes(table_ids: Sequence[int]) -> None:
    """Show changes by other processes at some tables whose messages were lost."""
    if not settings.REDIS_URL or not table_ids:
        return
    found = await loop.in_database(_stored, table_ids)
    await asyncio.gather(*(_hear_of(table_id, one.version) for table_id, one in found.items()))
    for table_id, stored in found.items():
        live = tables.kept(table_id)
        if live is None:
            continue
        if stored.moved is not None and _Heart.checked.get(table_id) != stored:
            live.remote.misfit |= _differs(live, stored.version, stored.moved)
        if live.remote.misfit or _behind(live, stored):
            await play.catch_up(table_id)
        elif hub.subscription(table_id) is None and _Heart.checked.get(table_id) != stored:
            play.show(live)  # refreshed by a page request, but not yet sent to all
        _Heart.checked[table_id] = stored
    for table_id in _Heart.checked.keys() - hub.tables():
        del _Heart.checked[table_id]


def _stored(table_ids: Sequence[int]) -> dict[int, _Stored]:
    here = Table.objects.filter(pk__in=table_ids)
    found = {
        pk: _Stored((0, 0), None, state, comings, [], [])
        for pk, state, comings in here.values_list("pk", "state", "comings")
    }
    games = Game.objects.filter(table__in=table_ids).order_by("number")
    for pk, state, number, version, moved in games.values_list(
        "table", "state", "number", "version", "moved"
    ):
        in_play = moved if state == Game.State.PLAYING else None
        found[pk] = found[pk]._replace(version=(number, version), moved=in_play)
    proposals = Proposal.objects.filter(
        game__table__in=table_ids, game__state=Game.State.PLAYING
    ).order_by("pk")
    for pk, *proposed in proposals.values_list("game__table", "pk", "state", "agreed"):
        found[pk].proposals.append(tuple(proposed))
    requests = SeatRequest.objects.filter(table__in=table_ids)
    for pk, request, refused in requests.values_list("table", "pk", "refused"):
        found[pk].requests.append((request, refused))
    return found


async def _hear_of(table_id: int, version: tuple[int, int]) -> None:
    """Wait a moment for news that may be under way."""
    live, stamp = tables.kept(table_id), "{}.{}".format(*version)
    if live is not None and stamps.is_ahead(stamp, live.stamp):
        await remote_events.arrive(live, stamp)


def _differs(live: Live, version: tuple[int, int], moved: datetime) -> bool:
    """Return True if the last event here is not the one that is stored."""
    playing = live.playing
    return (
        playing is not None
        and version == (playing.number, playing.engine.version)
        and playing.moved != moved
    )


def _behind(live: Live, stored: _Stored) -> bool:
    known = (live.playing.number, live.playing.engine.version) if live.playing else (0, 0)
    if stored.version != known:
        return stored.version > known  # else it is being stored here
    # Stored by player id and cached by name: compare by seat and time.
    if [(what, position, at) for what, _who, position, at in stored.comings] != [
        (one.what, one.position, one.at) for one in live.seat_changes
    ]:
        return True
    if stored.state != live.state:
        return True
    if live.state == Table.State.PLAYING and stored.proposals != [
        (one.proposal_id, one.state, [*one.agreed]) for one in live.proposals
    ]:
        return True
    asked = [(one.request_id, one.refused) for one in live.requests]
    return live.reserved is None and live.state in BEGUN and stored.requests != asked


def _record_presence(
    present: dict[int, set[int]], now: datetime
) -> tuple[dict[int, dict[int, datetime]], list[GonePlayer]]:
    """Store who is here; return when each seat was seen, and who is back but marked as gone."""
    seen: dict[int, dict[int, datetime]] = defaultdict(dict)
    returned: list[GonePlayer] = []
    here: list[int] = []
    lost: list[int] = []
    seats = Seat.objects.filter(table__in=present, player__isnull=False)
    for pk, table_id, position, player_id, last_seen, missing, kind in seats.values_list(
        "pk", "table_id", "position", "player_id", "last_seen", "missing_since", "player__kind"
    ).iterator():
        connected = player_id in present[table_id]
        seen[table_id][position] = now if connected else last_seen
        if connected:
            here.append(pk)
            if missing is not None:
                returned.append(GonePlayer(table_id, player_id))
        elif missing is None and kind != Player.Kind.HOUSE and now - last_seen >= PATIENCE:
            lost.append(pk)
    for first in range(0, len(here), CHUNK):
        Seat.objects.filter(pk__in=here[first : first + CHUNK]).update(last_seen=now)
    for first in range(0, len(lost), CHUNK):
        absence.mark_stale_as_gone(lost[first : first + CHUNK], now)
    return seen, returned


async def arrive(table_id: int, player_id: int) -> None:
    """Record that a player's socket is open; show it to the others if the player was away.

    At an event's table, which waits for its players, and for players marked as gone this is stored
    at once. For others the next heartbeat does it, within a quarter of a second: after a restart
    all come at once, and as many commits would delay them.
    """
    live = await tables.get(table_id)
    seat = live.seat_of(player_id)
    if seat is None:
        return
    sitter = live.seats[seat]
    if live.reserved is None and sitter.missing_since is None and not sitter.stand_in:
        _Heart.arrived.add(table_id)
    else:
        await loop.in_database(absence.record_present, table_id, player_id, timezone.now())
    await play.came_back(table_id, player_id)


async def depart(table_id: int, player_id: int) -> None:
    """Note that a player's last socket here has closed; it is recorded after a delay."""
    _Heart.gone[GonePlayer(table_id, player_id)] = timezone.now()
    await play.has_left(table_id, player_id)


async def record_departures(now: datetime) -> None:
    """Record who is gone and has not returned to this process within the delay."""
    for who in [who for who in _Heart.gone if who.player_id in hub.connected(who.table_id)]:
        del _Heart.gone[who]
    # The clock may have been set back.
    gone = {who: at for who, at in _Heart.gone.items() if abs(now - at) >= DEPARTURE_DELAY}
    if gone:
        await loop.in_database(absence.record_gone, gone)
    for who, at in gone.items():
        if _Heart.gone.get(who) == at:
            del _Heart.gone[who]


def record_visit(table_id: int, player_id: int, *, throws_in: bool = False) -> None:
    absence.record_present(table_id, player_id, timezone.now(), throws_in=throws_in)
