"""Tasks that failed: counted by task and class of the exception, and nothing else of them is kept.

What they were about stands in the log, which never holds cards nor what people write.
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

#: Causes that are kept; of more the one that was last seen longest ago is forgotten.
MOST: Final = 200


@task_failure.connect
def note_failure(sender: Any = None, exception: Any = None, **_kwargs: Any) -> None:
    """Count a task that has failed; without a database only the log tells of it."""
    try:
        count(str(getattr(sender, "name", sender)), type(exception).__name__, timezone.now())
    except DatabaseError as error:
        log.warning("a failed task is not noted", reason=type(error).__name__)


def count(name: str, error: str, now: datetime) -> None:
    """Count one more failure.

    name: of the task. error: the class of the exception.
    """
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
        older = TaskFailure.objects.order_by("-last", "-pk").values_list("pk", flat=True)[MOST:]
        TaskFailure.objects.filter(pk__in=list(older)).delete()
