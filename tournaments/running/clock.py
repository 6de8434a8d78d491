"""The tick: whatever is due in any event is done, also after a restart.

It runs every second, perhaps in several workers at once; each event is held by one of them while
a step is done, and a step that has been done already does nothing.
"""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import Final

import structlog
from django.db import connection, transaction

from games.models import Game
from games.seats import reserved
from tournaments.changes.held_rows import changed
from tournaments.events.states import OVER
from tournaments.models import Event, Pairing
from tournaments.running import opening, steps
from tournaments.running.round_tables import restless

log = structlog.get_logger(__name__)

#: The most steps of one event in a tick, so that no event keeps the others waiting.
MOST_STEPS: Final = 50
#: A failed step is tried again after 2, 4, 8 … seconds, at most after so many.
LONGEST_WAIT: Final = 64
#: Events that the clock does not move.
AT_REST: Final = (Event.State.DRAFT, *OVER)


def tick(now: datetime, gap: float = 0.0) -> None:
    """Do all steps that are due now.

    gap: seconds between two steps of an event. On SQLite whoever waits to write only asks again
    now and then, and would wait for all steps otherwise.
    """
    _read_lone_marches()
    # Events whose moment has come, or at whose tables something has happened.
    open_states = [state for state in Event.State if state not in AT_REST]
    due = Event.objects.filter(state__in=open_states, due__lte=now)
    happened = restless(Pairing.objects.filter(round__event__state=Event.State.RUNNING))
    stirred = Event.objects.filter(
        pk__in=happened.values("round__event"), trouble="", paused__isnull=True
    )
    events = {*due.values_list("pk", flat=True), *stirred.values_list("pk", flat=True)}
    for event_id in sorted(events):
        try:
            for _step in range(MOST_STEPS):
                if not _step_of(event_id, now):
                    break
                time.sleep(gap)
        except Exception as error:
            log.exception("event step failed", event_id=event_id)
            _note_trouble(event_id, now, error)


def _read_lone_marches() -> None:
    """Replay the games that have just ended, before any transaction is begun.

    One that cannot be replayed fails again in its event's step, where the director is told.
    """
    ended = Game.objects.filter(
        table__pairing__state=Pairing.State.PLAYING,
        table__pairing__round__event__state=Event.State.RUNNING,
        state=Game.State.OVER,
    ).values_list("pk", flat=True)
    for game_id in ended:
        try:
            reserved.lone_marches(game_id)
        except Exception:
            log.exception("game not replayed", game_id=str(game_id))


def _step_of(event_id: int, now: datetime) -> bool:
    """Do the next step of an event unless another worker is at it; whether there is more."""
    with transaction.atomic():
        skip = connection.features.has_select_for_update_skip_locked
        held = Event.objects.select_for_update(skip_locked=skip).filter(pk=event_id)
        event = held.first()
        if event is None or event.state in AT_REST:
            return False
        running_now = event.state == Event.State.RUNNING
        more = steps.step(event, now) if running_now else opening.step(event, now)
        if event.trouble:
            Event.objects.filter(pk=event_id).update(trouble="", tries=0)
            changed(event)
        return more


def _note_trouble(event_id: int, now: datetime, error: Exception) -> None:
    """Show the director what failed, and let it be tried again later.

    Nothing is shown where another worker has ended the event meanwhile.
    """
    with transaction.atomic():
        event = Event.objects.select_for_update().get(pk=event_id)
        if event.state in AT_REST:
            return
        event.tries += 1
        event.trouble = f"{type(error).__name__}: {error}"[:300]
        event.due = now + timedelta(seconds=min(2**event.tries, LONGEST_WAIT))
        event.save(update_fields=["tries", "trouble", "due"])
        changed(event)
