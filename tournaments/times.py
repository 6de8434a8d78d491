"""Times in a club's time zone."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from django.utils.formats import date_format

from tournaments.geography import zone_in_words


def local_time_in_words(moment: datetime, zone: ZoneInfo) -> str:
    """Return a moment with its zone: "Thursday 6 November, 19:30 Dublin time"."""
    return f"{date_format(moment.astimezone(zone), 'l j F, H:i')} {zone_name(zone)}"


def zone_name(zone: ZoneInfo) -> str:
    """Return a zone's name to follow a time: "Dublin time", "UTC"."""
    return "UTC" if zone.key == "UTC" else f"{zone_in_words(zone.key)} time"


def days_later(moment: datetime, days: int, zone: ZoneInfo) -> datetime:
    """Return the same local time some days later, across changes of the clocks.

    A local time skipped by such a change is moved forward by its length; of a repeated one the
    first is returned.
    """
    there = moment.astimezone(zone)
    later = (there.replace(tzinfo=None) + timedelta(days=days)).replace(tzinfo=zone, fold=0)
    return later.astimezone(UTC)
