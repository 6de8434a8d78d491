"""What the task queue does for people's own data; its queues are told in ``games.tasks``."""

from celery import shared_task
from django.utils import timezone

from euchre_site.own_data import deletion, sessions, takeaway
from games.one_at_a_time import OneAtATime
from games.people import names


@shared_task(name="euchre_site.tasks.make_takeaways", base=OneAtATime)
def make_takeaways() -> None:
    """Make the files that people have asked for; see ``euchre_site.own_data.takeaway``."""
    takeaway.make_due(timezone.now())


@shared_task(name="euchre_site.tasks.delete_accounts", base=OneAtATime)
def delete_accounts() -> None:
    """Delete the accounts that are due; see ``euchre_site.own_data.deletion``."""
    now = timezone.now()
    deletion.sweep(now)
    deletion.send_farewells(now)


@shared_task(name="euchre_site.tasks.forget_old", base=OneAtATime)
def forget_old() -> None:
    """Remove what is kept for a while only: files, held names, sessions of nobody."""
    now = timezone.now()
    takeaway.forget_old(now)
    names.forget_held(now)
    sessions.forget_gone()
