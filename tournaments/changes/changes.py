"""Marks an event as changed, so that every page that shows it is brought up to date."""

from django.db import transaction
from django.db.models import F

from tournaments.changes import live
from tournaments.models import Event


def changed(event: Event) -> None:
    """Advance the event's version and, once the change is stored, tell who watches."""
    Event.objects.filter(pk=event.pk).update(version=F("version") + 1)
    transaction.on_commit(lambda: live.announce(event.pk))
