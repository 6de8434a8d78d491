"""Tasks of the site: people's own data, and backups; ``games.tasks`` describes the queues."""

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from euchre_site.backups import daily
from euchre_site.own_data import deletion, exports, sessions
from games.exclusive_tasks import ExclusiveTask
from games.friends import inviting
from games.people import friends, names
from tournaments.clubs import calls


@shared_task(name="euchre_site.tasks.own_data", base=ExclusiveTask)
def own_data() -> None:
    """Delete accounts that are due, make the requested exports, and remove old ones."""
    now = timezone.now()
    deletion.sweep(now)
    if deletion.gone_just_now(now):
        sessions.forget_gone()
    deletion.send_farewells()
    exports.make_due()
    exports.delete_old(now)
    names.forget_held(now)
    friends.forget(now)
    inviting.forget(now)
    calls.forget(now)


@shared_task(name="euchre_site.tasks.back_up", base=ExclusiveTask)
def back_up() -> None:
    if settings.BACKUPS:
        daily.back_up_if_due(timezone.now())
