"""Reminders that today's deals are open, at an hour that each person chooses."""

from datetime import datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from games.models import Player
from games.notifying import pushes
from games.notifying.kinds import DAILY_DEAL
from tournaments.daily import days
from tournaments.models import DailyReminder
from tournaments.outbox import letters
from tournaments.refusals import RefusedError
from tournaments.times import from_local

#: How long after the hour a reminder that was late is still sent.
LATE: Final = timedelta(hours=2)
#: Reminders sent in one run.
AT_ONCE: Final = 500
UTC: Final = ZoneInfo("UTC")
TITLE: Final = "Today’s deals are open"


def choose(player: Player, hour: int | None, zone: str) -> None:
    """Remind a player at this hour by the clocks of `zone`, or no more.

    Raise RefusedError ``hour`` or ``zone``.
    """
    if hour is None:
        DailyReminder.objects.filter(player=player).delete()
        return
    if not 0 <= hour <= 23:
        raise RefusedError("hour", "Choose an hour from 0 to 23.", 422)
    if _zone(zone) is None:
        raise RefusedError("zone", "This time zone is not known here. Choose another.", 422)
    chosen = {"hour": hour, "zone": zone, "due": _next(hour, zone, timezone.now())}
    DailyReminder.objects.update_or_create(player=player, defaults=chosen)


def _next(hour: int, zone: str, after: datetime) -> datetime:
    """Return when this hour next begins by the clocks of a zone."""
    clocks = _zone(zone) or UTC
    day = after.astimezone(clocks).date()
    today, tomorrow = (
        from_local(datetime.combine(day + days.ONE_DAY * later, time(hour)), clocks)
        for later in range(2)
    )
    return today if today > after else tomorrow


def _zone(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def send_due(now: datetime) -> int:
    """Queue the reminders that are due; return how many. Safe to run twice or concurrently.

    Whoever has begun the day's deals gets none.
    """
    daily = days.open_day(None, now)
    sent = 0
    due = DailyReminder.objects.filter(due__lte=now).order_by("due")
    for one in due.select_related("player__user")[:AT_ONCE]:
        with transaction.atomic():
            following = _next(one.hour, one.zone, now)
            if not DailyReminder.objects.filter(pk=one.pk, due=one.due).update(due=following):
                continue
            if daily is None or now >= one.due + LATE:
                continue
            if not daily.tries.filter(player=one.player_id).exists():
                _send(one)
                sent += 1
    return sent


def _send(one: DailyReminder) -> None:
    day = one.due.astimezone(_zone(one.zone) or UTC).date()
    key, path = f"daily reminder {one.pk} {day}", reverse("daily")
    pushes.queue(DAILY_DEAL, key, [one.player_id], TITLE, path)
    letters.write(key, [one.player], TITLE, "daily_reminder", kind=DAILY_DEAL, path=path)
