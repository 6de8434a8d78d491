"""When it is quiet for somebody, and until when."""

from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.models import QuietHours
from games.models.notifying import EVERY_DAY
from games.notifying.quiet_hours import quiet_until

DUBLIN = ZoneInfo("Europe/Dublin")
ZONES = ("UTC", "Europe/Dublin", "America/Chicago", "Australia/Lord_Howe", "Asia/Kathmandu")
CLOCKS = st.times().map(lambda one: one.replace(second=0, microsecond=0))


def night(**fields: Any) -> QuietHours:
    """22:30 to 07:30 in Dublin, every day."""
    usual = {"starts": time(22, 30), "ends": time(7, 30), "zone": "Europe/Dublin"}
    return QuietHours(**{"on": True, "days": EVERY_DAY, **usual, **fields})


def dublin(month: int, day: int, hour: int, minute: int = 0, fold: int = 0) -> datetime:
    """A moment of 2026 by the clocks of Dublin."""
    return datetime(2026, month, day, hour, minute, tzinfo=DUBLIN, fold=fold).astimezone(UTC)


@pytest.mark.parametrize(
    ("now", "until"),
    [
        (dublin(7, 1, 22, 29), None),
        (dublin(7, 1, 22, 30), dublin(7, 2, 7, 30)),
        (dublin(7, 2, 7, 29), dublin(7, 2, 7, 30)),
        (dublin(7, 2, 7, 30), None),
    ],
)
def test_hours_past_midnight(now: datetime, until: datetime | None) -> None:
    assert quiet_until(night(), now) == until


def test_hours_count_in_the_persons_own_zone() -> None:
    now = datetime(2026, 7, 1, 4, tzinfo=UTC)  # 23:00 of the day before in Chicago
    assert quiet_until(night(zone="America/Chicago"), now) == datetime(
        2026, 7, 1, 12, 30, tzinfo=UTC
    )
    assert quiet_until(night(zone="Asia/Kathmandu"), now) is None


def test_hours_belong_to_the_day_on_which_they_start() -> None:
    monday = night(days="0")
    assert quiet_until(monday, dublin(7, 6, 23)) == dublin(7, 7, 7, 30)  # a Monday
    assert quiet_until(monday, dublin(7, 7, 3)) is not None
    assert quiet_until(monday, dublin(7, 6, 3)) is None
    assert quiet_until(monday, dublin(7, 7, 23)) is None


def test_they_follow_the_clock_on_the_wall_when_clocks_change() -> None:
    # On 29 March the night loses an hour, on 25 October it gains one.
    short = quiet_until(night(), dublin(3, 28, 22, 30))
    long = quiet_until(night(), dublin(10, 24, 22, 30))
    assert short is not None
    assert long is not None
    assert short - dublin(3, 28, 22, 30) == timedelta(hours=8)
    assert long - dublin(10, 24, 22, 30) == timedelta(hours=10)


def test_an_hour_that_comes_twice_is_quiet_both_times() -> None:
    hours = night(starts=time(1), ends=time(1, 45))
    for fold in (0, 1):
        assert quiet_until(hours, dublin(10, 25, 1, 30, fold=fold)) is not None
    assert quiet_until(hours, dublin(10, 25, 1, 45, fold=1)) is None


def test_nobody_has_quiet_hours_unless_they_switched_them_on() -> None:
    now = dublin(7, 1, 23)
    assert quiet_until(None, now) is None
    assert quiet_until(night(on=False), now) is None
    assert quiet_until(night(days=""), now) is None


def test_a_zone_that_is_gone_counts_as_utc() -> None:
    now = datetime(2026, 7, 1, 22, 45, tzinfo=UTC)
    assert quiet_until(night(zone="Europe/Nowhere"), now) == datetime(2026, 7, 2, 7, 30, tzinfo=UTC)


@given(
    starts=CLOCKS,
    ends=CLOCKS,
    zone=st.sampled_from(ZONES),
    days=st.sets(st.sampled_from(EVERY_DAY)),
    minutes=st.integers(0, 366 * 24 * 60),
)
def test_they_end_within_a_day_and_it_is_not_quiet_then(
    starts: time, ends: time, zone: str, days: set[str], minutes: int
) -> None:
    if starts == ends:
        return
    now = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
    hours = night(starts=starts, ends=ends, zone=zone, days="".join(sorted(days)))
    until = quiet_until(hours, now)
    if until is None:
        return
    assert now < until <= now + timedelta(hours=25)
    local = until.astimezone(ZoneInfo(zone))
    assert (
        local.time().replace(tzinfo=None) == ends
        or local.utcoffset() != now.astimezone(ZoneInfo(zone)).utcoffset()
    )
    if local.utcoffset() == (until + timedelta(hours=3)).astimezone(ZoneInfo(zone)).utcoffset():
        assert quiet_until(hours, until) is None
