"""Tasks of the staff pages, and the count of failed tasks."""

from celery import shared_task
from django.utils import timezone

from euchre_site.office import account_actions, failures
from games.exclusive_tasks import ExclusiveTask

__all__ = ["failures", "keep_bans"]


@shared_task(name="euchre_site.office.tasks.keep_bans", base=ExclusiveTask)
def keep_bans() -> None:
    account_actions.keep(timezone.now())
