"""The task queue: settings named CELERY_*; tasks are the apps' `tasks` modules."""

import os
import time
from datetime import datetime
from functools import cached_property
from typing import Any

import structlog
from celery import Celery, beat
from celery.signals import beat_init, setup_logging, worker_init
from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone

from euchre_site.run import starting
from games.sockets import loop

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "euchre_site.settings")
starting.load_settings()

log = structlog.get_logger(__name__)


class Bower(Celery):
    """Celery with a cheaper clock."""

    def now(self) -> datetime:
        """Return the current time in the schedule's time zone.

        Celery's own converts it from UTC and checks it for ambiguity, a third of the time that the
        schedule's thread took.
        """
        return datetime.now(self.timezone)

    @cached_property
    def Beat(self) -> Any:  # noqa: N802 - Celery's name
        """The program of the schedule."""
        from euchre_site.schedule import ScheduleProgram  # which only that process needs

        return self.subclass_with_self(ScheduleProgram)


app = Bower("bower")
app.config_from_object("django.conf:settings", namespace="CELERY")
if settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # Opening a SQLite file takes as long as a task that finds nothing to do: a thread keeps its
    # connection for many tasks, until one fails (`games/one_at_a_time.py`)
    app.conf.update(CELERY_DB_REUSE_MAX=1000)
app.autodiscover_tasks()
app.autodiscover_tasks(["euchre_site.office"])  # a room of an app, which Celery does not look into
app.set_default()  # in every thread, not only in the one that imports this


@setup_logging.connect
def keep_our_logging(**_kwargs: Any) -> None:
    """Keep Celery from replacing the logging that Django has set up, and from going round it."""
    if settings.LOG_FORMAT == "json":
        from celery.apps import worker as worker_program  # no web process needs it

        worker_program.safe_say = lambda said, *_to: log.info(said.strip())  # type: ignore[attr-defined]


@worker_init.connect
def refuse_other_pools(sender: Any, **_kwargs: Any) -> None:
    """End a worker that would not do its tasks, with one line that says how to start it.

    Processes (``prefork``) would close the database under the loop by which a sweep lets tables
    act; a single thread (``solo``), or too few, would let long tasks keep the short ones waiting.
    """
    pool = sender.pool_cls if isinstance(sender.pool_cls, str) else sender.pool_cls.__module__
    if "thread" not in pool:
        raise SystemExit(
            f"This worker would do its tasks by “{pool.rpartition('.')[2]}”, and Bower's need "
            "threads: start it with --pool threads, or without --pool."
        )
    least, queues = app.conf.worker_concurrency, app.amqp.queues.consume_from
    if len(queues) > 1 and sender.concurrency < least:
        raise SystemExit(
            f"This worker would have {sender.concurrency} threads for all tasks, and long ones "
            f"would keep short ones waiting: leave --concurrency at {least}, or start one worker "
            "for each queue, with -Q ticks and with -Q work."
        )


@worker_init.connect
def refuse_a_database_that_does_not_fit(**_kwargs: Any) -> None:
    """End a worker with one line if the database is not of this code and keys."""
    try:
        starting.check()
    except starting.StartError as error:
        starting.end(error, error.status)


@worker_init.connect
@beat_init.connect
def tell_metrics(**_kwargs: Any) -> None:
    """Tell what a worker or a schedule has counted; in quickstart the web server does."""
    if settings.METRICS_ADDRESS is None:
        return
    from euchre_site.watching import metrics  # it needs the apps, which load this module

    metrics.serve()


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
