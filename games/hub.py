"""The one place that knows which sockets watch which table.

It carries pictures, never the truth: everything in it may be lost at any moment, and a socket
that finds itself behind is sent the present picture. Each socket has one slot that holds only
the latest picture, so a slow browser costs nothing and is never sent an old one.

Processes tell each other which tables have changed, see ``games.news``.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import structlog

from games import loop, news

log = structlog.get_logger(__name__)

#: Topics of the news: of a table, and of a session that has ended.
TABLES: Final = "tables"
SESSIONS: Final = "sessions"
#: Close codes: the session has ended, and it goes on under another key: open a new socket.
LOGGED_OUT: Final = 4401
ANOTHER_SESSION: Final = 4402


class Picture(NamedTuple):
    """What one viewer is shown.

    Attributes:
        stamp: the game number and version it shows.
        parts: part id to HTML.
    """

    stamp: str
    parts: Mapping[str, str]


class Heard(NamedTuple):
    """An event another process has stored.

    Attributes:
        stamp: the game number and version it was decided on.
        action: its text.
        seat: who acted, -1 for the table.
        key: the client key it was stored with, or None.
        at: when, in seconds since 1970.
    """

    stamp: str
    action: str
    seat: int
    key: str | None
    at: float


#: Called with a table's number, and the event if that is the news.
Listener = Callable[[int, Heard | None], Awaitable[None]]


class Watcher:
    """One socket at a table.

    Args:
        table_id: the table it watches.
        player_id: who watches, or None for a visitor.
        opener: the key of the session it was opened in, or a word for where one without came from.
        send: delivers a picture; called for one picture at a time.
        close: ends the socket, with a close code.
    """

    __slots__ = ("_close", "_send", "_sending", "_slot", "opener", "player_id", "table_id")

    def __init__(
        self,
        table_id: int,
        player_id: int | None,
        opener: str,
        send: Callable[[Picture], Awaitable[None]],
        close: Callable[[int], Awaitable[None]],
    ) -> None:
        self.table_id = table_id
        self.player_id = player_id
        self.opener = opener
        self._send = send
        self._close = close
        self._slot: Picture | None = None
        self._sending: asyncio.Task[None] | None = None

    def put(self, picture: Picture) -> None:
        """Show a picture as soon as the socket has taken the one before; later ones replace it."""
        self._slot = picture
        if self._sending is None:
            self._sending = asyncio.create_task(self._drain())

    async def _drain(self) -> None:
        try:
            while (picture := self._slot) is not None:
                self._slot = None
                await self._send(picture)
        except Exception as error:  # noqa: BLE001 - its consumer hears of a broken socket too
            log.info("picture not delivered", table=self.table_id, reason=type(error).__name__)
        finally:
            self._sending = None

    async def close(self, code: int) -> None:
        """End the socket."""
        await self._close(code)


class _State:
    tables: dict[int, set[Watcher]]
    openers: Counter[str]
    news: Listener | None
    keeps: Callable[[int], bool]

    def __init__(self) -> None:
        self.tables = {}
        self.openers = Counter()
        self.news = None
        self.keeps = self.tables.__contains__


_state = _State()


def join(watcher: Watcher) -> None:
    """Let a socket watch its table."""
    _state.tables.setdefault(watcher.table_id, set()).add(watcher)
    _state.openers[watcher.opener] += 1
    news.listen()


def leave(watcher: Watcher) -> None:
    """Forget a socket."""
    watchers = _state.tables.get(watcher.table_id, set())
    if watcher not in watchers:
        return
    watchers.discard(watcher)
    if not watchers:
        del _state.tables[watcher.table_id]
    _state.openers[watcher.opener] -= 1
    if not _state.openers[watcher.opener]:
        del _state.openers[watcher.opener]


def forget_all() -> None:
    """Forget every socket, as a process that ends does."""
    _state.tables.clear()
    _state.openers.clear()


def watchers(table_id: int) -> frozenset[Watcher]:
    """The sockets that watch a table in this process."""
    return frozenset(_state.tables.get(table_id, ()))


def tables() -> list[int]:
    """The tables watched in this process."""
    return list(_state.tables)


def connected(table_id: int) -> set[int]:
    """The players with a socket open at a table in this process."""
    return {
        watcher.player_id
        for watcher in _state.tables.get(table_id, ())
        if watcher.player_id is not None
    }


def opened_by(opener: str) -> int:
    """How many sockets a session, or an address without one, has open in this process."""
    return _state.openers[opener]


def _all() -> Iterator[Watcher]:
    for watchers in list(_state.tables.values()):
        yield from list(watchers)


# News ---------------------------------------------------------------------------------------


def on_news(listener: Listener, keeps: Callable[[int], bool]) -> None:
    """Name what is called when a table has changed elsewhere: in a view, a task, a process.

    keeps: whether anything of a table is kept here, so that other processes' news matters.
    """
    _state.news = listener
    _state.keeps = keeps


def announce(table_id: int) -> None:
    """Say from any thread that a table has changed outside the play; all its sockets are shown."""
    loop.spawn(_announce(table_id))


async def _announce(table_id: int) -> None:
    await _report(table_id, None)
    await news.tell_others(TABLES, {"table": table_id})


async def tell(table_id: int, event: Heard) -> None:
    """Tell the other processes of an event just stored."""
    await news.tell_others(TABLES, {"table": table_id, "event": event})


def close_session(session_key: str, code: int = LOGGED_OUT) -> None:
    """End every socket of a session, from any thread; by default its player has logged out."""
    loop.spawn(news.publish(SESSIONS, {"session": session_key, "code": code}))


async def _end_sockets(ended: dict[str, Any]) -> None:
    for watcher in [one for one in _all() if one.opener == ended["session"]]:
        await watcher.close(ended["code"])


async def _report(table_id: int, event: Heard | None) -> None:
    if _state.news is not None:
        await _state.news(table_id, event)


async def _report_all() -> None:
    for table_id in tables():
        await _report(table_id, None)


async def _take(changed: dict[str, Any]) -> None:
    """Take another process's news of a table."""
    table_id, event = changed["table"], changed.get("event")
    if table_id in _state.tables or _state.keeps(table_id):
        await _report(table_id, Heard(*event) if event else None)


news.subscribe(TABLES, _take, missed=_report_all)
news.subscribe(SESSIONS, _end_sockets)
