"""Reminders by e-mail of events that start soon, at the times that each player chose.

A reminder is written in the step that is due at its time, or late after an outage of the site, but
never once the event has started. The players of a large event get theirs over several steps, so
that each holds the event's lock only briefly.
"""

from datetime import datetime
from typing import Any, Final

from django.db.models import CharField, Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Cast, Concat
from django.urls import reverse

from games.models import Player
from games.notifying import choices, pushes
from games.notifying.kinds import KINDS, Way
from tournaments.entering.places_and_waiting_list import placed
from tournaments.events.timetable import reminders_to_write, scheduled_start, start_in_words
from tournaments.models import Event, Letter
from tournaments.outbox import letters

#: Letters written per step.
CHUNK: Final = 25


def write_some(event: Event, now: datetime) -> bool:
    """Write some of the reminders that are due for a locked event; return whether any was.

    If several times have passed during an outage, each player gets one letter.
    """
    due = [field for field, at in reminders_to_write(event).items() if at <= now]
    for number, field in enumerate(due):
        key = f"event {event.pk} {field} {scheduled_start(event):%Y%m%d%H%M}"
        chosen = _wants(field)
        for later in due[number + 1 :]:
            chosen &= ~_wants(later)
        readers = _readers(event).filter(chosen).exclude(_has_letter(key)).order_by("pk")[:CHUNK]
        if readers:
            letters.write(
                key,
                readers,
                f"Reminder: {event.name}",
                "reminder",
                reminds_of=event,
                event=event,
                starts=start_in_words(event),
            )
            return True
        _push(event, field, key)
    if due:
        event.reminded = now
        event.save(update_fields=["reminded"])
    return False


def _push(event: Event, field: str, key: str) -> None:
    """Remind by push everybody who has a place."""
    players = placed_players(event).values_list("pk", flat=True)
    path = reverse("event", args=[event.pk])
    pushes.queue(KINDS[field], key, list(players), event.name, path, text=start_in_words(event))


def placed_players(event: Event) -> QuerySet[Player]:
    return Player.objects.filter(
        placed("entries__entry__"), entries__event=event, entries__active=True
    )


def _readers(event: Event) -> QuerySet[Player, Any]:
    """Return the players with a place and a confirmed address."""
    return placed_players(event).filter(letters.confirmed_address())


def _wants(field: str) -> Q:
    return choices.wants(KINDS[field], Way.MAIL)


def _has_letter(key: str) -> Exists:
    mine = Concat(Value(f"{key} to "), Cast(OuterRef("pk"), CharField()))
    return Exists(Letter.objects.filter(key=mine))
