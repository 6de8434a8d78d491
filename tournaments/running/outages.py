"""Postpone events' times by the length of an outage of the site.

See `games.play.outages`. Paused events need nothing: their pause makes up for it.
"""

from datetime import timedelta
from typing import Any, Final

from django.db import transaction
from django.dispatch import receiver

from games.play import outages
from games.play.outages import Outage
from tournaments.changes.row_locks import changed
from tournaments.events.notices import note
from tournaments.events.states import UPCOMING
from tournaments.events.timetable import check_in_opens, missed_start, postpone
from tournaments.models import Event

#: The longest check-in.
A_DAY: Final = timedelta(days=1)


@receiver(outages.over)
@transaction.atomic
def move_events(outage: Outage, **_kwargs: Any) -> None:
    """Postpone rounds, breaks and starts by the outage and a margin, and notify the players.

    A start is postponed if it or its check-in fell into the outage, unless it is so long ago that
    the players have gone. Seconds in which the site was only busy change nothing here.
    """
    if outage.busy:
        return
    running = Event.objects.filter(state=Event.State.RUNNING, paused=None)
    starting = Event.objects.filter(
        state__in=UPCOMING, starts__gte=outage.began, starts__lte=outage.ended + A_DAY
    )
    for event in running.select_for_update().order_by("pk"):
        latest = event.played_rounds.order_by("-number").first()
        if latest is not None:
            postpone(latest, outage.grace)
        event.final_at = event.final_at and event.final_at + outage.grace
        _store(event, outage)
    for event in starting.select_for_update().order_by("pk"):
        if check_in_opens(event) <= outage.ended and not missed_start(event, outage.ended):
            event.starts += outage.grace
            event.put_off += outage.grace
            _store(event, outage)


def _store(event: Event, outage: Outage) -> None:
    event.due = outage.ended
    event.save(update_fields=["starts", "put_off", "due", "final_at"])
    away, later = in_words(outage.length), in_words(outage.grace)
    note(event, f"The site was away for {away}. All times are {later} later.", public=True)
    changed(event)


def in_words(time: timedelta) -> str:
    """Format a duration: "2 minutes 20 seconds", or "3 hours 5 minutes"."""
    minutes, seconds = divmod(round(time.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    parts = [(hours, "hour"), (minutes, "minute"), (seconds if not hours else 0, "second")]
    return " ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in parts if n) or "a moment"
