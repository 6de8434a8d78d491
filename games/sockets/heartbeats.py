"""Signs of life: when each part of the site was last at work, in whichever process."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from games.models import Heartbeat

#: What does the site's work by itself, and what waits when it does not.
PARTS: Final[Mapping[str, str]] = {
    "schedule": "the schedule, which sends out every task",
    "ticks": "a worker for short tasks: clocks, events and the log of shuffles",
    "work": "a worker for long tasks: letters, webhooks and ratings",
}
#: A part that has given no sign for so long is late; each gives one every five seconds.
LATE_AFTER: Final = timedelta(seconds=30)


class Health(StrEnum):
    """How a part of the site is, in one word."""

    FINE = "fine"
    LATE = "late"
    NEVER = "never"


def beat(name: str, now: datetime) -> None:
    """Note that a part of the site is at work.

    name: of the part, such as ``schedule``; at most 40 characters.
    """
    Heartbeat.objects.bulk_create(
        [Heartbeat(name=name, at=now)],
        update_conflicts=True,
        unique_fields=["name"],
        update_fields=["at"],
    )


def last(name: str) -> datetime | None:
    """Return when a part of the site was last at work; None if it never was."""
    return Heartbeat.objects.filter(name=name).values_list("at", flat=True).first()


def health(now: datetime, within: timedelta = LATE_AFTER) -> dict[str, Health]:
    """Return how each of `PARTS` is: fine, late, or never seen at work at all.

    within: how old the last sign of life of a part that is fine may be, if less than `LATE_AFTER`.
    """
    seen = dict(Heartbeat.objects.filter(name__in=PARTS).values_list("name", "at"))
    return {name: _health(seen.get(name), now, min(within, LATE_AFTER)) for name in PARTS}


def _health(at: datetime | None, now: datetime, within: timedelta) -> Health:
    if at is None:
        return Health.NEVER
    return Health.FINE if now - at <= within else Health.LATE
