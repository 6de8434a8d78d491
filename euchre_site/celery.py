"""The Celery app; its settings are named CELERY_*, its tasks are in the apps' `tasks` modules."""

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
    """Celery with a faster clock and this site's schedule."""

    def now(self) -> datetime:
        """Return the current time in the schedule's time zone.

        Celery's own converts it from UTC and checks it for ambiguity, which took a third of the
        schedule's time.
        """
        return datetime.now(self.timezone)

    @cached_property
    def Beat(self) -> Any:  # noqa: N802 - Celery's name
        from euchre_site.schedule import ScheduleProgram  # only that process needs it

        return self.subclass_with_self(ScheduleProgram)


app = Bower("bower")
app.config_from_object("django.conf:settings", namespace="CELERY")
if settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # Opening a SQLite file takes as long as a task with nothing to do: a thread keeps its
    # connection for many tasks, or until one fails (`games/exclusive_tasks.py`)
    app.conf.update(CELERY_DB_REUSE_MAX=1000)
app.autodiscover_tasks()
app.autodiscover_tasks(["euchre_site.office"])  # not an app, so not found by itself
app.set_default()  # in every thread, not only the importing one


@setup_logging.connect
def keep_our_logging(**_kwargs: Any) -> None:
    """Keep Celery from replacing Django's logging, and from printing past it."""
    if settings.LOG_FORMAT == "json":
        from celery.apps import worker as worker_program  # web processes do not need it

        worker_program.safe_say = lambda said, *_to: log.info(said.strip())  # type: ignore[attr-defined]


@worker_init.connect
def refuse_other_pools(sender: Any, **_kwargs: Any) -> None:
    """Exit unless the worker uses threads, and enough of them.

    Processes (``prefork``) would close the database connections of the event loop on which tables
    act. With one thread (``solo``) or too few, long tasks would hold up short ones.
    """
    pool = sender.pool_cls if isinstance(sender.pool_cls, str) else sender.pool_cls.__module__
    if "thread" not in pool:
        raise SystemExit(
            f"This worker would use the pool “{pool.rpartition('.')[2]}”, and Bower's tasks need "
            "threads: start it with --pool threads, or without --pool."
        )
    least, queues = app.conf.worker_concurrency, app.amqp.queues.consume_from
    if len(queues) > 1 and sender.concurrency < least:
        raise SystemExit(
            f"This worker would have {sender.concurrency} threads for all tasks, and long tasks "
            f"would hold up short ones: leave --concurrency at {least}, or start one worker for "
            "each queue, with -Q ticks and with -Q work."
        )


@worker_init.connect
def check_database(**_kwargs: Any) -> None:
    try:
        startup.check()
    except startup.StartError as error:
        startup.end(error, error.status)


@worker_init.connect
@beat_init.connect
def serve_metrics(**_kwargs: Any) -> None:
    """Serve the metrics of a worker or schedule; in quickstart the web server does."""
    if settings.METRICS_ADDRESS is None:
        return
    from euchre_site.monitoring import metrics_server  # it needs the apps, which import this module

    metrics_server.serve()
