"""The days of the daily deal: making them ahead, and which of them is open."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock_time
from typing import Final

import structlog
from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from games.engine.rules import STICK_THE_DEALER, RuleSet
from games.exclusive_tasks import failing_alone
from games.shuffle import shared
from tournaments.models import Club, DailyDeal, DailyHour
from tournaments.models.daily import DEALS
from tournaments.times import from_local

log = structlog.get_logger(__name__)

#: The rules of every daily deal, so that results can be compared.
RULES: Final[RuleSet] = replace(STICK_THE_DEALER, target=None, deals=DEALS, thrown_in_counts=True)
ONE_DAY: Final = timedelta(days=1)


def make_ahead(now: datetime) -> int:
    """Make the days of the site and of clubs that open until tomorrow; return how many.

    Safe to run twice, late or concurrently. A day that has passed without a worker is not made.
    """
    hours = DailyHour.objects.filter(club__closed=None).select_related("club")
    recent = DailyDeal.objects.filter(day__gte=now.date() - 3 * ONE_DAY)
    known = set(recent.values_list("club", "day"))
    made = 0
    for club, hour in [(None, 0), *((one.club, one.hour) for one in hours)]:
        with failing_alone(log, "daily deal not made", club=club and club.pk):
            ahead = _days_ahead(club, hour, now)
            new = [day for day in ahead if (club and club.pk, day) not in known]
            made += sum(_make(club, day, hour, now) for day in new)
    return made


def _days_ahead(club: Club | None, hour: int, now: datetime) -> tuple[date, date]:
    """Return the day that is open by the club's clocks, and the next one."""
    today = now.astimezone(club.zone if club else UTC).date()
    if now < _opens(club, today, hour):
        today -= ONE_DAY
    return today, today + ONE_DAY


def _opens(club: Club | None, day: date, hour: int) -> datetime:
    local = datetime.combine(day, clock_time(hour))
    return from_local(local, club.zone) if club else local.replace(tzinfo=UTC)


def _make(club: Club | None, day: date, hour: int, now: datetime) -> bool:
    opens, closes = _opens(club, day, hour), _opens(club, day + ONE_DAY, hour)
    before = DailyDeal.objects.filter(club=club, day__lt=day).order_by("-day").first()
    if before is not None:  # the hour was changed
        opens = max(opens, before.closes)
    if closes <= opens or closes <= now:
        return False
    try:
        with transaction.atomic():
            deals = shared.make_for_solo_tables(closes)
            DailyDeal.objects.create(club=club, day=day, opens=opens, closes=closes, deals=deals)
    except IntegrityError:  # another worker has made it
        return False
    return True


def days_of(club: Club | None) -> QuerySet[DailyDeal]:
    days = DailyDeal.objects.filter(club=club).select_related("club", "deals")
    return days.defer("worths")


def open_day(club: Club | None, now: datetime) -> DailyDeal | None:
    return days_of(club).filter(opens__lte=now, closes__gt=now).first()


def last_closed(club: Club | None) -> DailyDeal | None:
    return days_of(club).filter(closed__isnull=False).first()


def choose_hour(club: Club, hour: int | None, now: datetime) -> None:
    """Give a club a daily deal that begins at this hour, or none from the next day on.

    The day that is open goes on to its end. The same hour again changes nothing.
    """
    if hour is not None and DailyHour.objects.filter(club=club, hour=hour).exists():
        return
    with transaction.atomic():
        if hour is None:
            DailyHour.objects.filter(club=club).delete()
        else:
            DailyHour.objects.update_or_create(club=club, defaults={"hour": hour})
        # Nobody can have begun them; their secrets are published when they would have closed.
        DailyDeal.objects.filter(club=club, opens__gt=now).delete()
