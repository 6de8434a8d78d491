"""Tasks of which a process does one at a time, however many of its threads take them."""

import threading
from collections import defaultdict
from typing import Any, Final

from celery import Task
from django.db import OperationalError

from games.sockets import tallies

_running: Final[defaultdict[tuple[str | None, tuple[Any, ...]], threading.Lock]] = defaultdict(
    threading.Lock
)
_guard: Final = threading.Lock()


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
                tallies.task_seconds.labels(name).time(),
                tallies.tasks_failed.labels(name).count_exceptions(),
            ):
                # Celery's own `__call__` would forget by what it came
                return self.run(*args, **kwargs)
        finally:
            lock.release()


class DailyTask(OneAtATime):
    """A task that is sent once a day: without a database it is tried again, ever later."""

    autoretry_for = (OperationalError,)
    retry_backoff = 60  # seconds before the second try; then twice as many each time
    retry_backoff_max = 3600
    max_retries = 8
