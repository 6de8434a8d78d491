"""How a web process ends: first it is not ready any more, then it lets everybody go.

The web server closes what is open only once it has been told to end. Its signals are heard here
first, so that readiness changes at once, a proxy has time to notice, and nothing that the process
itself closes is taken for somebody who has left.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any, Final

from django.conf import settings

from games.api import streams
from games.play import play, presence

#: Seconds for which a process that ends waits for what is being stored.
FINISH_WITHIN: Final = 3.0
SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)

Handler = Callable[[int, FrameType | None], Any]


class _State:
    ending = False
    before: dict[int, Handler]


_State.before = {}


def begun() -> bool:
    """Whether this process has been told to end."""
    return _State.ending


def watch() -> None:
    """Hear of the signals to end before the web server does; call it on its loop.

    A server that runs in another thread than the main one hears of none itself.
    """
    _State.ending = False
    if threading.current_thread() is not threading.main_thread():
        return
    loop = asyncio.get_running_loop()
    for one in SIGNALS:
        before = signal.getsignal(one)
        if callable(before):
            _State.before[one] = before
            signal.signal(one, partial(_told, loop))


def _told(loop: asyncio.AbstractEventLoop, number: int, frame: FrameType | None) -> None:
    """Take a signal: the first SIGTERM waits for the proxy, any other one ends at once."""
    patient = number == signal.SIGTERM and not _State.ending and settings.DRAIN_SECONDS > 0
    _State.ending = True
    go = partial(_go, number, frame)
    if patient:
        loop.call_soon_threadsafe(loop.call_later, settings.DRAIN_SECONDS, go)
    else:
        loop.call_soon_threadsafe(go)


def _go(number: int, frame: FrameType | None) -> None:
    """Let everybody go, and tell the web server."""
    presence.end()
    streams.end_all()
    before = _State.before.get(number)
    if before is not None:  # the server has not ended meanwhile
        before(number, frame)


async def finish() -> None:
    """Store what has been begun; what was asked for and not stored, browsers ask for again."""
    _State.ending = True
    presence.end()
    await play.finish(FINISH_WITHIN)
    for number, before in _State.before.items():
        if isinstance(signal.getsignal(number), partial):
            signal.signal(number, before)
    _State.before.clear()
