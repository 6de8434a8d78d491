"""Claiming due rows, so that each is sent by one worker and retried after failures.

Letters and webhook deliveries are rows with a time `due`. A worker claims the most overdue by
moving `due` to the time of the next try: if sending fails, or the worker dies, the row becomes due
again by itself, after growing delays, and is given up after the last one. The delay counts from the
claim, not from the start of the run, which may last longer than the first delay.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import TypeVar

from django.db import transaction
from django.db.models import QuerySet

from games.models import Farewell, PushMessage, Takeaway
from tournaments.models import Delivery, Letter

Row = TypeVar("Row", Letter, Delivery, Farewell, Takeaway, PushMessage)

#: Returns the current time.
Clock = Callable[[], datetime]


def claims(
    waiting: QuerySet[Row],
    clock: Clock,
    delays: Sequence[timedelta],
    counted: str,
    at_once: int = 1,
) -> Iterator[list[Row]]:
    """Yield due rows until there are none; safe in any number of workers at once.

    `delays` are the times from each failed try to the next one; `counted` is the field that counts
    the tries; `at_once` rows are claimed together.
    """
    while claimed := claim(waiting, clock(), delays, counted, at_once):
        yield claimed


def claim(
    waiting: QuerySet[Row],
    now: datetime,
    delays: Sequence[timedelta],
    counted: str,
    at_once: int = 1,
) -> list[Row]:
    """Return the most overdue rows, claimed as `claims` does."""
    with transaction.atomic():
        free = waiting.filter(due__lte=now).order_by("due", "pk")
        claimed = list(free.select_for_update(of=("self",), skip_locked=True)[:at_once])
        for row in claimed:
            tries = getattr(row, counted)
            row.due = now + delays[tries] if tries < len(delays) else None
            setattr(row, counted, tries + 1)
            row.save(update_fields=["due", counted])
    return claimed
