"""Celery's schedule (`celery beat`), run without the Django apps to save memory.

It sends tasks by name and needs no models. With the apps it would take as much memory as a worker.
"""

import signal
import sys
import time
from multiprocessing import get_context
from typing import Any

import django
import structlog
from celery import beat
from celery.apps.beat import Beat
from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone
from django.utils.log import configure_logging

from euchre_site.startup import startup
from games.sockets import loop

log = structlog.get_logger(__name__)


class ScheduleProgram(Beat):
    """`celery beat` without the tasks' modules."""

    def init_loader(self) -> None:
        """Check the database, then set up logging; with metrics, which need models, also Django."""
        check_database()
        if settings.METRICS_ADDRESS is None:
            configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)
            apps.populate(())
        else:
            django.setup()
        self.app.finalize()  # type: ignore[union-attr]

    def install_sync_handler(self, service: beat.Service) -> None:
        """End after the present step at a signal.

        Celery raises SystemExit wherever the step is; where that is lost, the schedule never ends.
        """
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda _number, _frame: service.stop())


def check_database() -> None:
    """Exit with one line if the database does not fit this version and these keys.

    The check loads apps and migrations, so it runs in a short-lived child process.
    """
    child = get_context("fork").Process(target=_check)
    child.start()
    child.join()
    if child.exitcode:
        sys.exit(child.exitcode)


def _check() -> None:
    django.setup()
    try:
        startup.check()
    except startup.StartError as error:
        startup.end(error, error.status)


class Schedule(beat.Scheduler):
    """Celery's schedule, kept in memory, with a heartbeat.

    It needs no file for when tasks were last sent: what is due is in the database.
    """

    #: Seconds between two heartbeats.
    EVERY = 5.0
    #: SQL for a heartbeat, as the models may not be loaded.
    HEARTBEAT = (
        "INSERT INTO games_heartbeat (name, at) VALUES ('schedule', %s)"
        " ON CONFLICT (name) DO UPDATE SET at = excluded.at"
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.next_beat = 0.0

    def tick(self, *args: Any, **kwargs: Any) -> float:
        """Send what is due; return the seconds until the next call."""
        wait: float = super().tick(*args, **kwargs)
        if time.monotonic() >= self.next_beat:
            self.next_beat = time.monotonic() + self.EVERY
            self.send_heartbeat()
        return wait

    def _when(self, _entry: Any, next_time_to_run: float, **_options: Any) -> float:
        """Return when an entry is due; Celery's own took a quarter of the time for it."""
        return time.time() + (self.adjust(next_time_to_run) or 0)  # type: ignore[arg-type]

    def schedules_equal(self, *_schedules: Any) -> bool:
        """Return True: the schedule never changes, and comparing it took a fifth of the time."""
        return True

    def send_heartbeat(self) -> None:
        now = connection.ops.adapt_datetimefield_value(timezone.now())
        try:
            with connection.cursor() as cursor:
                cursor.execute(self.HEARTBEAT, [now])
        except DatabaseError as error:
            log.warning(
                "schedule cannot store its heartbeat", reason=(str(error).splitlines() or [""])[0]
            )
        finally:
            loop.give_connection_back(keep=True)
