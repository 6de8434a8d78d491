"""The task queue: settings named CELERY_*; tasks are the apps' `tasks` modules."""

import os
from datetime import datetime
from functools import cached_property
from typing import Any

import structlog
from celery import Celery
from celery.signals import beat_init, setup_logging, worker_init
from django.conf import settings

from euchre_site.startup import startup

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "euchre_site.settings")
startup.load_settings()

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
        startup.check()
    except startup.StartError as error:
        startup.end(error, error.status)


@worker_init.connect
@beat_init.connect
def tell_metrics(**_kwargs: Any) -> None:
    """Tell what a worker or a schedule has counted; in quickstart the web server does."""
    if settings.METRICS_ADDRESS is None:
        return
    from euchre_site.monitoring import metrics_server  # it needs the apps, which load this module

    metrics_server.serve()
