"""Verbs on one event, or one club, come one after another: each holds its row to its end.

What such a verb changes is marked, so that every page that shows it is brought up to date.

SQLite has no locks on rows: there a transaction holds the whole database, and the others ask
again and again until they give up. In a rush that is too long for some, so that within a process
they queue before they ask.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import wraps
from threading import Lock
from typing import Concatenate, ParamSpec, TypeVar

from django.db import connection, transaction
from django.db.models import F

from tournaments.changes import live
from tournaments.models import Club, Event
from tournaments.refusals import RefusedError

P = ParamSpec("P")
R = TypeVar("R")

_queue = Lock()


@contextmanager
def held(event: Event) -> Iterator[Event]:
    """Hold an event's row in a transaction, and give the event as it is now, with its club."""
    holds_all = connection.vendor != "sqlite" or connection.in_atomic_block
    with nullcontext() if holds_all else _queue, transaction.atomic():
        rows = Event.objects.select_related("club").select_for_update(of=("self",))
        yield rows.get(pk=event.pk)


def changed(event: Event) -> None:
    """Advance the event's version and, once the change is stored, tell who watches."""
    Event.objects.filter(pk=event.pk).update(version=F("version") + 1)
    transaction.on_commit(lambda: live.announce(event.pk))


@contextmanager
def changing(event: Event) -> Iterator[Event]:
    """Hold an event's row for a change, and show the change once it is stored."""
    with held(event) as held_event:
        yield held_event
        changed(held_event)


def on_held_event(verb: Callable[Concatenate[Event, P], R]) -> Callable[Concatenate[Event, P], R]:
    """Let a verb be called with its event held and as it is now."""

    @wraps(verb)
    def with_event_held(event: Event, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with held(event) as now_held:
            return verb(now_held, *args, **kwargs)

    return with_event_held


def held_club(club: Club) -> Club:
    """Return the club's row, held until the transaction ends.

    Raises:
        RefusedError: ``gone``, it has been deleted meanwhile.
    """
    found = Club.objects.select_for_update().filter(pk=club.pk).first()
    if found is None:
        raise RefusedError("gone", "This club has been deleted.", 404)
    return found
