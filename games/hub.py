"""The one place that knows which sockets watch which table.

It carries pictures, never the truth: everything in it may be lost at any moment, and a socket
that finds itself behind is sent the present picture. Each socket has one slot that holds only
the latest picture, so a slow browser costs nothing and is never sent an old one.

With ``REDIS_URL`` set, processes tell each other which tables have news.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import structlog
from django.conf import settings
from redis import asyncio as redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from games import loop

log = structlog.get_logger(__name__)

CHANNEL: Final = "bower.tables"
#: Connections to Redis a process uses for its news.
CONNECTIONS: Final = 8
#: Close codes: the session has ended, and it goes on under another key: open a new socket.
LOGGED_OUT: Final = 4401
ANOTHER_SESSION: Final = 4402
#: Seconds to wait for Redis.
PATIENCE: Final = 1.0
#: Seconds without news after which Redis is asked whether it is still there.
SILENCE: Final = 5.0
#: This process's name, by which it knows its own news.
_OURSELVES: Final = uuid.uuid4().hex


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
    ear: asyncio.Task[None] | None
    hearing: bool
    subscriptions: int
    voice: redis.Redis | None

    def __init__(self) -> None:
        self.tables = {}
        self.openers = Counter()
        self.news = None
        self.keeps = self.tables.__contains__
        self.ear = None
        self.hearing = False
        self.subscriptions = 0
        self.voice = None


_state = _State()


def join(watcher: Watcher) -> None:
    """Let a socket watch its table."""
    _state.tables.setdefault(watcher.table_id, set()).add(watcher)
    _state.openers[watcher.opener] += 1
    if settings.REDIS_URL and (_state.ear is None or _state.ear.done()):
        _state.ear = asyncio.create_task(_hear())


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


def hearing() -> int | None:
    """A number that stays the same while no news of other processes can have been missed.

    None while none comes: what is kept of a table may then be old.
    """
    if not settings.REDIS_URL:
        return 0  # there are no other processes
    return _state.subscriptions if _state.hearing else None


def announce(table_id: int) -> None:
    """Say from any thread that a table has changed outside the play; all its sockets are shown."""
    loop.spawn(_announce(table_id))


async def _announce(table_id: int) -> None:
    await _report(table_id, None)
    await _publish({"table": table_id})


async def tell(table_id: int, event: Heard) -> None:
    """Tell the other processes of an event just stored; without Redis there are none."""
    if settings.REDIS_URL:
        await _publish({"table": table_id, "event": event})


def close_session(session_key: str, code: int = LOGGED_OUT) -> None:
    """End every socket of a session, from any thread; by default its player has logged out."""
    loop.spawn(_close_session(session_key, code))


async def _close_session(session_key: str, code: int) -> None:
    await _end_sockets(session_key, code)
    await _publish({"session": session_key, "code": code})


async def _end_sockets(session_key: str, code: int) -> None:
    for watcher in [one for one in _all() if one.opener == session_key]:
        await watcher.close(code)


async def _report(table_id: int, event: Heard | None) -> None:
    if _state.news is not None:
        await _state.news(table_id, event)


async def _publish(news: dict[str, Any]) -> None:
    if not settings.REDIS_URL:
        return
    try:
        if _state.voice is None:
            _state.voice = _redis()
        await _state.voice.publish(CHANNEL, json.dumps({**news, "from": _OURSELVES}))
    except (redis.RedisError, OSError, RuntimeError) as error:
        _state.voice = None  # the next heartbeat brings the others up to date
        log.warning("news not published", reason=str(error))


def _redis() -> redis.Redis:
    """A client that gives up at once: an action waits for it, and its news can be missed.

    When all its connections are busy, further news waits for one instead of being refused.
    """
    pool = redis.BlockingConnectionPool.from_url(
        settings.REDIS_URL,
        max_connections=CONNECTIONS,
        timeout=PATIENCE,
        socket_timeout=PATIENCE,
        socket_connect_timeout=PATIENCE,
        retry=Retry(NoBackoff(), 0),
    )
    return redis.Redis(connection_pool=pool)


async def _hear() -> None:
    """Listen for other processes' news, for as long as this one lives."""
    while not loop.told_to_end():
        try:
            async with _redis().pubsub() as ear:
                await ear.subscribe(CHANNEL)
                await _listen(ear)
        except (redis.RedisError, OSError) as error:
            log.warning("news not heard", reason=str(error))
        finally:
            _state.hearing = False
        await asyncio.sleep(1)


async def _listen(ear: redis.client.PubSub) -> None:
    """Take what comes; when nothing does, ask whether Redis is still there.

    Raises:
        redis.RedisError, OSError: it is not.
    """
    asked = False
    while not loop.told_to_end():
        message = await ear.get_message(timeout=SILENCE)
        if message is not None:
            asked = False
            await _take(message)
        elif asked:
            raise redis.TimeoutError("Redis does not answer")
        else:
            asked = True
            await ear.ping()


async def _take(message: dict[str, Any]) -> None:
    """Take a message of the channel; one that fails is logged and stops no other."""
    try:
        if message["type"] == "subscribe":
            _state.hearing = True
            _state.subscriptions += 1
            for table_id in tables():  # what was missed until now
                await _report(table_id, None)
        elif message["type"] == "message":
            await _act_on(json.loads(message["data"]))
    except Exception:
        log.exception("news not taken")


async def _act_on(news: dict[str, Any]) -> None:
    if news["from"] == _OURSELVES:
        return
    if "session" in news:
        await _end_sockets(news["session"], news["code"])
    elif news["table"] in _state.tables or _state.keeps(news["table"]):
        event = news.get("event")
        await _report(news["table"], Heard(*event) if event else None)
