"""The tick: run every step that is due in any event.

Runs every second, possibly in several workers. A row lock gives each event to one of them at a
time, and repeating a step does nothing.
"""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import Final

import structlog
from django.db import connection, transaction

from games.models import Game
from games.records import deals
from games.seats import reserved
from tournaments.changes.row_locks import changed
from tournaments.events.states import OVER
from tournaments.models import Event, Pairing
from tournaments.running import before_start, steps
from tournaments.running.round_tables import changed_pairings

log = structlog.get_logger(__name__)

#: Steps per event and tick, so that no event delays the others.
MAX_STEPS: Final = 50
#: A failed step is retried after 2, 4, 8 … seconds, up to this many.
LONGEST_WAIT: Final = 64
#: States in which the clock does nothing.
AT_REST: Final = (Event.State.DRAFT, *OVER)


def tick(now: datetime, gap: float = 0.0) -> None:
    """Run all steps that are due.

    gap: seconds between two steps of an event. On SQLite other writers poll for the lock and would
    otherwise wait for all steps.
    """
    _read_lone_marches()
    # Events that are due, or whose tables have changed.
    open_states = [state for state in Event.State if state not in AT_REST]
    due = Event.objects.filter(state__in=open_states, due__lte=now)
    changed_tables = changed_pairings(
        Pairing.objects.filter(round__event__state=Event.State.RUNNING)
    )
    changed_events = Event.objects.filter(
        pk__in=changed_tables.values("round__event"), trouble="", paused__isnull=True
    )
    events = {*due.values_list("pk", flat=True), *changed_events.values_list("pk", flat=True)}
    for event_id in sorted(events):
        try:
            for _step in range(MAX_STEPS):
                if not _step_of(event_id, now):
                    break
                time.sleep(gap)
        except Exception as error:
            log.exception("event step failed", event_id=event_id)
            _note_trouble(event_id, now, error)


def _read_lone_marches() -> None:
    """Replay games that have just ended, outside any transaction.

    A game that cannot be replayed fails again in its event's step, which notifies the director.
    """
    ended = Game.objects.filter(
        table__pairing__state=Pairing.State.PLAYING,
        table__pairing__round__event__state=Event.State.RUNNING,
        state=Game.State.OVER,
    ).values_list("pk", "version", "table__shared_deals")
    for game_id, version, shared_deals in ended:
        try:
            reserved.lone_marches(game_id, version)
            if shared_deals is not None:
                deals.deal_results(game_id, version)
        except Exception:
            log.exception("game not replayed", game_id=str(game_id))


def _step_of(event_id: int, now: datetime) -> bool:
    """Run the next step of an event unless another worker has it; return whether there is more."""
    with transaction.atomic():
        skip = connection.features.has_select_for_update_skip_locked
        held = Event.objects.select_for_update(skip_locked=skip).filter(pk=event_id)
        event = held.first()
        if event is None or event.state in AT_REST:
            return False
        running_now = event.state == Event.State.RUNNING
        more = steps.step(event, now) if running_now else before_start.step(event, now)
        if event.trouble:
            Event.objects.filter(pk=event_id).update(trouble="", tries=0)
            changed(event)
        return more


def _note_trouble(event_id: int, now: datetime, error: Exception) -> None:
    """Show the director that a step failed and schedule a retry, unless the event has ended."""
    with transaction.atomic():
        event = Event.objects.select_for_update().get(pk=event_id)
        if event.state in AT_REST:
            return
        event.tries += 1
        event.trouble = f"{type(error).__name__}: {error}"[:300]
        event.due = now + timedelta(seconds=min(2**event.tries, LONGEST_WAIT))
        event.save(update_fields=["tries", "trouble", "due"])
        changed(event)
