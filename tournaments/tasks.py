"""What the task queue does for clubs and events."""

import structlog
from celery import shared_task
from django.db import connection
from django.utils import timezone

from tournaments.services import clock, deliveries, letters, rating
from tournaments.services.aside import Aside

log = structlog.get_logger(__name__)
#: Seconds between two steps of an event where the database has one writer.
GAP = 0.03


@shared_task(name="tournaments.tasks.tick")
def tick() -> None:
    """Do whatever is due in any event; see ``tournaments.services.clock``."""
    clock.tick(timezone.now(), GAP if connection.vendor == "sqlite" else 0.0)


@shared_task(name="tournaments.tasks.send_letters")
def send_letters() -> None:
    """Send letters that are due; see ``tournaments.services.letters``."""
    sending_letters.start()


@shared_task(name="tournaments.tasks.send_webhooks")
def send_webhooks() -> None:
    """Send to webhooks what is due; see ``tournaments.services.deliveries``."""
    sending_webhooks.start()


@shared_task(name="tournaments.tasks.remove_old_deliveries")
def remove_old_deliveries() -> None:
    """Remove what webhooks were told long ago; see ``tournaments.services.deliveries``."""
    deliveries.remove_old(timezone.now())


@shared_task(name="tournaments.tasks.rate")
def rate() -> None:
    """Rate the games of events that have finished; see ``tournaments.services.rating``."""
    rating_games.start()


@shared_task(name="tournaments.tasks.check_ratings")
def check_ratings() -> None:
    """Compare the stored ratings with what follows from the results, and say where they differ."""
    checking_ratings.start()


def _check_ratings() -> None:
    for pool in rating.differing():
        log.error("ratings differ from the results", pool=pool)


sending_letters = Aside("letters", lambda: letters.send_due(timezone.now()))
sending_webhooks = Aside("webhooks", lambda: deliveries.send_due(timezone.now()))
rating_games = Aside("ratings", rating.catch_up)
checking_ratings = Aside("check of ratings", _check_ratings)
