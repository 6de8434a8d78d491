"""Celery tasks of clubs and events; ``games.tasks`` explains the two queues."""

import structlog
from celery import shared_task
from django.db import connection
from django.utils import timezone

from games.exclusive_tasks import DailyTask, ExclusiveTask
from games.people import whereabouts
from games.play import outages
from tournaments.daily import closing, reminders, tries
from tournaments.fair_play import measuring
from tournaments.outbox import letters, pushes
from tournaments.ratings import rating_games, vouching
from tournaments.room_scores import writing
from tournaments.running import clock
from tournaments.webhooks import deliveries

log = structlog.get_logger(__name__)
#: Seconds between two steps of an event on a database with a single writer.
GAP = 0.03


@shared_task(name="tournaments.tasks.tick", base=ExclusiveTask)
def tick() -> None:
    """Take the steps that are due in events; see ``tournaments.running.clock``."""
    clock.tick(outages.present(), GAP if connection.vendor == "sqlite" else 0.0)


@shared_task(name="tournaments.tasks.daily_deals", base=ExclusiveTask)
def daily_deals() -> None:
    """Make, play and close the daily deals; see ``tournaments.daily.closing``."""
    reminders.send_due(timezone.now())  # first: the rest may take a minute
    closing.tick(timezone.now())


@shared_task(name="tournaments.tasks.send_letters", base=ExclusiveTask)
def send_letters() -> None:
    """Send due letters; see ``tournaments.outbox.letters``."""
    letters.send_due()


@shared_task(name="tournaments.tasks.send_pushes", base=ExclusiveTask)
def send_pushes() -> None:
    """Send due push messages; see ``tournaments.outbox.pushes``."""
    pushes.send_due()


@shared_task(name="tournaments.tasks.send_webhooks", base=ExclusiveTask)
def send_webhooks() -> None:
    """Send due webhook deliveries; see ``tournaments.webhooks.deliveries``."""
    deliveries.send_due()


@shared_task(name="tournaments.tasks.remove_old_deliveries", base=DailyTask)
def remove_old_deliveries() -> None:
    """Remove old webhook deliveries; see ``tournaments.webhooks.deliveries``."""
    deliveries.remove_old(timezone.now())


@shared_task(name="tournaments.tasks.rate", base=ExclusiveTask)
def rate() -> None:
    """Rate the games of events that have finished; see ``tournaments.ratings.rating_games``."""
    rating_games.catch_up()


@shared_task(name="tournaments.tasks.check_ratings", base=DailyTask)
def check_ratings() -> None:
    """Log where the stored ratings differ from the results; review who is vouched for."""
    vouching.review_all()
    for pool in rating_games.inconsistent_pools():
        log.error("ratings differ from the results", pool=pool)


@shared_task(name="tournaments.tasks.measure_games", base=ExclusiveTask)
def measure_games() -> None:
    """Measure finished games for the fair-play signs; see ``tournaments.fair_play.measuring``."""
    measuring.measure_ended(timezone.now())


@shared_task(name="tournaments.tasks.forget_addresses", base=DailyTask)
def forget_addresses() -> None:
    """Delete old traces of players' addresses, letters to none, and guests' tries."""
    whereabouts.forget(timezone.now())
    writing.forget_addresses(timezone.now())
    letters.forget_addresses(timezone.now())
    tries.forget_guests(timezone.now())
