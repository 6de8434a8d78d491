"""Whether it is quiet for a person at a moment, and when that ends.

Hours that last past midnight belong to the day on which they start. They follow the clock on the
wall of the chosen zone: on the night when clocks change they are an hour shorter or longer.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from games.models import QuietHours

#: What the form offers to somebody who has not chosen.
USUAL: Final = (time(22, 30), time(7, 30))


def quiet_until(hours: QuietHours | None, now: datetime) -> datetime | None:
    """Return when the quiet hours that contain `now` end; None if it is not quiet."""
    if hours is None or not hours.on:
        return None
    ends = [end for start, end in _periods(hours, now) if start <= now < end]
    return max(ends, default=None)


def _periods(hours: QuietHours, now: datetime) -> Iterator[tuple[datetime, datetime]]:
    """Yield the quiet hours that start yesterday, today and tomorrow."""
    try:
        zone: ZoneInfo | None = ZoneInfo(hours.zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        zone = None  # removed from the database of zones
    today = now.astimezone(zone or UTC).date()
    overnight = timedelta(days=1 if hours.ends <= hours.starts else 0)
    for day in (today - timedelta(days=1), today, today + timedelta(days=1)):
        if str(day.weekday()) in hours.days:
            # Of a time that comes twice, the hours start at the first and end at the second one.
            start = datetime.combine(day, hours.starts, zone or UTC).astimezone(UTC)
            end = datetime.combine(day + overnight, hours.ends, zone or UTC)
            yield start, max(end.replace(fold=fold).astimezone(UTC) for fold in (0, 1))
