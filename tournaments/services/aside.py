"""Work that may take long is done aside: the worker that starts it has other tasks every second."""

import threading
from collections.abc import Callable

import structlog
from django.db import connection

log = structlog.get_logger(__name__)


class Aside:
    """A job that runs on a thread of its own, once at a time in this process.

    Args:
        name: of the thread; the log tells it when a run has failed.
        work: the job. The database connection that it uses is closed after it.
    """

    def __init__(self, name: str, work: Callable[[], object]) -> None:
        self.name = name
        self.work = work
        self._at_it = threading.Lock()

    def start(self) -> threading.Thread | None:
        """Start a run and return its thread; None if one is going on."""
        if not self._at_it.acquire(blocking=False):
            return None
        thread = threading.Thread(target=self._run, name=self.name, daemon=True)
        thread.start()
        return thread

    def _run(self) -> None:
        try:
            self.work()
        except Exception:
            log.exception("failed", job=self.name)
        finally:
            connection.close()
            self._at_it.release()
