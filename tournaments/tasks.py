"""What the task queue does for clubs and events."""

from celery import shared_task
from django.utils import timezone

from tournaments.services import clock, letters


@shared_task(name="tournaments.tasks.tick")
def tick() -> None:
    """Do whatever is due in any event; see ``tournaments.services.clock``."""
    clock.tick(timezone.now())


@shared_task(name="tournaments.tasks.send_letters")
def send_letters() -> None:
    """Send letters that are due; see ``tournaments.services.letters``."""
    letters.send_due(timezone.now())
