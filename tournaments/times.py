"""Times in a club's time zone."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from django.utils.formats import date_format

from tournaments.geography import twelve_hours, zone_in_words


def local_time_in_words(moment: datetime, zone: ZoneInfo) -> str:
    """Return a moment with its zone: "Thursday 6 November, 19:30 Dublin time"."""
    day = date_format(moment.astimezone(zone), "l j F")
    return f"{day}, {clock_time(moment, zone)} {zone_name(zone)}"


def clock_time(moment: datetime, zone: ZoneInfo) -> str:
    """Return the time of day as people there say it: "19:30" in Dublin, "7:30 pm" in Detroit."""
    local = moment.astimezone(zone)
    if not twelve_hours(zone.key):
        return date_format(local, "H:i")
    return f"{date_format(local, 'g:i')} {'am' if local.hour < 12 else 'pm'}"


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
