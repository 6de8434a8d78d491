"""Time in which nobody could play because the site was away costs nobody anything.

Every web process notes each second that it serves. When none has done so for a while, nobody
could act: until one does so again time stands still for all that is enforced (`present`), and
whichever is the first to be back moves every deadline on before it says so (`pulse`). Both stand
in one transaction, so that each outage is made up for once, by one process.

A worker or a schedule that was away is no outage: players could act, the tables' own timers rang,
and whatever an event was to do is done late, when they are back.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import datetime, timedelta
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

#: The sign of life that all web processes give.
WEB: Final = "web"
#: Noted when a web process has been stopped as it should be.
STOPPED: Final = "web-stopped"
#: Seconds for which that is tried.
NOTED_WITHIN: Final = 1.0
#: Seconds between two of them from one process.
BEAT: Final = 1.0
#: Nobody was served if none came for so long; less when a process starts, whose beats are not late.
AWAY_AFTER: Final = timedelta(seconds=6)
AWAY_AT_START: Final = timedelta(seconds=2.5)
#: What everybody is given beyond the outage, to find their way back.
MARGIN: Final = timedelta(seconds=20)
#: Seconds for which a process that starts waits for its first sign of life to be stored.
FIRST_WITHIN: Final = 5.0
#: The most seats whose clocks are moved by one statement.
CHUNK: Final = 200


class Outage(NamedTuple):
    """A time in which no web process served.

    Attributes:
        began: when one last did.
        ended: when one did again.
    """

    began: datetime
    ended: datetime

    @property
    def length(self) -> timedelta:
        """How long nobody could act."""
        return self.ended - self.began

    @property
    def grace(self) -> timedelta:
        """By how much deadlines are moved."""
        return self.length + MARGIN


#: Sent in the transaction that ends an outage, with `outage`: move what ran out or ran on in it.
over: Final = Signal()


# The sign of life --------------------------------------------------------------------------


def clock() -> datetime:
    """The time that all processes agree on: the database server's, or this machine's."""
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: datetime = cursor.fetchone()[0]
        return now


def pulse(now: datetime, away_after: timedelta = AWAY_AFTER) -> Outage | None:
    """Note that a web process serves; return the outage that this has ended, if it has.

    away_after: how old the last sign of life is after an outage.
    """
    web = Heartbeat.objects.filter(name=WEB)
    if web.filter(at__gt=now - away_after).update(at=now):
        return None
    began = heartbeats.last(WEB)
    if began is None:
        heartbeats.beat(WEB, now)
        return None
    if began > now - away_after:
        return None  # another process has come back since
    outage = Outage(began, now)
    with transaction.atomic():
        if not web.filter(at=began).update(at=now):
            return None  # another process was quicker
        _move_deadlines(outage)
    stopped = heartbeats.last(STOPPED)
    tell = log.info if stopped is not None and stopped >= began else log.warning
    tell("outage over", began=began.isoformat(), seconds=outage.length.total_seconds())
    return outage


def present() -> datetime:
    """Up to which moment players could act: what a deadline is compared with to enforce it.

    It stands still while no web process serves. In a web process it is now; elsewhere it is when
    a sign of life last came, since one may have ended right after that.
    """
    now, beat = clock(), heartbeats.last(WEB)
    serving = beat is None or (loop.has_web_loop() and now - beat < AWAY_AFTER)
    return now if serving or beat is None else min(now, beat)


async def keep_pulse() -> asyncio.Task[None]:
    """Give signs of life from now on, until the task returned is cancelled.

    Returns when the first is stored, so that nothing is enforced before deadlines have been
    moved; or, where the database does not answer, after a few seconds.
    """
    first = asyncio.Event()
    task = asyncio.create_task(_keep_on(first))
    waiting = asyncio.ensure_future(first.wait())
    await asyncio.wait([waiting], timeout=FIRST_WITHIN)
    waiting.cancel()
    return task


async def _keep_on(first: asyncio.Event) -> None:
    away_after = AWAY_AT_START
    while not loop.told_to_end():
        try:
            await loop.in_database(_pulse_now, away_after)
            away_after = AWAY_AFTER
            first.set()
        except Exception:
            log.exception("no sign of life stored")
        await asyncio.sleep(BEAT)


async def note_stop() -> None:
    """Note that this web process is stopped on purpose, so that the next start warns of nothing."""
    with suppress(TimeoutError, DatabaseError):
        await asyncio.wait_for(loop.in_database(_stopped_now), NOTED_WITHIN)


def _stopped_now() -> None:
    heartbeats.beat(STOPPED, clock())


def _pulse_now(away_after: timedelta) -> None:
    pulse(clock(), away_after)


# Moving deadlines --------------------------------------------------------------------------


def _move_deadlines(outage: Outage) -> None:
    """Let everything that keeps deadlines move its own; what fails is logged and stays.

    Raises OperationalError or InterfaceError: the database is away; then nothing has been moved.
    """
    for moving, failure in over.send_robust(Outage, outage=outage):
        if isinstance(failure, OperationalError | InterfaceError):
            raise failure
        if isinstance(failure, Exception):
            log.error("deadlines not moved", by=str(moving), reason=str(failure))


@receiver(over)
@transaction.atomic
def move_turns(outage: Outage, **_kwargs: Any) -> None:
    """Let the turns that ran end later; nobody has less than `MARGIN` left."""
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
    """Let those who are asked answer later, unless it had been too late before."""
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
    """Let shuffles wait longer for what browsers throw in."""
    waiting = Shuffle.objects.filter(due__isnull=False, table__state=Table.State.SHUFFLING)
    waiting.update(due=Greatest(F("due"), outage.began) + outage.grace)


@receiver(over)
@transaction.atomic
def forgive_absence(outage: Outage, **_kwargs: Any) -> None:
    """Count nobody as away for the time in which nobody could be there."""
    tables = Table.objects.exclude(state=Table.State.CLOSED)
    outsiders = [Player.Kind.PERSON, Player.Kind.PROGRAM]
    seats = Seat.objects.filter(table__in=tables, player__kind__in=outsiders)
    seen = seats.filter(last_seen__gt=LONG_AGO, last_seen__lt=outage.ended)
    seen.update(last_seen=Least(F("last_seen") + outage.length, outage.ended))
    gone = Seat.objects.filter(table__in=tables, missing_since__isnull=False)
    gone.update(missing_since=Greatest(F("missing_since"), outage.began) + outage.grace)
