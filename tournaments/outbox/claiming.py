"""Taking what is due to be sent, so that each thing is sent by one worker, and tried again.

Letters, messages to webhooks and the like are rows with a moment `due`. A worker takes those due
longest and at once puts them off until this try should have ended: what fails, or whose worker dies
while it is sent, is due again by itself, ever later, and given up after the last delay. The delay
counts from the moment the row is claimed, not from the start of the run: a run may last for longer
than the first delay.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import TypeVar

from django.db import transaction
from django.db.models import QuerySet

from games.models import Farewell, Takeaway
from tournaments.models import Delivery, Letter

Row = TypeVar("Row", Letter, Delivery, Farewell, Takeaway)

#: Returns the current time.
Clock = Callable[[], datetime]


def claims(
    waiting: QuerySet[Row],
    clock: Clock,
    delays: Sequence[timedelta],
    counted: str,
    at_once: int = 1,
) -> Iterator[list[Row]]:
    """Take what is due, until nothing is; any number of workers may do so at once.

    Args:
        waiting: the rows that may be sent, with what is needed to send them.
        clock: read once for each claim.
        delays: how long after each try that failed the next one is made.
        counted: the field that counts the tries.
        at_once: how many rows are taken together.
    """
    while True:
        now = clock()
        with transaction.atomic():
            free = waiting.filter(due__lte=now).order_by("due", "pk")
            claimed = list(free.select_for_update(of=("self",), skip_locked=True)[:at_once])
            for row in claimed:
                tries = getattr(row, counted)
                row.due = now + delays[tries] if tries < len(delays) else None
                setattr(row, counted, tries + 1)
                row.save(update_fields=["due", counted])
        if not claimed:
            return
        yield claimed
