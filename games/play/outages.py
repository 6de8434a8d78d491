"""Compensates players for time in which the site was down.

Every web process stores a heartbeat each second. If none came for a while, nobody could act: until
the next one, enforced time is frozen (`present`), and the first process back moves all deadlines
before it stores its heartbeat (`pulse`). Both happen in one transaction, so that each outage is
compensated once.

A missing worker or schedule is not an outage: players could act, tables' own timers ran, and events
catch up late.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, NamedTuple

import structlog
from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction
from django.db.models import F
from django.db.models.functions import Greatest, Least
from django.dispatch import Signal, receiver
from django.utils import timezone

from games.live import turn_clock
from games.models import Game, Heartbeat, Player, Proposal, Seat, Shuffle, Table
from games.models.tables import LONG_AGO
from games.sockets import heartbeats, hub, loop

log = structlog.get_logger(__name__)

#: Heartbeat name of all web processes.
WEB: Final = "web"
#: Stored when a web process has shut down cleanly.
STOPPED: Final = "web-stopped"
#: Seconds to try storing that.
STOP_RECORDED_WITHIN: Final = 1.0
#: Seconds between heartbeats of a process.
BEAT: Final = 1.0
#: Without a heartbeat for this long nobody was served; a starting process assumes less.
AWAY_AFTER: Final = timedelta(seconds=6)
AWAY_AT_START: Final = timedelta(seconds=2.5)
#: Extra time for everybody to reconnect after an outage.
MARGIN: Final = timedelta(seconds=20)
#: Up to this long a process that ran all the time was slow rather than away.
BUSY_UP_TO: Final = timedelta(seconds=30)
#: Seconds a starting process waits for its first heartbeat to be stored.
FIRST_WITHIN: Final = 5.0
#: Most seats whose clocks are moved by one statement.
CHUNK: Final = 200


class Outage(NamedTuple):
    """Time in which no web process served, between two heartbeats.

    `busy`: short, and the process whose heartbeat came late had not stopped, nor had the database.
    """

    began: datetime
    ended: datetime
    busy: bool = False

    @property
    def length(self) -> timedelta:
        return self.ended - self.began

    @property
    def grace(self) -> timedelta:
        return self.length + MARGIN


#: Sent with `outage` in the transaction that ends one: move deadlines that expired or ran in it.
over: Final = Signal()


# The sign of life --------------------------------------------------------------------------


def clock() -> datetime:
    """Return the time shared by all processes: the database server's, or this machine's."""
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: datetime = cursor.fetchone()[0]
        return now


def pulse(now: datetime, away_after: timedelta = AWAY_AFTER, *, ran: bool = False) -> Outage | None:
    """Store a heartbeat; return the outage that it ends if the last is older than `away_after`.

    ran: whether this process has stored its heartbeats all the time, if late.
    """
    web = Heartbeat.objects.filter(name=WEB)
    if web.filter(at__gt=now - away_after).update(at=now):
        return None
    began = heartbeats.last(WEB)
    if began is None:
        heartbeats.beat(WEB, now)
        return None
    if began > now - away_after:
        return None  # another process is back already
    outage = Outage(began, now, busy=ran and now - began <= BUSY_UP_TO)
    with transaction.atomic():
        if not web.filter(at=began).update(at=now):
            return None  # another process was first
        _move_deadlines(outage)
    stopped = heartbeats.last(STOPPED)
    tell = log.info if stopped is not None and stopped >= began else log.warning
    tell("outage over", began=began.isoformat(), seconds=outage.length.total_seconds())
    return outage


def present() -> datetime:
    """Return the time up to which players could act, against which deadlines are enforced.

    It is frozen while no web process serves. In a web process it is now; elsewhere it is the last
    heartbeat, since an outage may have begun right after that.
    """
    now, beat = clock(), heartbeats.last(WEB)
    serving = beat is None or (loop.has_web_loop() and now - beat < AWAY_AFTER)
    return now if serving or beat is None else min(now, beat)


async def keep_pulse() -> asyncio.Task[None]:
    """Start sending heartbeats, until the returned task is cancelled.

    Returns once the first is stored, so that nothing is enforced before deadlines have been moved;
    or after a few seconds if the database does not answer.
    """
    first = asyncio.Event()
    task = asyncio.create_task(_keep_on(first))
    waiting = asyncio.ensure_future(first.wait())
    await asyncio.wait([waiting], timeout=FIRST_WITHIN)
    waiting.cancel()
    return task


async def _keep_on(first: asyncio.Event) -> None:
    away_after, ran = AWAY_AT_START, False
    while not loop.is_cancelled():
        try:
            await loop.in_database(partial(_pulse_now, away_after, ran=ran))
            away_after, ran = AWAY_AFTER, True
            first.set()
        except Exception:
            ran = False
            log.exception("heartbeat not stored")
        await asyncio.sleep(BEAT)


async def record_stop() -> None:
    with suppress(TimeoutError, DatabaseError):
        await asyncio.wait_for(loop.in_database(_stopped_now), STOP_RECORDED_WITHIN)


def _stopped_now() -> None:
    heartbeats.beat(STOPPED, clock())


def _pulse_now(away_after: timedelta, *, ran: bool) -> None:
    pulse(clock(), away_after, ran=ran)


# Moving deadlines --------------------------------------------------------------------------


def _move_deadlines(outage: Outage) -> None:
    for moving, failure in over.send_robust(Outage, outage=outage):
        if isinstance(failure, OperationalError | InterfaceError):
            raise failure
        if isinstance(failure, Exception):
            log.error("deadlines not moved", by=str(moving), reason=str(failure))


@receiver(over)
@transaction.atomic
def move_turns(outage: Outage, **_kwargs: Any) -> None:
    """Extend running turns; nobody has less than `MARGIN` left."""
    playing = Table.objects.filter(state=Table.State.PLAYING, turn_seconds__isnull=False)
    tables = list(playing.select_for_update().order_by("pk").values_list("pk", flat=True))
    running = Game.objects.filter(table__in=tables, state=Game.State.PLAYING)
    waiting = (
        Seat.objects.filter(
            table__games__in=running, position=F("table__games__turn"), stand_in=False
        )
        .exclude(player__kind=Player.Kind.HOUSE)
        .exclude(player=None)
        .annotate(moved=F("table__games__moved"), seconds=F("table__turn_seconds"))
    )
    seats = list(waiting)
    for seat in seats:
        ends = turn_clock.ends(seat.seconds, seat.moved, seat.since)
        ends = max(ends, outage.began) + outage.grace
        seat.since = ends - timedelta(seconds=seat.seconds)
    Seat.objects.bulk_update(seats, ["since"], batch_size=CHUNK)
    for table_id in tables:
        transaction.on_commit(lambda table_id=table_id: hub.announce(table_id))  # type: ignore[misc]


@receiver(over)
@transaction.atomic
def move_proposals(outage: Outage, **_kwargs: Any) -> None:
    """Extend open proposals, unless they had lapsed before."""
    waiting = Proposal.objects.filter(
        state=Proposal.State.OPEN, game__state=Game.State.PLAYING, until__gt=outage.began
    )
    tables = list(waiting.values_list("game__table", flat=True))
    waiting.update(until=F("until") + outage.grace)
    for table_id in tables:
        transaction.on_commit(lambda table_id=table_id: hub.announce(table_id))  # type: ignore[misc]


@receiver(over)
@transaction.atomic
def move_shuffles(outage: Outage, **_kwargs: Any) -> None:
    waiting = Shuffle.objects.filter(due__isnull=False, table__state=Table.State.SHUFFLING)
    waiting.update(due=Greatest(F("due"), outage.began) + outage.grace)


@receiver(over)
@transaction.atomic
def forgive_absence(outage: Outage, **_kwargs: Any) -> None:
    tables = Table.objects.exclude(state=Table.State.CLOSED)
    outsiders = [Player.Kind.PERSON, Player.Kind.PROGRAM]
    seats = Seat.objects.filter(table__in=tables, player__kind__in=outsiders)
    seen = seats.filter(last_seen__gt=LONG_AGO, last_seen__lt=outage.ended)
    seen.update(last_seen=Least(F("last_seen") + outage.length, outage.ended))
    gone = Seat.objects.filter(table__in=tables, missing_since__isnull=False)
    gone.update(missing_since=Greatest(F("missing_since"), outage.began) + outage.grace)
