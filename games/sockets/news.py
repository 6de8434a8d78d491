"""News between the processes of the site: something has changed, whoever shows it looks again.

News has a topic and is heard by all who subscribed to that, in this process and, with
``REDIS_URL`` set, in every other one. It is a hint and may get lost: whoever needs to be certain
compares what it shows with the database now and then.
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
#: Seconds for which an action waits until its news is told.
PATIENCE: Final = 1.0
#: Seconds after which Redis counts as away. A process that is short of time reads answers late,
#: and all that is kept anywhere is read anew once news has been missed: that must not come of it.
AWAY: Final = 5.0
#: Seconds without news after which Redis is asked whether it is still there.
SILENCE: Final = 5.0
#: Seconds between two tries to reach a Redis that was away.
PAUSE: Final = 1.0
#: The topic that says that a process could not tell its news for a while.
MISSED: Final = "missed"
#: This process's name, by which it knows its own news.
_OURSELVES: Final = uuid.uuid4().hex

#: Called with the news of a topic, a JSON value.
Listener = Callable[[Any], Awaitable[None]]
#: Called when news of other processes may have been missed.
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
    """Let a topic's news be heard.

    Args:
        topic: which.
        listener: called with each news of it that is published here or elsewhere.
        missed: called when this process begins to hear the others, for what came before.
    """
    _state.listeners[topic].append(listener)
    if missed is not None:
        _state.missed.append(missed)


def listen() -> None:
    """Hear the other processes from now on, if there are any; call it on the event loop."""
    if settings.REDIS_URL and (_state.ear is None or _state.ear.done()):
        _state.ear = asyncio.create_task(_hear())


def hearing() -> int | None:
    """A number that stays the same while no news of other processes can have been missed.

    None while none comes: what is kept here may then be old.
    """
    if not settings.REDIS_URL:
        return 0  # there are no other processes
    return _state.subscriptions if _state.hearing else None


async def publish(topic: str, news: Any) -> None:
    """Say something here and in every other process; `news` is a JSON value."""
    await _report(topic, news)
    await tell_others(topic, news)


async def tell_others(topic: str, news: Any) -> None:
    """Say something in every other process; without Redis there are none.

    What is said while Redis takes the last goes to it in one piece. Whoever says it waits until it
    is told, but not long, and not at all where others have waited in vain.
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
    """Tell what is there to tell, all that has come meanwhile at once, until nothing is left."""
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
            log.warning("news not published", reason=str(error))
            waiting.append(_state.told)
            _state.voice, _state.untold, _state.told = None, [], None
            _state.mending = asyncio.create_task(_mend())
        finally:
            _state.held_up = False
            for told in waiting:
                if told is not None and not told.done():
                    told.set_result(None)


async def _mend() -> None:
    """Until Redis is back say nothing, which would hold up whoever says it; then have all look."""
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
    """A client that tries once: its news can be missed."""
    return redis.Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=AWAY,
        socket_connect_timeout=AWAY,
        retry=Retry(NoBackoff(), 0),
    )


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


async def _look_at_all() -> None:
    """Trust nothing that is kept: news may have been missed."""
    _state.subscriptions += 1
    for missed in _state.missed:
        await missed()


async def _take(message: dict[str, Any]) -> None:
    """Take a message of the channel; one that fails is logged and stops no other."""
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
        log.exception("news not taken")
