"""What the task queue does for tables."""

from celery import shared_task
from django.utils import timezone

from games import loop
from games.services import clock, closing, performances, public_log, publishing

#: Seconds one sweep may take before the next may start over.
LIMIT = 10.0


@shared_task(name="games.tasks.sweep")
def sweep() -> None:
    """Let every table act whose moment has passed; see ``games.services.clock``."""
    loop.run(clock.sweep(), LIMIT)


@shared_task(name="games.tasks.close_left")
def close_left() -> None:
    """Close tables everybody has left; see ``games.services.closing``."""
    closing.close_left(timezone.now())


@shared_task(name="games.tasks.note_performances")
def note_performances() -> None:
    """Note what everybody did in games that have ended; see ``games.services.performances``."""
    performances.note_ended()


@shared_task(name="games.tasks.keep_log")
def keep_log() -> None:
    """Publish games that have ended and chain the log; see ``games.services.public_log``."""
    try:
        publishing.publish_ended(timezone.now())
    finally:
        public_log.chain()
