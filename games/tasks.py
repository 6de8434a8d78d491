"""What the task queue does for tables.

The settings send each to one of two queues: `ticks` for short ones, for which what is played waits,
and `work` for those that may take long. The schedule sends each again, so that one which failed,
came late or was lost is made up for by the next.
"""

from concurrent.futures import CancelledError
from contextlib import suppress

from celery import shared_task
from django.utils import timezone

from games.fairness import publishing
from games.one_at_a_time import OneAtATime
from games.play import outages
from games.play import sweep as clock
from games.records import performances
from games.seats import closing, house_tables
from games.shuffle import public_log
from games.sockets import loop

#: Seconds one sweep may take before the next may start over.
LIMIT = 10.0


@shared_task(name="games.tasks.sweep", base=OneAtATime)
def sweep() -> None:
    """Let every table act whose moment has passed; see ``games.play.sweep``."""
    with suppress(CancelledError):  # the web server of this process ends, and its loop with it
        loop.run(clock.sweep(), LIMIT)


@shared_task(name="games.tasks.close_left", base=OneAtATime)
def close_left() -> None:
    """Close tables everybody has left; see ``games.seats.closing``."""
    closing.close_left(outages.present())


@shared_task(name="games.tasks.play_on", base=OneAtATime)
def play_on() -> None:
    """Begin the next games of house tables; see ``games.seats.house_tables``."""
    house_tables.begin_next(outages.present())


@shared_task(name="games.tasks.note_performances", base=OneAtATime)
def note_performances() -> None:
    """Note what everybody did in games that have ended; see ``games.records.performances``."""
    performances.note_ended()


@shared_task(name="games.tasks.keep_log", base=OneAtATime)
def keep_log() -> None:
    """Publish games that have ended and chain the log; see ``games.shuffle.public_log``."""
    try:
        publishing.publish_ended(timezone.now())
    finally:
        public_log.chain()
