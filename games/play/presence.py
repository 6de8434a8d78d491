"""Who is here: a heartbeat that notes the players with an open socket, and shows who left.

Where there are other processes it also looks each second whether they have stored something whose
news has not come.

One statement notes everybody connected to this process; nothing is written per action. That
somebody's last socket has closed is noted a moment later, if none has opened until then, so that
a page loaded anew costs nothing and a process that ends tells of nobody that they have gone.
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

from games.live import absence
from games.live import state as tables
from games.live.absence import Gone
from games.live.state import Live
from games.models import Game, Player, Proposal, Seat, SeatRequest, Table
from games.models.tables import BEGUN, PATIENCE
from games.picture import viewing
from games.play import play
from games.sockets import hub, loop, news

log = structlog.get_logger(__name__)

#: Seconds between two heartbeats of a table.
BEAT: Final = 15
#: Shares in which all tables are looked at one after the other, so that no moment is long.
SHARES: Final = 60
#: Of these, in how many the tables are looked at for what other processes have stored: each of them
#: once a second.
LOOKS: Final = 4
#: How long after somebody's last socket has closed it is noted.
NOTED_AFTER: Final = timedelta(seconds=2)
#: Rows noted by one statement, so that no statement keeps the journal waiting.
CHUNK: Final = 400


class _Heart:
    task: asyncio.Task[None] | None = None
    shown: dict[int, tuple[bool, ...]]
    looked: dict[int, _Stored]
    gone: dict[Gone, datetime]
    come: set[int]


_Heart.shown = {}
_Heart.looked = {}
_Heart.gone = {}
_Heart.come = set()


class _Noted(NamedTuple):
    """What a heartbeat has found.

    Attributes:
        seen: when each seat's person was last seen, by table and position.
        back: who is connected though noted as gone.
    """

    seen: dict[int, dict[int, datetime]]
    back: list[Gone]


class _Stored(NamedTuple):
    """What is stored of a table, as far as news tells of it.

    Attributes:
        version: the number and version of its latest game.
        state: a ``Table.State``.
        comings: who came or left last.
        proposals: what was proposed in the game being played: which, how answered, who agreed.
        requests: who asks for a seat in it, and whether that was refused.
    """

    version: tuple[int, int]
    state: str
    comings: list[list[Any]]
    proposals: list[tuple[int, str, list[int]]]
    requests: list[tuple[int, bool]]


def start() -> None:
    """Let the heart beat in the running loop, unless it does already."""
    if (
        _Heart.task is None
        or _Heart.task.done()
        or _Heart.task.get_loop() is not asyncio.get_running_loop()
    ):
        _Heart.task = asyncio.create_task(_beat_for_ever())


def end() -> None:
    """Let the heart stand still, as a process does that ends: whom it leaves has not gone."""
    if _Heart.task is not None:
        _Heart.task.cancel()
        _Heart.task = None


async def _beat_for_ever() -> None:
    share = 0
    while not loop.told_to_end():
        await asyncio.sleep(BEAT / SHARES)
        share = (share + 1) % SHARES
        try:
            await note_departures(timezone.now())
            await look([one for one in hub.tables() if one % LOOKS == share % LOOKS])
            await beat_share(share)
        except Exception:
            log.exception("heartbeat failed")


async def beat_share(share: int) -> None:
    """Do as `beat` for one share of the tables, and for those to which somebody has come."""
    come, _Heart.come = _Heart.come, set()
    await beat([one for one in hub.tables() if one in come or one % SHARES == share])


async def beat(table_ids: Sequence[int] | None = None) -> None:
    """Note who is connected to some tables (None: to all), and show where people came or went."""
    present = {
        table_id: hub.connected(table_id)
        for table_id in (hub.tables() if table_ids is None else table_ids)
    }
    if not present:
        return
    now = timezone.now()
    seen, back = await loop.in_database(_note, present, now)
    for who in back:
        await loop.in_database(absence.note_here, *who, now)
    await look(list(present))
    for table_id, last_seen in seen.items():
        live = await tables.get(table_id)
        if settings.REDIS_URL and _taken(live) != set(last_seen):
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


async def look(table_ids: Sequence[int]) -> None:
    """Show what other processes have stored at some tables, should their news not have come."""
    if not settings.REDIS_URL or not table_ids:
        return
    for table_id, stored in (await loop.in_database(_stored, table_ids)).items():
        live = tables.kept(table_id)
        if live is None:
            continue
        if _behind(live, stored):
            await play.catch_up(table_id)
        elif news.hearing() is None and _Heart.looked.get(table_id) != stored:
            play.show(live)  # asked for again by a page, and not yet shown to all
        _Heart.looked[table_id] = stored
    for table_id in _Heart.looked.keys() - hub.tables():
        del _Heart.looked[table_id]


def _stored(table_ids: Sequence[int]) -> dict[int, _Stored]:
    """What is stored of each table; four questions, however many they are."""
    here = Table.objects.filter(pk__in=table_ids)
    found = {
        pk: _Stored((0, 0), state, comings, [], [])
        for pk, state, comings in here.values_list("pk", "state", "comings")
    }
    games = Game.objects.filter(table__in=table_ids).order_by("number")
    for pk, number, version in games.values_list("table", "number", "version"):
        found[pk] = found[pk]._replace(version=(number, version))
    proposals = Proposal.objects.filter(
        game__table__in=table_ids, game__state=Game.State.PLAYING
    ).order_by("pk")
    for pk, *proposed in proposals.values_list("game__table", "pk", "state", "agreed"):
        found[pk].proposals.append(tuple(proposed))
    requests = SeatRequest.objects.filter(table__in=table_ids)
    for pk, request, refused in requests.values_list("table", "pk", "refused"):
        found[pk].requests.append((request, refused))
    return found


def _behind(live: Live, stored: _Stored) -> bool:
    """Whether another process has changed a table and its news has not come."""
    known = (live.playing.number, live.playing.engine.version) if live.playing else (0, 0)
    if stored.version != known:
        return stored.version > known  # else what happens here is just being stored
    # Stored by number and known here by name: each is told from others by seat and moment.
    if [(what, position, at) for what, _who, position, at in stored.comings] != [
        (one.what, one.position, one.at) for one in live.comings
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


def _taken(live: Live) -> set[int]:
    """The positions of the seats somebody has."""
    return {position for position, sitter in enumerate(live.seats) if sitter.player_id}


def _note(present: dict[int, set[int]], now: datetime) -> _Noted:
    """Write who is here, and of whom nothing has been heard for a minute."""
    noted = _Noted(defaultdict(dict), [])
    here: list[int] = []
    unheard: list[int] = []
    seats = Seat.objects.filter(table__in=present, player__isnull=False)
    for pk, table_id, position, player_id, last_seen, missing, kind in seats.values_list(
        "pk", "table_id", "position", "player_id", "last_seen", "missing_since", "player__kind"
    ).iterator():
        connected = player_id in present[table_id]
        noted.seen[table_id][position] = now if connected else last_seen
        if connected:
            here.append(pk)
            if missing is not None:
                noted.back.append(Gone(table_id, player_id))
        elif missing is None and kind != Player.Kind.HOUSE and now - last_seen >= PATIENCE:
            unheard.append(pk)
    for first in range(0, len(here), CHUNK):
        Seat.objects.filter(pk__in=here[first : first + CHUNK]).update(last_seen=now)
    for first in range(0, len(unheard), CHUNK):
        absence.note_lost(unheard[first : first + CHUNK], now)
    return noted


async def arrive(table_id: int, player_id: int) -> None:
    """Take it that a player's socket is open; show them to the others if they were away.

    At a table of an event, which waits for its players, it is noted at once, and of somebody who
    was noted as gone. Of others the next heartbeat notes it, within a quarter of a second: after a
    restart all come at once, and as many commits would keep them waiting.
    """
    live = await tables.get(table_id)
    seat = live.seat_of(player_id)
    if seat is None:
        return
    sitter = live.seats[seat]
    if live.reserved is None and sitter.missing_since is None and not sitter.stand_in:
        _Heart.come.add(table_id)
    else:
        await loop.in_database(absence.note_here, table_id, player_id, timezone.now())
    await play.came_back(table_id, player_id)


async def depart(table_id: int, player_id: int) -> None:
    """Take it that a player's last socket here has closed; whether they have gone will be seen."""
    _Heart.gone[Gone(table_id, player_id)] = timezone.now()
    await play.has_left(table_id, player_id)


async def note_departures(now: datetime) -> None:
    """Note who has gone and not come back to this process within a moment."""
    for who in [who for who in _Heart.gone if who.player_id in hub.connected(who.table_id)]:
        del _Heart.gone[who]
    # The clock may have been set back since.
    gone = {who: at for who, at in _Heart.gone.items() if abs(now - at) >= NOTED_AFTER}
    if gone:
        await loop.in_database(absence.note_gone, gone)
    for who, at in gone.items():
        if _Heart.gone.get(who) == at:
            del _Heart.gone[who]


def note_visit(table_id: int, player_id: int, *, throws_in: bool = False) -> None:
    """Note that a seat's person has just loaded the table's page or acted on it without scripts.

    throws_in: whether their browser throws a number into shuffles.
    """
    absence.note_here(table_id, player_id, timezone.now(), throws_in=throws_in)
