"""Publish/subscribe between the processes of the site, over Redis.

A message has a topic and reaches all its subscribers in this process and, with ``REDIS_URL`` set,
in every other one. Delivery is best effort: code that must be certain also checks the database.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Any, Final

import structlog
from django.conf import settings
from redis import asyncio as redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from games.sockets import loop

log = structlog.get_logger(__name__)

CHANNEL: Final = "bower.news"
#: Seconds an action waits for its message to be published.
PATIENCE: Final = 1.0
#: Redis timeout in seconds. Generous, since a busy process reads replies late, and a false alarm
#: makes every cache reload.
AWAY: Final = 5.0
#: Seconds of silence after which Redis is pinged.
SILENCE: Final = 5.0
#: Seconds between attempts to reconnect to Redis.
PAUSE: Final = 1.0
#: Topic announcing that a process could not publish for a while.
MISSED: Final = "missed"
#: Identifies this process, to skip its own messages.
_OURSELVES: Final = uuid.uuid4().hex

#: Called with the payload of a message, a JSON value.
Listener = Callable[[Any], Awaitable[None]]
#: Called when messages from other processes may have been missed.
Missed = Callable[[], Awaitable[None]]


class _State:
    listeners: defaultdict[str, list[Listener]]
    missed: list[Missed]
    ear: asyncio.Task[None] | None
    hearing: bool
    subscriptions: int
    voice: redis.Redis | None
    untold: list[str]
    told: asyncio.Future[None] | None
    telling: asyncio.Task[None] | None
    held_up: bool
    mending: asyncio.Task[None] | None

    def __init__(self) -> None:
        self.listeners = defaultdict(list)
        self.missed = []
        self.ear = None
        self.hearing = False
        self.subscriptions = 0
        self.voice = None
        self.untold = []
        self.told = None
        self.telling = None
        self.held_up = False
        self.mending = None


_state = _State()


def subscribe(topic: str, listener: Listener, missed: Missed | None = None) -> None:
    """Call `listener` with each message on a topic, and `missed` when some may have been lost."""
    _state.listeners[topic].append(listener)
    if missed is not None:
        _state.missed.append(missed)


def listen() -> None:
    """Start receiving from other processes, if there are any; call on the event loop."""
    if settings.REDIS_URL and (_state.ear is None or _state.ear.done()):
        _state.ear = asyncio.create_task(_hear())


def hearing() -> int | None:
    """Return a number that changes when messages may have been lost; None while disconnected."""
    if not settings.REDIS_URL:
        return 0  # a single process
    return _state.subscriptions if _state.hearing else None


async def publish(topic: str, news: Any) -> None:
    await _report(topic, news)
    await tell_others(topic, news)


async def tell_others(topic: str, news: Any) -> None:
    """Publish a JSON value to all other processes; does nothing without Redis.

    Messages queued while Redis is busy are sent in one batch. Waits briefly until it is sent, and
    not at all after an earlier wait timed out.
    """
    if not settings.REDIS_URL or _state.mending is not None:
        return
    _state.untold.append(json.dumps({"from": _OURSELVES, "topic": topic, "news": news}))
    here = asyncio.get_running_loop()
    if _state.told is None or _state.told.get_loop() is not here:
        _state.told = here.create_future()
    told = _state.told
    if _state.telling is None or _state.telling.done() or _state.telling.get_loop() is not here:
        _state.telling = asyncio.create_task(_tell())
    if not _state.held_up:
        await asyncio.wait({told}, timeout=PATIENCE)
        _state.held_up = not told.done()


async def _tell() -> None:
    while _state.untold:
        untold, waiting = _state.untold, [_state.told]
        _state.untold, _state.told = [], None
        try:
            if _state.voice is None:
                _state.voice = _redis()
            async with _state.voice.pipeline(transaction=False) as pieces:
                for message in untold:
                    pieces.publish(CHANNEL, message)
                await pieces.execute()
        except (redis.RedisError, OSError, RuntimeError) as error:
            log.warning("message not published to Redis", reason=str(error))
            waiting.append(_state.told)
            _state.voice, _state.untold, _state.told = None, [], None
            _state.mending = asyncio.create_task(_mend())
        finally:
            _state.held_up = False
            for told in waiting:
                if told is not None and not told.done():
                    told.set_result(None)


async def _mend() -> None:
    """Drop messages until Redis is back, then have all processes reload."""
    try:
        while True:
            await asyncio.sleep(PAUSE)
            try:
                voice = _redis()
                await voice.publish(CHANNEL, json.dumps({"from": _OURSELVES, "topic": MISSED}))
            except (redis.RedisError, OSError, RuntimeError):
                continue
            _state.voice = voice
            return
    finally:
        _state.mending = None


async def _report(topic: str, news: Any) -> None:
    for listener in _state.listeners[topic]:
        await listener(news)


def _redis() -> redis.Redis:
    """Return a client without retries, since messages may be lost."""
    return redis.Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=AWAY,
        socket_connect_timeout=AWAY,
        retry=Retry(NoBackoff(), 0),
    )


async def _hear() -> None:
    while not loop.is_cancelled():
        try:
            async with _redis().pubsub() as ear:
                await ear.subscribe(CHANNEL)
                await _listen(ear)
        except (redis.RedisError, OSError) as error:
            log.warning("Redis subscription failed", reason=str(error))
        finally:
            _state.hearing = False
        await asyncio.sleep(1)


async def _listen(ear: redis.client.PubSub) -> None:
    """Handle incoming messages and send pings; raise RedisError or OSError on a lost connection."""
    asked = False
    while not loop.is_cancelled():
        message = await ear.get_message(timeout=SILENCE)
        if message is not None:
            asked = False
            await _take(message)
        elif asked:
            raise redis.TimeoutError("Redis does not answer")
        else:
            asked = True
            await ear.ping()


async def _look_at_all() -> None:
    """Have everything cached reloaded, since messages may have been missed."""
    _state.subscriptions += 1
    for missed in _state.missed:
        await missed()


async def _take(message: dict[str, Any]) -> None:
    """Handle a message of the channel; log an error instead of raising it."""
    try:
        if message["type"] == "subscribe":
            _state.hearing = True
            await _look_at_all()
        elif message["type"] == "message":
            heard = json.loads(message["data"])
            if heard["from"] == _OURSELVES:
                return
            if heard["topic"] == MISSED:
                await _look_at_all()
            else:
                await _report(heard["topic"], heard["news"])
    except Exception:
        log.exception("message from Redis not processed")
