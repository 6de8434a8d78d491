"""What the task queue does for the office, and what it tells it of itself."""

from celery import shared_task
from django.utils import timezone

from euchre_site.office import account_acts, failures
from games.exclusive_tasks import ExclusiveTask

__all__ = ["failures", "keep_bans"]


@shared_task(name="euchre_site.office.tasks.keep_bans", base=ExclusiveTask)
def keep_bans() -> None:
    """Open accounts whose time is up, and finish closing others; see `account_acts.keep`."""
    account_acts.keep(timezone.now())
