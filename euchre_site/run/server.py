"""Web server, worker and schedule in one process, for `quickstart`."""

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

from euchre_site.celery import app as celery_app
from euchre_site.guards.request_headers import BoundedHeaders
from euchre_site.run.wire import FramingProtocol
from euchre_site.schedule import Schedule
from games.sockets.html_frames import FRAME_LIMIT

log = structlog.get_logger(__name__)


class Service(Protocol):
    """Something that runs until stopped: a Celery worker, or beat."""

    def start(self) -> None:
        """Run until stopped, or until it fails."""


class ServiceThread(threading.Thread):
    """A thread that runs a service, and restarts it if it ends by itself. make: creates it."""

    #: Seconds before a restart; doubled each time, up to the longest.
    FIRST_WAIT = 1.0
    LONGEST_WAIT = 30.0
    #: Seconds after which a service counts as healthy, so that the wait starts over.
    HEALTHY_AFTER = 60.0

    def __init__(self, name: str, make: Callable[[], Service]) -> None:
        super().__init__(name=name, daemon=True)
        self.make = make
        self._stopping = threading.Event()

    def request_stop(self) -> None:
        self._stopping.set()

    def run(self) -> None:
        wait = self.FIRST_WAIT
        while not self._stopping.is_set():
            begun = time.monotonic()
            reason = "stopped unexpectedly"
            try:
                self.make().start()
            except BaseException as error:  # noqa: BLE001 - Celery raises SystemExit too
                reason = f"{type(error).__name__}: {error}"
            if time.monotonic() - begun > self.HEALTHY_AFTER:
                wait = self.FIRST_WAIT
            if self._stopping.is_set():
                return
            log.error("ended, restarting", part=self.name, reason=reason, seconds=wait)
            self._stopping.wait(wait)
            wait = min(2 * wait, self.LONGEST_WAIT)


PING_INTERVAL = 4  # seconds between two pings of a socket, and to wait for the answer
GRACE = 2  # seconds for open connections and for tasks, so that stopping takes less than 5


class WebServer(uvicorn.Server):
    """uvicorn with a callback when it is ready; it stops worker and schedule when it stops."""

    def __init__(
        self, config: uvicorn.Config, ready: Callable[[], None], services: "Services"
    ) -> None:
        super().__init__(config)
        self.ready = ready
        self.services = services

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.services.request_stop()
        await super().shutdown(sockets)


def listen(host: str, port: int) -> socket.socket:
    """Bind the address before anything slow is done; raise OSError if it is in use."""
    family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    return socket.create_server((address[0], address[1]), family=family, backlog=2048)


def serve(listener: socket.socket, ready: Callable[[], None]) -> bool:
    """Serve on `listener` until Ctrl-C or SIGTERM, then stop everything.

    ready: called once, on the event loop, when the server answers.

    Returns whether all tasks have ended. One that waits for a mail server, for example, would keep
    the process alive; it is repeated after the next start.
    """
    config = uvicorn.Config(
        "euchre_site.asgi:application",
        http=BoundedHeaders,
        ws=FramingProtocol,
        ws_max_size=FRAME_LIMIT,
        ws_per_message_deflate=settings.SOCKET_DEFLATE,
        ws_ping_interval=PING_INTERVAL,
        ws_ping_timeout=PING_INTERVAL,
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE,
    )
    config.load()
    services = Services()
    try:
        for one in (signal.SIGINT, signal.SIGTERM):
            signal.signal(one, signal.default_int_handler)
        services.start()
        with suppress(KeyboardInterrupt):
            WebServer(config, ready, services).run(sockets=[listener])
    finally:
        ended = services.stop()
    return ended


class Services:
    def __init__(self) -> None:
        self.threads = [
            ServiceThread(
                "worker",
                lambda: celery_app.WorkController(
                    without_gossip=True, without_mingle=True, without_heartbeat=True
                ),
            ),
            ServiceThread("schedule", self._make_schedule),
        ]
        self.schedule: beat.Service | None = None

    def start(self) -> None:
        for thread in self.threads:
            thread.start()

    def request_stop(self) -> None:
        for thread in self.threads:
            thread.request_stop()
        state.should_stop = True  # type: ignore[assignment]
        if self.schedule is not None:
            self.schedule.stop()

    def stop(self) -> bool:
        self.request_stop()
        for thread in self.threads:
            thread.join(GRACE / 2)
        state.should_stop = None
        return not any(thread.is_alive() for thread in self.threads)

    def _make_schedule(self) -> Service:
        self.schedule = beat.Service(celery_app, scheduler_cls=Schedule)
        return self.schedule
