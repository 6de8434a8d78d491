"""Registry of the sockets that watch each table in this process.

Everything in it may be lost at any moment: a socket that is behind gets the current picture.
Processes notify each other of changed tables through `games.sockets.news`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from functools import partial
from typing import Any, Final, NamedTuple

import structlog
from django.conf import settings
from django.db.models import Q

from games.models import Player
from games.sockets import loop, news
from games.sockets.watching import Watched, Watcher

log = structlog.get_logger(__name__)

#: Topics: a table has changed, it is closed to spectators, a session has ended, all sockets of a
#: player must close.
TABLES: Final = "tables"
SPECTATORS: Final = "spectators"
SESSIONS: Final = "sessions"
PLAYERS: Final = "players"
#: Seconds after a table's last socket has closed for which its messages are still received.
LEAVE_AFTER: Final = 30.0
#: Close codes: logged out; the session continues under another key, so reconnect.
LOGGED_OUT: Final = 4401
NOT_HERE: Final = 4404
ANOTHER_SESSION: Final = 4402


class StoredEvent(NamedTuple):
    """An event stored by another process; `seat` is -1 for the table, `at` Unix time."""

    stamp: str
    action: str
    seat: int
    key: str | None
    at: float
    player_id: int | None = None


#: Called with a table's number, and the event if there is one.
Listener = Callable[[int, StoredEvent | None], Awaitable[None]]


class _State:
    def __init__(self) -> None:
        self.news: Listener | None = None
        self.keeps: Callable[[int], bool] = lambda _table_id: False
        self.changed: Callable[[int], None] = lambda _table_id: None


class _Tables(Watched):
    """Sockets at tables; this process receives the messages of those that have one."""

    def join(self, watcher: Watcher) -> None:
        super().join(watcher)
        table_id = watcher.place
        news.join(_channel(table_id), partial(_take, {"table": table_id}))

    def leave(self, watcher: Watcher) -> None:
        super().leave(watcher)
        if watcher.place not in self and settings.REDIS_URL:
            _leave_later(watcher.place)


_state = _State()
#: Sockets at tables.
sockets: Final = _Tables()

join = sockets.join
leave = sockets.leave
watchers = sockets.watchers
connected = sockets.connected
tables = sockets.places
forget_all = sockets.forget_all


# News ---------------------------------------------------------------------------------------


def _channel(table_id: int) -> str:
    return f"{news.CHANNEL}.table.{table_id}"


def _leave_later(table_id: int) -> None:
    asyncio.get_running_loop().call_later(LEAVE_AFTER, _leave, table_id)


def _leave(table_id: int) -> None:
    """Receive a table's messages no longer, unless somebody has come back."""
    if table_id not in sockets and not news.leave(_channel(table_id)):
        _leave_later(table_id)


def hears_others(table_id: int) -> bool:
    """Return True if other processes may act at a table, and this one receives their messages."""
    return bool(settings.REDIS_URL) and subscription(table_id) is not None


async def joined(table_id: int) -> None:
    """Wait a moment until a table's messages are received, if a socket has just joined it.

    Only what is read afterwards misses nothing.
    """
    await news.joined(_channel(table_id))


def subscription(table_id: int) -> tuple[int, int] | None:
    """Return a value that changes when messages about a table may have been lost.

    None while they are not received.
    """
    return news.subscription(_channel(table_id))


def on_news(
    listener: Listener, keeps: Callable[[int], bool], changed: Callable[[int], None]
) -> None:
    """Set the callback for tables changed elsewhere, of those that this process `keeps`.

    changed: called as soon as a table has to be read again, perhaps long before the listener.
    """
    _state.news = listener
    _state.keeps = keeps
    _state.changed = changed


def announce(table_id: int) -> None:
    """Announce from any thread that a table has changed; every process refreshes its sockets."""
    loop.spawn(_announce(table_id))


async def _announce(table_id: int) -> None:
    _state.changed(table_id)
    await _report(table_id, None)
    await news.publish_remote(TABLES, {"table": table_id}, _channel(table_id))


async def tell(table_id: int, event: StoredEvent) -> None:
    """Publish an event just stored to the other processes."""
    await news.publish_remote(TABLES, {"table": table_id, "event": event}, _channel(table_id))


def close_session(session_key: str, code: int = LOGGED_OUT) -> None:
    """Close every socket of a session, from any thread; by default as logged out."""
    loop.spawn(news.publish(SESSIONS, {"session": session_key, "code": code}))


def opener_of_token(token_id: int) -> str:
    return f"token {token_id}"


def close_player(player_id: int, besides: str | None = None) -> None:
    """Close every socket of a player except those of the session `besides`, from any thread."""
    loop.spawn(news.publish(PLAYERS, {"player": player_id, "besides": besides}))


def end_watching(table_id: int, stay: Collection[int]) -> None:
    """Close every socket at a table except those of the players `stay`, from any thread."""
    loop.spawn(news.publish(SPECTATORS, {"table": table_id, "stay": sorted(stay)}))


async def _end_watching(ended: dict[str, Any]) -> None:
    table_id, stay = ended["table"], set(ended["stay"])
    await sockets.end(lambda one: one.place == table_id and one.player_id not in stay, NOT_HERE)


async def _end_sockets(ended: dict[str, Any]) -> None:
    for watched in Watched.every:
        await watched.end(lambda one: one.opener == ended["session"], ended["code"])


async def _end_players_sockets(ended: dict[str, Any]) -> None:
    def of_player(one: Watcher) -> bool:
        return bool(one.player_id == ended["player"] and one.opener != ended["besides"])

    for watched in Watched.every:
        await watched.end(of_player, LOGGED_OUT)


async def _end_closed_accounts() -> None:
    """Close sockets of closed accounts, in case the message about them was missed."""
    watching = [one.player_id for watched in Watched.every for one in watched.everybody()]
    here = {player_id for player_id in watching if player_id is not None}
    closed = await loop.in_database(_of_closed_accounts, here) if here else set()
    for watched in Watched.every if closed else ():
        await watched.end(lambda one: one.player_id in closed, LOGGED_OUT)


def _of_closed_accounts(player_ids: set[int]) -> set[int]:
    closed = Q(user__is_active=False) | Q(owner__user__is_active=False)
    return set(Player.objects.filter(closed, pk__in=player_ids).values_list("pk", flat=True))


async def _report(table_id: int, event: StoredEvent | None) -> None:
    if _state.news is not None:
        await _state.news(table_id, event)


async def _report_all() -> None:
    for table_id in tables():
        report_soon(table_id)


async def _take(changed: dict[str, Any]) -> None:
    table_id, event = changed["table"], changed.get("event")
    if table_id in sockets or _state.keeps(table_id):
        if event:
            await _report(table_id, StoredEvent(*event))
        else:
            report_soon(table_id)


#: Tables that other processes have changed, in order: however often meanwhile, each is read once.
_changed: Final[dict[int, None]] = {}
_reporting: Final[set[asyncio.Future[None]]] = set()


def report_soon(table_id: int) -> None:
    """Report a table that has to be read again; actions at others do not wait for it."""
    _state.changed(table_id)
    _changed[table_id] = None
    if not any(one.get_loop() is asyncio.get_running_loop() for one in _reporting):
        task = asyncio.ensure_future(_report_changed())
        _reporting.add(task)
        task.add_done_callback(_reporting.discard)


async def _report_changed() -> None:
    while _changed:
        table_id = next(iter(_changed))
        del _changed[table_id]
        try:
            await _report(table_id, None)
        except Exception:
            log.exception("table not shown as changed elsewhere", table=table_id)


news.subscribe(TABLES, _take, missed=_report_all)
news.subscribe(SPECTATORS, _end_watching)
news.subscribe(SESSIONS, _end_sockets)
news.subscribe(PLAYERS, _end_players_sockets, missed=_end_closed_accounts)
