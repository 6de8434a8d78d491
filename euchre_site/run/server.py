"""Web, worker and schedule in one process: what `quickstart` runs."""

import signal
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

import structlog
import uvicorn
from celery import beat
from celery.worker import state
from django.conf import settings

from euchre_site.backups.daily import DailyBackups
from euchre_site.celery import app as celery_app
from euchre_site.guards.heads import BoundedHeads
from euchre_site.schedule import Schedule
from games.sockets.frames import FRAME_LIMIT

log = structlog.get_logger(__name__)


class KeptPart(Protocol):
    """What runs until it is told to stop: a Celery worker, or Celery's beat."""

    def start(self) -> None:
        """Run; return when stopped, or when something has ended it."""


class KeptRunning(threading.Thread):
    """A thread on which a part runs; one that ends by itself is made anew and runs again.

    Args:
        name: of the part, for people.
        make: makes the part.
    """

    #: Seconds until a part that has ended is started again: at first, and at most.
    FIRST_WAIT = 1.0
    LONGEST_WAIT = 30.0
    #: Seconds a part has run after which an end counts as the first.
    WELL = 60.0

    def __init__(self, name: str, make: Callable[[], KeptPart]) -> None:
        super().__init__(name=name, daemon=True)
        self.make = make
        self._ending = threading.Event()

    def let_end(self) -> None:
        """Do not start the part again once it has ended."""
        self._ending.set()

    def run(self) -> None:
        """Run the part, again and again; what ended it is logged."""
        wait = self.FIRST_WAIT
        while not self._ending.is_set():
            begun = time.monotonic()
            reason = "it stopped by itself"
            try:
                self.make().start()
            except BaseException as error:  # noqa: BLE001 - Celery ends its parts by SystemExit too
                reason = f"{type(error).__name__}: {error}"
            if time.monotonic() - begun > self.WELL:
                wait = self.FIRST_WAIT
            if self._ending.is_set():
                return
            log.error("ended, and is started again", part=self.name, reason=reason, seconds=wait)
            self._ending.wait(wait)
            wait = min(2 * wait, self.LONGEST_WAIT)


LOST_LINE = 4  # seconds between two pings of a socket, and for which its answer is waited
GRACE = 2  # seconds for open connections and tasks to end, so that stopping takes under 5


class WebServer(uvicorn.Server):
    """uvicorn, saying when it answers and taking worker and schedule along when it stops."""

    def __init__(
        self, config: uvicorn.Config, ready: Callable[[], None], parts: "WorkerAndSchedule"
    ) -> None:
        super().__init__(config)
        self.ready = ready
        self.parts = parts

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start answering, then call `ready`."""
        await super().startup(sockets)
        self.ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop answering; the other parts are told at the same time."""
        self.parts.let_end()
        await super().shutdown(sockets)


def listen(host: str, port: int) -> socket.socket:
    """Take the address at once, before anything slow is done; raise OSError if it is taken.

    port: 0 for any free one.
    """
    family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    return socket.create_server((address[0], address[1]), family=family, backlog=2048)


def serve(listener: socket.socket, ready: Callable[[], None]) -> bool:
    """Serve on `listener` until Ctrl-C or SIGTERM, then return with everything stopped.

    Returns whether all tasks have ended. One that has not, because a mail server does not answer
    for example, would keep the process from ending; it is done again after the next start.

    ready: called once, on the event loop, when pages are answered.
    """
    config = uvicorn.Config(
        "euchre_site.asgi:application",
        http=BoundedHeads,
        ws="websockets-sansio",
        ws_max_size=FRAME_LIMIT,
        ws_per_message_deflate=settings.SOCKET_DEFLATE,
        ws_ping_interval=LOST_LINE,
        ws_ping_timeout=LOST_LINE,
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE,
    )
    config.load()
    parts = WorkerAndSchedule()
    try:
        for one in (signal.SIGINT, signal.SIGTERM):
            signal.signal(one, signal.default_int_handler)
        parts.start()
        with suppress(KeyboardInterrupt):
            WebServer(config, ready, parts).run(sockets=[listener])
    finally:
        ended = parts.stop()
    return ended


class WorkerAndSchedule:
    """A Celery worker and Celery's beat on threads of this process, started again if they end.

    And what makes a backup each day, if the settings say so.
    """

    def __init__(self) -> None:
        self.threads = [
            KeptRunning(
                "worker",
                lambda: celery_app.WorkController(
                    without_gossip=True, without_mingle=True, without_heartbeat=True
                ),
            ),
            KeptRunning("schedule", self._make_schedule),
        ]
        self.schedule: beat.Service | None = None
        self.backups = DailyBackups()
        if settings.BACKUPS:
            self.threads.append(KeptRunning("backups", lambda: self.backups))

    def start(self) -> None:
        """Start all of them."""
        for thread in self.threads:
            thread.start()

    def let_end(self) -> None:
        """Tell all to end, and wait for none."""
        for thread in self.threads:
            thread.let_end()
        state.should_stop = True  # type: ignore[assignment]
        self.backups.end()
        if self.schedule is not None:
            self.schedule.stop()

    def stop(self) -> bool:
        """Tell all to end and wait for them a moment; return whether they have."""
        self.let_end()
        for thread in self.threads:
            thread.join(GRACE / 2)
        state.should_stop = None
        return not any(thread.is_alive() for thread in self.threads)

    def _make_schedule(self) -> KeptPart:
        self.schedule = beat.Service(celery_app, scheduler_cls=Schedule)
        return self.schedule
