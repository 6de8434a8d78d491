"""Parts of the site that run on threads of this process, and are started again when they end."""

import threading
import time
from collections.abc import Callable
from typing import Protocol

import structlog

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
            reason = self._run_once()
            if time.monotonic() - begun > self.WELL:
                wait = self.FIRST_WAIT
            if self._ending.is_set():
                return
            log.error("ended, and is started again", part=self.name, reason=reason, seconds=wait)
            self._ending.wait(wait)
            wait = min(2 * wait, self.LONGEST_WAIT)

    def _run_once(self) -> str:
        try:
            self.make().start()
        except BaseException as error:  # noqa: BLE001 - Celery ends its parts by SystemExit too
            return f"{type(error).__name__}: {error}"
        return "it stopped by itself"
