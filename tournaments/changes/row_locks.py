"""Row locks: actions on one event or club run one after another.

An action that changes an event marks it as changed, so that open pages are updated.

SQLite has no row locks: a transaction locks the whole database, and others poll for it until they
time out. Under load some would time out, so within a process they queue up first.
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
def locked(event: Event) -> Iterator[Event]:
    """Lock an event's row in a transaction and yield the event as stored, with its club."""
    holds_all = connection.vendor != "sqlite" or connection.in_atomic_block
    with nullcontext() if holds_all else _queue, transaction.atomic():
        rows = Event.objects.select_related("club").select_for_update(of=("self",))
        yield rows.get(pk=event.pk)


def changed(event: Event) -> None:
    """Increment the event's version and, after the commit, notify open pages."""
    Event.objects.filter(pk=event.pk).update(version=F("version") + 1)
    transaction.on_commit(lambda: live.announce(event.pk))


@contextmanager
def changing(event: Event) -> Iterator[Event]:
    """Lock an event for a change, and notify open pages once it is stored."""
    with locked(event) as locked_event:
        yield locked_event
        changed(locked_event)


def with_event_lock(verb: Callable[Concatenate[Event, P], R]) -> Callable[Concatenate[Event, P], R]:
    """Call the function with its event locked and freshly read."""

    @wraps(verb)
    def locking(event: Event, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with locked(event) as locked_event:
            return verb(locked_event, *args, **kwargs)

    return locking


def locked_club(club: Club, *, deleting: bool = False) -> Club:
    """Lock a club's row until the transaction ends; RefusedError ``gone`` if it was deleted.

    Rows that refer to it can still be added, unless it is for `deleting`: whoever has locked an
    event of it, and adds the next one, would wait for whoever waits for that event.
    """
    found = Club.objects.select_for_update(no_key=not deleting).filter(pk=club.pk).first()
    if found is None:
        raise RefusedError("gone", "This club has been deleted.", 404)
    return found
