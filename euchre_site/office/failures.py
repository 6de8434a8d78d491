"""Counts of failed tasks, by task and exception class; nothing else is stored.

Details are in the log, which contains no cards and no user content.
"""

from datetime import datetime
from typing import Any, Final

import structlog
from celery.signals import task_failure
from django.db import DatabaseError
from django.db.models import F
from django.utils import timezone

from games.models import TaskFailure

log = structlog.get_logger(__name__)

#: Maximum number of causes; the least recent are dropped.
MAX_KEPT: Final = 200


@task_failure.connect
def note_failure(sender: Any = None, exception: Any = None, **_kwargs: Any) -> None:
    """Count a failed task; without a database it is only logged."""
    try:
        count(str(getattr(sender, "name", sender)), type(exception).__name__, timezone.now())
    except DatabaseError as error:
        log.warning("failed task not counted", reason=type(error).__name__)


def count(name: str, error: str, now: datetime) -> None:
    cause = {
        "name": name[: TaskFailure._meta.get_field("name").max_length],
        "error": error[: TaskFailure._meta.get_field("error").max_length],
    }
    same = TaskFailure.objects.filter(**cause)
    if same.update(count=F("count") + 1, last=now):
        return
    made = TaskFailure.objects.bulk_create(
        [TaskFailure(**cause, count=0, first=now, last=now)], ignore_conflicts=True
    )
    same.update(count=F("count") + 1, last=now)
    if made:
        older = TaskFailure.objects.order_by("-last", "-pk").values_list("pk", flat=True)[MAX_KEPT:]
        TaskFailure.objects.filter(pk__in=list(older)).delete()
