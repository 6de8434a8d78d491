"""Web, worker and schedule in one process: what `quickstart` runs."""

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import uvicorn
from celery import beat
from celery.worker import state

from euchre_site.celery import app as celery_app

FRAME_LIMIT = 8 * 1024  # bytes in one message from a browser
GRACE = 2  # seconds for open connections and tasks to end, so that stopping takes under 5


class WebServer(uvicorn.Server):
    """uvicorn, saying when it answers and taking the worker along when it stops."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self.ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start answering, then call `ready`."""
        await super().startup(sockets)
        self.ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop answering; the worker and the open streams are told at the same time."""
        from games.services import streams  # it needs the apps, which the server loads

        _stop_worker(True)
        streams.end_all()
        await super().shutdown(sockets)


def listen(host: str, port: int) -> socket.socket:
    """Take the address at once, before anything slow is done; raise OSError if it is taken.

    port: 0 for any free one.
    """
    family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    return socket.create_server((address[0], address[1]), family=family, backlog=2048)


def serve(listener: socket.socket, ready: Callable[[], None]) -> None:
    """Serve on `listener` until Ctrl-C or SIGTERM, then return with everything stopped.

    ready: called once, on the event loop, when pages are answered.
    """
    config = uvicorn.Config(
        "euchre_site.asgi:application",
        ws="websockets-sansio",
        ws_max_size=FRAME_LIMIT,
        ws_per_message_deflate=False,
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE,
    )
    config.load()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # stop as by Ctrl-C
    with worker_and_schedule(), suppress(KeyboardInterrupt):
        WebServer(config, ready).run(sockets=[listener])


@contextmanager
def worker_and_schedule() -> Iterator[None]:
    """Run a Celery worker and Celery's beat as threads of this process while in the block."""
    worker = celery_app.WorkController(
        pool_cls="solo", without_gossip=True, without_mingle=True, without_heartbeat=True
    )
    schedule = beat.Service(celery_app, max_interval=1, scheduler_cls=beat.Scheduler)
    threads = [
        threading.Thread(target=worker.start, name="worker", daemon=True),
        threading.Thread(target=schedule.start, name="schedule", daemon=True),
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        _stop_worker(True)
        schedule.stop()
        for thread in threads:
            thread.join(GRACE / 2)
        _stop_worker(None)


def _stop_worker(ask: bool | None) -> None:
    state.should_stop = ask  # type: ignore[assignment]
