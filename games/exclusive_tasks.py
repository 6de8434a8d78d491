"""Tasks that run at most once at a time in a process, and whose failures hold up nothing else.

Each run also updates the heartbeat of its queue (`games.sockets.heartbeats`).
"""

import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, Final

from celery import Task
from django.db import DatabaseError, OperationalError
from django.utils import timezone
from structlog.typing import FilteringBoundLogger

from games.sockets import heartbeats, loop, metrics

_running: Final[defaultdict[tuple[str | None, tuple[Any, ...]], threading.Lock]] = defaultdict(
    threading.Lock
)
_guard: Final = threading.Lock()

#: Seconds between two heartbeats of a queue from one process.
EVERY: Final = 5.0
#: By queue, when its next heartbeat is due, on this process's monotonic clock.
_next_beats: Final[dict[str, float]] = {}


class ExclusiveTask(Task[Any, Any]):
    """A task that is skipped while this process runs it with the same arguments.

    The schedule sends each task repeatedly. A slow one, such as with an unresponsive mail server,
    would otherwise occupy one thread after another. Other processes may run the same task
    concurrently, because tasks claim their work row by row.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with _guard:
            lock = _running[self.name, args]
        if not lock.acquire(blocking=False):
            return None
        name = str(self.name).rpartition(".")[2]
        try:
            with (
                metrics.task_seconds.labels(name).time(),
                metrics.tasks_failed.labels(name).count_exceptions(),
            ):
                self._record_queue()
                # Celery's own `__call__` would replace the request, and with it the queue.
                return self.run(*args, **kwargs)
        finally:
            if self._queue() is not None:  # called directly, it uses the caller's connection
                loop.give_connection_back(keep=True)
            lock.release()

    def _queue(self) -> str | None:
        """Return the queue that delivered this task; None if it was called directly."""
        queue: str | None = (self.request.delivery_info or {}).get("routing_key")
        return queue

    def _record_queue(self) -> None:
        queue, now = self._queue(), monotonic()
        if queue is None or now < _next_beats.get(queue, 0.0):
            return
        heartbeats.beat(queue, timezone.now())
        _next_beats[queue] = now + EVERY


class DailyTask(ExclusiveTask):
    """A task sent once a day, retried with growing delays if the database is unavailable."""

    autoretry_for = (OperationalError,)
    retry_backoff = 60  # seconds before the second try; then twice as many each time
    retry_backoff_max = 3600
    max_retries = 8


@contextmanager
def failing_alone(log: FilteringBoundLogger, event: str, **about: Any) -> Iterator[None]:
    """Log a failure at one of many rows, so that it holds up none of the others.

    One of the database is raised: the others would meet it too.
    """
    try:
        yield
    except DatabaseError:
        raise
    except Exception:  # noqa: BLE001 - logged, and the others go on
        log.bind(**about).exception(event)
