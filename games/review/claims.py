"""Rows that workers take up by a time `due`, shared by reviews and analyses.

A worker claims the row due longest by moving `due` ahead, and again with all that it stores. If it
dies or the site stops, the row becomes due by itself and another worker goes on after what was
stored. A worker that was only slow finds `due` changed, and stops.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TypeVar

from django.db import transaction
from django.db.models import QuerySet

from games.models import Analysis, Review

Work = TypeVar("Work", Analysis, Review)


def claim(rows: QuerySet[Work], now: datetime, lease: timedelta) -> Work | None:
    """Take up the row that has been due longest, for the time of the lease."""
    with transaction.atomic():
        free = rows.filter(due__lte=now).order_by("due", "pk")
        row = free.select_for_update(of=("self",), skip_locked=True).first()
        if row is None:
            return None
        row.due = now + lease
        row.save(update_fields=["due"])
        return row


def store(row: Work, due: datetime | None, **values: object) -> bool:
    """Store values if the row is still this worker's; return False if it is not."""
    mine: QuerySet[Work] = type(row).objects.filter(pk=row.pk, due=row.due)
    if not mine.update(due=due, **values):
        return False
    row.due = due or row.due  # which a caller needs again whose transaction fails
    for name, value in values.items():
        setattr(row, name, value)
    return True
