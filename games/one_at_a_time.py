"""Tasks of which a process does one at a time, however many of its threads take them.

Each is also a sign of life of the queue that it came by (`games.sockets.heartbeats`).
"""

import threading
from collections import defaultdict
from time import monotonic
from typing import Any, Final

from celery import Task
from django.db import OperationalError
from django.utils import timezone

from games.sockets import heartbeats, loop, metrics

_running: Final[defaultdict[tuple[str | None, tuple[Any, ...]], threading.Lock]] = defaultdict(
    threading.Lock
)
_guard: Final = threading.Lock()

#: Least seconds between two signs of life of a queue from one process.
EVERY: Final = 5.0
#: By queue, when its next sign is due, on this process's monotonic clock.
_next_beats: Final[dict[str, float]] = {}


class OneAtATime(Task[Any, Any]):
    """A task that does nothing while this process is at the same task with the same arguments.

    The schedule sends each task again and again. One that takes long, a silent mail server for
    example, would otherwise take one thread after another from all the others. Other processes may
    do the same task meanwhile: what it does is claimed row by row.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Do the task, unless it is being done."""
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
                self._note_queue()
                # Celery's own `__call__` would forget by what it came
                return self.run(*args, **kwargs)
        finally:
            if self._queue() is not None:  # a caller keeps its own
                loop.give_connection_back(keep=True)
            lock.release()

    def _queue(self) -> str | None:
        """The queue that this task came by; None if it was called directly."""
        queue: str | None = (self.request.delivery_info or {}).get("routing_key")
        return queue

    def _note_queue(self) -> None:
        """Store a sign of life of the queue that this task came by, unless there was one lately."""
        queue, now = self._queue(), monotonic()
        if queue is None or now < _next_beats.get(queue, 0.0):
            return
        heartbeats.beat(queue, timezone.now())
        _next_beats[queue] = now + EVERY


class DailyTask(OneAtATime):
    """A task that is sent once a day: without a database it is tried again, ever later."""

    autoretry_for = (OperationalError,)
    retry_backoff = 60  # seconds before the second try; then twice as many each time
    retry_backoff_max = 3600
    max_retries = 8
