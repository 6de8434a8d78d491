"""Verbs on one event come one after another: each holds the event's row to its end."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

from tournaments.models import Event


def locked(event: Event) -> Event:
    """Return the event as it is now, with its club, held until the transaction ends.

    On SQLite, where rows have no locks, every transaction holds the whole database.
    """
    rows = Event.objects.select_related("club").select_for_update(of=("self",))
    return rows.get(pk=event.pk)


@contextmanager
def held(event: Event) -> Iterator[Event]:
    """Hold an event's row in a transaction of its own, and give the event as it is now."""
    with transaction.atomic():
        yield locked(event)
