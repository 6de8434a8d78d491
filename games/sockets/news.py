"""Publish/subscribe between the processes of the site, over Redis.

A message has a topic and reaches all its subscribers in this process and, with ``REDIS_URL`` set,
in every other one that receives its channel: the common one, or one that a process joins, such as a
table's. Delivery is best effort: code that must be certain also checks the database.
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
REDIS_TIMEOUT: Final = 5.0
#: Seconds of silence after which Redis is pinged.
SILENCE: Final = 5.0
#: Seconds between attempts to reconnect to Redis, or to join and leave channels.
PAUSE: Final = 1.0
#: Seconds for which a reader waits until a channel that it has joined is received.
JOINING: Final = 1.0
#: Topic announcing that a process could not publish for a while.
MISSED: Final = "missed"
#: What `subscription` returns where there is a single process.
ALONE: Final = (0, 0)
#: Identifies this process, to skip its own messages.
PROCESS: Final = uuid.uuid4().hex
#: How those begin.
_OWN: Final = json.dumps({"from": PROCESS})[:-1].encode()

#: Called with the payload of a message, a JSON value.
Listener = Callable[[Any], Awaitable[None]]
#: Called when messages from other processes may have been missed.
Missed = Callable[[], Awaitable[None]]


class _Channel:
    """A channel that this process has joined.

    number: unique, from when its messages are received; None before. received: set then. late: to
    be called then, if somebody has stopped waiting for it.
    """

    __slots__ = ("impatient", "late", "number", "received")

    def __init__(self, late: Missed) -> None:
        self.late = late
        self.number: int | None = None
        self.received = asyncio.Event()
        self.impatient = False


class _State:
    channels: dict[str, _Channel]
    numbers: int
    receiver: redis.client.PubSub | None
    changed: set[str]
    change_task: asyncio.Task[None] | None
    listeners: defaultdict[str, list[Listener]]
    missed: list[Missed]
    listener_task: asyncio.Task[None] | None
    connected: bool
    subscriptions: int
    publisher: redis.Redis | None
    outgoing: list[tuple[str, str]]
    published: asyncio.Future[None] | None
    publish_task: asyncio.Task[None] | None
    publish_timed_out: bool
    reconnect_task: asyncio.Task[None] | None

    def __init__(self) -> None:
        self.channels = {}
        self.numbers = 0
        self.receiver = None
        self.changed = set()
        self.change_task = None
        self.listeners = defaultdict(list)
        self.missed = []
        self.listener_task = None
        self.connected = False
        self.subscriptions = 0
        self.publisher = None
        self.outgoing = []
        self.published = None
        self.publish_task = None
        self.publish_timed_out = False
        self.reconnect_task = None


_state = _State()


def subscribe(topic: str, listener: Listener, missed: Missed | None = None) -> None:
    """Call `listener` with each message on a topic, and `missed` when some may have been lost."""
    _state.listeners[topic].append(listener)
    if missed is not None:
        _state.missed.append(missed)


def listen() -> None:
    """Start receiving from other processes, if there are any; call on the event loop."""
    if settings.REDIS_URL and (_state.listener_task is None or _state.listener_task.done()):
        _state.listener_task = asyncio.create_task(_receive())


def connection_generation() -> int | None:
    """Return a number that changes when messages may have been lost; None while disconnected."""
    if not settings.REDIS_URL:
        return 0  # a single process
    return _state.subscriptions if _state.connected else None


def join(channel: str, late: Missed) -> None:
    """Receive a channel's messages from some moment on, which `subscription` tells.

    late: called then, if `joined` has given up waiting for it; call on the event loop.
    """
    if settings.REDIS_URL and channel not in _state.channels:
        _state.channels[channel] = _Channel(late)
        _state.changed.add(channel)
        _send_changes_soon()


def leave(channel: str) -> bool:
    """No longer receive a channel's messages; return False while it is still being joined."""
    joined = _state.channels.get(channel)
    if joined is not None and joined.number is None and _state.connected:
        return False
    if _state.channels.pop(channel, None) is not None:
        _state.changed.add(channel)
        _send_changes_soon()
    return True


async def joined(channel: str) -> None:
    """Wait a moment until a channel that is being joined is received."""
    channel_of = _state.channels.get(channel)
    if channel_of is None or channel_of.number is not None or not _state.connected:
        return
    if asyncio.current_task() is _state.listener_task:
        return  # it would wait for itself
    try:
        async with asyncio.timeout(JOINING):
            await channel_of.received.wait()
    except TimeoutError:
        channel_of.impatient = True


def subscription(channel: str) -> tuple[int, int] | None:
    """Return a value that changes when messages of a channel may have been lost.

    None while it is not received.
    """
    if not settings.REDIS_URL:
        return ALONE
    generation, joined = connection_generation(), _state.channels.get(channel)
    if generation is None or joined is None or joined.number is None:
        return None
    return generation, joined.number


async def publish(topic: str, news: Any) -> None:
    await _report(topic, news)
    await publish_remote(topic, news)


async def publish_remote(topic: str, news: Any, channel: str = CHANNEL) -> None:
    """Publish a JSON value to all other processes on a channel; does nothing without Redis.

    Messages queued while Redis is busy are sent in one batch. Waits briefly until it is sent, and
    not at all after an earlier wait timed out.
    """
    if not settings.REDIS_URL or _state.reconnect_task is not None:
        return
    message = json.dumps({"from": PROCESS, "topic": topic, "news": news})
    _state.outgoing.append((channel, message))
    here = asyncio.get_running_loop()
    if _state.published is None or _state.published.get_loop() is not here:
        _state.published = here.create_future()
    published = _state.published
    task = _state.publish_task
    if task is None or task.done() or task.get_loop() is not here:
        _state.publish_task = asyncio.create_task(_publish_outgoing())
    if not _state.publish_timed_out:
        await asyncio.wait({published}, timeout=PATIENCE)
        _state.publish_timed_out = not published.done()


async def _publish_outgoing() -> None:
    while _state.outgoing:
        outgoing, waiting = _state.outgoing, [_state.published]
        _state.outgoing, _state.published = [], None
        try:
            if _state.publisher is None:
                _state.publisher = _redis()
            async with _state.publisher.pipeline(transaction=False) as pieces:
                for channel, message in outgoing:
                    pieces.publish(channel, message)
                await pieces.execute()
        except (redis.RedisError, OSError, RuntimeError) as error:
            log.warning("message not published to Redis", reason=str(error))
            waiting.append(_state.published)
            _state.publisher, _state.outgoing, _state.published = None, [], None
            _state.reconnect_task = asyncio.create_task(_reconnect())
        finally:
            _state.publish_timed_out = False
            for published in waiting:
                if published is not None and not published.done():
                    published.set_result(None)


async def _reconnect() -> None:
    """Drop messages until Redis is back, then have all processes reload."""
    try:
        while True:
            await asyncio.sleep(PAUSE)
            try:
                publisher = _redis()
                await publisher.publish(CHANNEL, json.dumps({"from": PROCESS, "topic": MISSED}))
            except (redis.RedisError, OSError, RuntimeError):
                continue
            _state.publisher = publisher
            return
    finally:
        _state.reconnect_task = None


async def _report(topic: str, news: Any) -> None:
    for listener in _state.listeners[topic]:
        await listener(news)


def _redis() -> redis.Redis:
    """Return a client without retries, since messages may be lost."""
    return redis.Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=REDIS_TIMEOUT,
        socket_connect_timeout=REDIS_TIMEOUT,
        retry=Retry(NoBackoff(), 0),
    )


async def _receive() -> None:
    while not loop.is_cancelled():
        try:
            async with _redis().pubsub() as subscription:
                _state.changed.clear()
                # In one command, which takes effect for all of them at once
                await subscription.subscribe(CHANNEL, *_state.channels)
                _state.receiver = subscription
                _send_changes_soon()
                await _listen(subscription)
        except (redis.RedisError, OSError) as error:
            log.warning("Redis subscription failed", reason=str(error))
        finally:
            _state.connected, _state.receiver = False, None
        await asyncio.sleep(1)


def _send_changes_soon() -> None:
    """Have Redis told which channels have been joined or left."""
    task = _state.change_task
    if task is None or task.done() or task.get_loop() is not asyncio.get_running_loop():
        _state.change_task = asyncio.create_task(_send_changes())


async def _send_changes() -> None:
    while _state.changed and _state.receiver is not None:
        changed, _state.changed = _state.changed, set()
        joined = [one for one in changed if one in _state.channels]
        left = [one for one in changed if one not in _state.channels]
        try:
            if joined:
                await _state.receiver.subscribe(*joined)
            if left:
                await _state.receiver.unsubscribe(*left)
        except (redis.RedisError, OSError, RuntimeError) as error:
            log.warning("channels not changed in Redis", reason=str(error))
            _state.changed |= changed  # else nobody would ask again before the next connection
            await asyncio.sleep(PAUSE)


async def _listen(subscription: redis.client.PubSub) -> None:
    """Handle incoming messages and send pings; raise RedisError or OSError on a lost connection."""
    pinged = False
    while not loop.is_cancelled():
        message = await subscription.get_message(timeout=SILENCE)
        if message is not None:
            pinged = False
            await _take(message)
        elif pinged:
            raise redis.TimeoutError("Redis does not answer")
        else:
            pinged = True
            await subscription.ping()


async def _reload_all() -> None:
    """Have everything cached reloaded, since messages may have been missed."""
    _state.subscriptions += 1
    for missed in _state.missed:
        await missed()


async def _on_subscribed(name: str) -> None:
    channel = _state.channels.get(name)
    if name == CHANNEL:
        _state.connected = True
        await _reload_all()
    elif channel is not None and channel.number is None:
        _state.numbers += 1
        channel.number = _state.numbers
        channel.received.set()
        if channel.impatient:
            await channel.late()


async def _take(message: dict[str, Any]) -> None:
    """Handle a message of the channel; log an error instead of raising it."""
    try:
        if message["type"] == "subscribe":
            await _on_subscribed(message["channel"].decode())
        elif message["type"] == "message":
            if message["data"].startswith(_OWN):
                return
            heard = json.loads(message["data"])
            if heard["topic"] == MISSED:
                await _reload_all()
            else:
                await _report(heard["topic"], heard["news"])
    except Exception:
        log.exception("message from Redis not processed")
