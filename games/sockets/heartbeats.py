"""Heartbeats of the site's background services, stored so that every process sees them."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from games.models import Heartbeat

#: Background services, and what each of them does.
PARTS: Final[Mapping[str, str]] = {
    "schedule": "the schedule, which sends out every task",
    "ticks": "a worker for short tasks: clocks, events and the log of shuffles",
    "work": "a worker for long tasks: letters, webhooks and ratings",
}
#: A service without a heartbeat for this long is late; each sends one every five seconds.
LATE_AFTER: Final = timedelta(seconds=30)


class Health(StrEnum):
    FINE = "fine"
    LATE = "late"
    NEVER = "never"


def beat(name: str, now: datetime) -> None:
    """Store a heartbeat of a service such as ``schedule``; its name has at most 40 characters."""
    Heartbeat.objects.bulk_create(
        [Heartbeat(name=name, at=now)],
        update_conflicts=True,
        unique_fields=["name"],
        update_fields=["at"],
    )


def last(name: str) -> datetime | None:
    return Heartbeat.objects.filter(name=name).values_list("at", flat=True).first()


def health(now: datetime, within: timedelta = LATE_AFTER) -> dict[str, Health]:
    """Return the health of each of `PARTS`, from when its last heartbeat came."""
    seen = dict(Heartbeat.objects.filter(name__in=PARTS).values_list("name", "at"))
    return {name: _health(seen.get(name), now, min(within, LATE_AFTER)) for name in PARTS}


def _health(at: datetime | None, now: datetime, within: timedelta) -> Health:
    if at is None:
        return Health.NEVER
    return Health.FINE if now - at <= within else Health.LATE
