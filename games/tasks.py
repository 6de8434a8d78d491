"""Celery tasks of the games.

The settings route them to two queues: `ticks` for short ones that play waits for, and `work` for
those that may take long. The schedule repeats all of them, so that a later run makes up for one
that failed, was late or was lost.
"""

from concurrent.futures import CancelledError
from contextlib import suppress

from celery import shared_task
from django.utils import timezone

from games.analysis import analysing
from games.exclusive_tasks import ExclusiveTask
from games.fairness import publishing
from games.notifying import absent, pushes
from games.play import outages
from games.play import sweep as clock
from games.quick import arrivals, queue
from games.records import archiving, performances
from games.review import reviewing
from games.seats import closing, house_tables
from games.shuffle import public_log, shared
from games.sockets import loop
from games.talk import keeping


@shared_task(name="games.tasks.sweep", base=ExclusiveTask)
def sweep() -> None:
    with suppress(CancelledError):  # this process is stopping its event loop
        loop.run(clock.sweep(), 2 * clock.LIMIT)


@shared_task(name="games.tasks.close_left", base=ExclusiveTask)
def close_left() -> None:
    closing.close_left(outages.present())


@shared_task(name="games.tasks.play_on", base=ExclusiveTask)
def play_on() -> None:
    house_tables.begin_next(outages.present())


@shared_task(name="games.tasks.seat_waiting", base=ExclusiveTask)
def seat_waiting() -> None:
    queue.seat_waiting(outages.present())


@shared_task(name="games.tasks.release_left", base=ExclusiveTask)
def release_left() -> None:
    arrivals.release_left(outages.present())


@shared_task(name="games.tasks.call_absent", base=ExclusiveTask)
def call_absent() -> None:
    absent.call_absent(timezone.now())


@shared_task(name="games.tasks.forget_pushes", base=ExclusiveTask)
def forget_pushes() -> None:
    pushes.forget_old(timezone.now())


@shared_task(name="games.tasks.record_performances", base=ExclusiveTask)
def record_performances() -> None:
    performances.record_ended()


@shared_task(name="games.tasks.archive", base=ExclusiveTask)
def archive() -> None:
    archiving.archive_due(timezone.now())


@shared_task(name="games.tasks.keep_log", base=ExclusiveTask)
def keep_log() -> None:
    try:
        shared.open_played()
        publishing.publish_ended(timezone.now())
    finally:
        public_log.chain()


@shared_task(name="games.tasks.forget_talk", base=ExclusiveTask)
def forget_talk() -> None:
    keeping.delete_old(timezone.now())


@shared_task(name="games.tasks.review", base=ExclusiveTask)
def review() -> None:
    reviewing.review_due()


@shared_task(name="games.tasks.analyse", base=ExclusiveTask)
def analyse() -> None:
    analysing.analyse_due()


@shared_task(name="games.tasks.forget_analyses", base=ExclusiveTask)
def forget_analyses() -> None:
    analysing.forget_old(timezone.now())
