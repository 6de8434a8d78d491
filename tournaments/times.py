"""Moments told in a club's time zone, and the same time of another day there."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from django.utils.formats import date_format

from tournaments.geography import zone_in_words


def told(moment: datetime, zone: ZoneInfo) -> str:
    """Return a moment with its zone: "Thursday 6 November, 19:30 Dublin time"."""
    return f"{date_format(moment.astimezone(zone), 'l j F, H:i')} {zone_name(zone)}"


def zone_name(zone: ZoneInfo) -> str:
    """Return what follows a time of a zone: "Dublin time", "UTC"."""
    return "UTC" if zone.key == "UTC" else f"{zone_in_words(zone.key)} time"


def days_later(moment: datetime, days: int, zone: ZoneInfo) -> datetime:
    """Return the same local time so many days later, also where the clocks have been changed.

    A local time that a change of the clocks leaves out is put off by as much as they are put
    forward; of one that comes twice the first is meant.
    """
    there = moment.astimezone(zone)
    later = (there.replace(tzinfo=None) + timedelta(days=days)).replace(tzinfo=zone, fold=0)
    return later.astimezone(UTC)
