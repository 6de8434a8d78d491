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
    return from_local(moment.astimezone(zone).replace(tzinfo=None) + timedelta(days=days), zone)


def from_local(local: datetime, zone: ZoneInfo) -> datetime:
    """Return the moment of a local time, with skipped and repeated ones as in `days_later`."""
    return local.replace(tzinfo=zone, fold=0).astimezone(UTC)


def clocks_change(moment: datetime, zone: ZoneInfo) -> bool:
    """Return whether the clocks were changed within three hours before a moment."""
    before = moment - timedelta(hours=3)
    return moment.astimezone(zone).utcoffset() != before.astimezone(zone).utcoffset()
