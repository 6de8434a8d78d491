"""Graceful shutdown of a web process: first it reports that it is not ready, then it disconnects.

The web server closes connections as soon as it receives a signal. These handlers come first: they
change readiness at once, give a proxy time to notice, and keep connections that the process closes
itself from being taken for players who have left.
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

from games.api import streaming
from games.play import play, presence

#: Seconds to wait for actions that are being stored.
STORE_TIMEOUT: Final = 3.0
SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)

Handler = Callable[[int, FrameType | None], Any]


class _State:
    begun = False
    #: The web server's own handlers.
    handlers: dict[int, Handler]


_State.handlers = {}


def has_begun() -> bool:
    return _State.begun


def install_handlers() -> None:
    """Handle signals before the web server does; call this on its event loop.

    A server outside the main thread, as in tests, receives no signals.
    """
    _State.begun = False
    if threading.current_thread() is not threading.main_thread():
        return
    loop = asyncio.get_running_loop()
    for one in SIGNALS:
        handler = signal.getsignal(one)
        if callable(handler):
            _State.handlers[one] = handler
            signal.signal(one, partial(_on_signal, loop))


def _on_signal(loop: asyncio.AbstractEventLoop, number: int, frame: FrameType | None) -> None:
    """Shut down: after DRAIN_SECONDS on a first SIGTERM, at once on any other signal."""
    drain = number == signal.SIGTERM and not _State.begun and settings.DRAIN_SECONDS > 0
    _State.begun = True
    disconnect = partial(_disconnect, number, frame)
    if drain:
        loop.call_soon_threadsafe(loop.call_later, settings.DRAIN_SECONDS, disconnect)
    else:
        loop.call_soon_threadsafe(disconnect)


def _disconnect(number: int, frame: FrameType | None) -> None:
    presence.end()
    streaming.end_all()
    handler = _State.handlers.get(number)
    if handler is not None:  # the server is still running
        handler(number, frame)


async def finish() -> None:
    """Wait until actions in progress are stored; browsers send again what was not."""
    _State.begun = True
    presence.end()
    await play.finish(STORE_TIMEOUT)
    for number, handler in _State.handlers.items():
        if isinstance(signal.getsignal(number), partial):
            signal.signal(number, handler)
    _State.handlers.clear()
