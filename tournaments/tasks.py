"""What the task queue does for clubs and events; its two queues are told in ``games.tasks``."""

import structlog
from celery import shared_task
from django.db import connection
from django.utils import timezone

from games.exclusive_tasks import DailyTask, ExclusiveTask
from games.people import whereabouts
from games.play import outages
from tournaments.fair_play import measuring
from tournaments.outbox import letters
from tournaments.ratings import rating
from tournaments.running import clock
from tournaments.webhooks import deliveries

log = structlog.get_logger(__name__)
#: Seconds between two steps of an event where the database has one writer.
GAP = 0.03


@shared_task(name="tournaments.tasks.tick", base=ExclusiveTask)
def tick() -> None:
    """Do whatever is due in any event; see ``tournaments.running.clock``."""
    clock.tick(outages.present(), GAP if connection.vendor == "sqlite" else 0.0)


@shared_task(name="tournaments.tasks.send_letters", base=ExclusiveTask)
def send_letters() -> None:
    """Send letters that are due; see ``tournaments.outbox.letters``."""
    letters.send_due()


@shared_task(name="tournaments.tasks.send_webhooks", base=ExclusiveTask)
def send_webhooks() -> None:
    """Send to webhooks what is due; see ``tournaments.webhooks.deliveries``."""
    deliveries.send_due()


@shared_task(name="tournaments.tasks.remove_old_deliveries", base=DailyTask)
def remove_old_deliveries() -> None:
    """Remove what webhooks were told long ago; see ``tournaments.webhooks.deliveries``."""
    deliveries.remove_old(timezone.now())


@shared_task(name="tournaments.tasks.rate", base=ExclusiveTask)
def rate() -> None:
    """Rate the games of events that have finished; see ``tournaments.ratings.rating``."""
    rating.catch_up()


@shared_task(name="tournaments.tasks.check_ratings", base=DailyTask)
def check_ratings() -> None:
    """Compare the stored ratings with what follows from the results, and say where they differ."""
    for pool in rating.differing():
        log.error("ratings differ from the results", pool=pool)


@shared_task(name="tournaments.tasks.measure_games", base=ExclusiveTask)
def measure_games() -> None:
    """Read finished games for the signs of fair play; see ``tournaments.fair_play.measuring``."""
    measuring.measure_ended(timezone.now())


@shared_task(name="tournaments.tasks.forget_addresses", base=DailyTask)
def forget_addresses() -> None:
    """Forget from where players have come; see ``games.people.whereabouts``."""
    whereabouts.forget(timezone.now())
