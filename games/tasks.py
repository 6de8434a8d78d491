"""Celery tasks of the games.

The settings route them to two queues: `ticks` for short ones that play waits for, and `work` for
those that may take long. The schedule repeats all of them, so that a later run makes up for one
that failed, was late or was lost.
"""

from concurrent.futures import CancelledError
from contextlib import suppress

from celery import shared_task
from django.utils import timezone

from games.exclusive_tasks import ExclusiveTask
from games.fairness import publishing
from games.play import outages
from games.play import sweep as clock
from games.quick import arrivals, queue
from games.records import performances
from games.review import reviewing
from games.seats import closing, house_tables
from games.shuffle import public_log, shared
from games.sockets import loop

#: Seconds one sweep may take before the next may start over.
LIMIT = 10.0


@shared_task(name="games.tasks.sweep", base=ExclusiveTask)
def sweep() -> None:
    with suppress(CancelledError):  # this process is stopping its event loop
        loop.run(clock.sweep(), LIMIT)


@shared_task(name="games.tasks.close_left", base=ExclusiveTask)
def close_left() -> None:
    closing.close_left(outages.present())


@shared_task(name="games.tasks.play_on", base=ExclusiveTask)
def play_on() -> None:
    house_tables.begin_next(outages.present())


@shared_task(name="games.tasks.seat_waiting", base=ExclusiveTask)
def seat_waiting() -> None:
    now = outages.present()
    queue.seat_waiting(now)
    arrivals.release_left(now)


@shared_task(name="games.tasks.record_performances", base=ExclusiveTask)
def record_performances() -> None:
    performances.record_ended()


@shared_task(name="games.tasks.keep_log", base=ExclusiveTask)
def keep_log() -> None:
    try:
        shared.open_played()
        publishing.publish_ended(timezone.now())
    finally:
        public_log.chain()


@shared_task(name="games.tasks.review", base=ExclusiveTask)
def review() -> None:
    reviewing.review_due()
