"""Reminders that today's deals are open, at an hour that each person chooses."""

from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.db import transaction
from django.urls import reverse

from games.models import Player
from games.notifying import pushes
from games.notifying.kinds import DAILY_DEAL
from tournaments.daily import days
from tournaments.models import DailyReminder
from tournaments.outbox import letters
from tournaments.refusals import RefusedError

#: How long after the hour a reminder that was late is still sent.
LATE: Final = timedelta(hours=2)
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
    DailyReminder.objects.update_or_create(player=player, defaults={"hour": hour, "zone": zone})


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
    if daily is None:
        return 0
    begun = daily.tries.values("player")
    sent = 0
    for one in DailyReminder.objects.exclude(player__in=begun).select_related("player__user"):
        local = now.astimezone(_zone(one.zone) or UTC)
        at = local.replace(hour=one.hour, minute=0, second=0, microsecond=0)
        if at <= local < at + LATE and one.last != local.date():
            sent += _send(one, local)
    return sent


def _send(one: DailyReminder, local: datetime) -> bool:
    with transaction.atomic():
        waiting = DailyReminder.objects.filter(pk=one.pk).exclude(last=local.date())
        if not waiting.update(last=local.date()):
            return False
        key, path = f"daily reminder {local.date()}", reverse("daily")
        pushes.queue(DAILY_DEAL, key, [one.player_id], TITLE, path)
        letters.write(key, [one.player], TITLE, "daily_reminder", kind=DAILY_DEAL, path=path)
    return True
