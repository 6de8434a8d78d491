"""Events that other processes have stored, as their messages tell.

A message carries all that is needed to play the event on here. It is played on only at the version
it was decided on, so a repeated message does nothing, and one that is too early is kept until those
before it have come. If they do not come in a moment, or an event does not fit, the table is read
from the database, which is always right. The poll of `games.play.presence` finds what no later
message reveals.

A false message cannot show more than a card that the engine lets the seat in turn play, and only
until that poll sees that the database has no such event.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

import structlog

from games.engine.errors import EngineError
from games.live.stamps import is_ahead
from games.sockets import hub

if TYPE_CHECKING:
    from games.live.state import Live
    from games.sockets.hub import StoredEvent

log = structlog.get_logger(__name__)

#: Seconds for which messages under way are waited for before the table is read. Most take a few
#: milliseconds.
PATIENCE: Final = 0.2
#: Most events kept of a table that come too early.
MOST: Final = 20


class RemoteEvents:
    """The events of one table that are not played on yet.

    early: by the stamp they were decided on. misfit: one was not possible here, so the game must be
    replayed from the database. moved: set when an event has come or the table has moved on.
    """

    __slots__ = ("early", "misfit", "moved")

    def __init__(self) -> None:
        self.early: dict[str, StoredEvent] = {}
        self.misfit = False
        self.moved = asyncio.Event()

    @property
    def pending(self) -> bool:
        return self.misfit or bool(self.early)


def take(live: Live, event: StoredEvent) -> None:
    """Keep an event until it is played on."""
    remote = live.remote
    if not is_ahead(live.stamp, event.stamp):
        if len(remote.early) == MOST:
            del remote.early[next(iter(remote.early))]
        remote.early[event.stamp] = event
        remote.moved.set()


def play_on(live: Live) -> bool:
    """Play on the kept events that follow; return True if there was one.

    Call with the table's lock held, or while nobody holds it. Does nothing while the table has to
    be read first.
    """
    if live.unread:
        return False
    early, began = live.remote.early, live.stamp
    try:
        while (event := early.pop(live.stamp, None)) is not None:
            live.play_on(event)
    except EngineError as error:
        # Not its text, which may name the cards of a hand
        log.error("event not possible here", table=live.table_id, reason=type(error).__name__)
        early.clear()
        live.remote.misfit = True
    for stamp in [one for one in early if is_ahead(live.stamp, one)]:
        del early[stamp]
    return live.stamp != began


async def arrive(live: Live, stamp: str, *, holding: bool = False) -> bool:
    """Wait a moment until messages have brought a table to a stamp; return False if they do not.

    holding: the caller holds the table's lock, so that nobody else plays them on.
    """
    remote = live.remote
    try:
        async with asyncio.timeout(PATIENCE if hub.hears_others(live.table_id) else 0):
            while True:
                if holding:
                    play_on(live)
                if remote.misfit or live.unread or not is_ahead(stamp, live.stamp):
                    break
                remote.moved.clear()
                await remote.moved.wait()
    except TimeoutError:
        pass
    return not remote.misfit and not is_ahead(stamp, live.stamp)
