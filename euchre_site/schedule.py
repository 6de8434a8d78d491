"""`celery beat` without the apps: the schedule sends tasks by their names and needs no model.

It is a process of its own on larger sites, and with the apps would take as much memory as a worker.
"""

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
    """Celery's beat, which loads no tasks."""

    def init_loader(self) -> None:
        """Load the settings' logging; end the process if the database does not fit.

        With metrics the apps are loaded all the same: what is told is asked of their models.
        """
        refuse_a_database_that_does_not_fit()
        if settings.METRICS_ADDRESS is None:
            configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)
            apps.populate(())
        else:
            django.setup()
        self.app.finalize()  # type: ignore[union-attr]


def refuse_a_database_that_does_not_fit() -> None:
    """End the process with one line if the database is not of this code and these keys.

    To find out takes the apps and all migrations: a process does it that ends with the answer.
    """
    looking = get_context("fork").Process(target=_look)
    looking.start()
    looking.join()
    if looking.exitcode:
        sys.exit(looking.exitcode)


def _look() -> None:
    django.setup()
    try:
        startup.check()
    except startup.StartError as error:
        startup.end(error, error.status)


class Schedule(beat.Scheduler):
    """Celery's schedule, kept in memory, which says that it is at work.

    It needs no file of what was sent when: what is due is rows in the database.
    """

    #: Seconds between two signs of life.
    EVERY = 5.0
    #: How it does so without the models, which a schedule of its own does not load.
    NOTE = (
        "INSERT INTO games_heartbeat (name, at) VALUES ('schedule', %s)"
        " ON CONFLICT (name) DO UPDATE SET at = excluded.at"
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.next_beat = 0.0

    def tick(self, *args: Any, **kwargs: Any) -> float:
        """Send what is due; return in how many seconds there is something to do again."""
        wait: float = super().tick(*args, **kwargs)
        if time.monotonic() >= self.next_beat:
            self.next_beat = time.monotonic() + self.EVERY
            self.note_beat()
        return wait

    def schedules_equal(self, *_schedules: Any) -> bool:
        """Say that nothing has been changed: the schedule is that of the settings.

        Compared entry by entry at every tick, as Celery does, it took a fifth of this thread.
        """
        return True

    def note_beat(self) -> None:
        """Note that the schedule is at work; without a database it goes on all the same."""
        now = connection.ops.adapt_datetimefield_value(timezone.now())
        try:
            with connection.cursor() as cursor:
                cursor.execute(self.NOTE, [now])
        except DatabaseError as error:
            log.warning("the schedule cannot note that it is at work", reason=_first_line(error))
        finally:
            loop.give_connection_back(keep=True)


def _first_line(error: DatabaseError) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
