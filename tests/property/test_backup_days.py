"""Which backups stay, for any days on which some were made."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from euchre_site.backups import retention
from euchre_site.backups.retention import DAYS, WEEKS, to_keep

MOMENTS = st.datetimes(datetime(2020, 1, 1), datetime(2030, 12, 31), timezones=st.just(UTC))  # noqa: DTZ001


@given(st.sets(MOMENTS, max_size=60))
def test_latest_backups_of_days_and_weeks_are_kept(made: set[datetime]) -> None:
    stay = to_keep(made)
    assert stay <= made
    assert len(stay) <= DAYS + WEEKS
    assert to_keep(stay) == stay  # done again, nothing more goes
    days = sorted({one.date() for one in made})[-DAYS:]
    weeks = sorted({tuple(one.isocalendar()[:2]) for one in made})[-WEEKS:]
    for day in days:
        assert max(one for one in made if one.date() == day) in stay
    for week in weeks:
        assert max(one for one in made if one.isocalendar()[:2] == week) in stay


@given(MOMENTS, st.integers(1, 90))
def test_day_by_day_there_is_always_one_of_each_of_the_last_days_and_weeks(
    first: datetime, days: int
) -> None:
    shelved: set[datetime] = set()
    for day in range(days):
        shelved = to_keep(shelved | {first + timedelta(days=day)})
    last = first + timedelta(days=days - 1)
    assert {last - timedelta(days=back) for back in range(min(DAYS, days))} <= shelved
    weeks = {one.isocalendar()[:2] for one in shelved}
    for back in range(WEEKS):
        if 7 * back < days:
            assert (last - timedelta(days=7 * back)).isocalendar()[:2] in weeks
    assert len(shelved) <= DAYS + WEEKS


@given(MOMENTS, st.booleans())
def test_backup_names_state_their_time(made: datetime, encrypted: bool) -> None:
    assert retention.made_at(retention.backup_name(made, encrypted=encrypted)) == made


@given(st.text(max_size=40))
def test_other_names_are_not_backups(name: str) -> None:
    assert retention.made_at(name) is None


def test_only_backups_are_removed(tmp_path: Path) -> None:
    first = datetime(2026, 3, 7, 3, tzinfo=UTC)
    made = [first + timedelta(days=day) for day in range(40)]
    names = {retention.backup_name(one, encrypted=bool(one.day % 2)) for one in made}
    others = {"notes.txt", "bower.tar.gz", "bower-20269907-030000-000000.tar.gz", ".lock"}
    for name in names | others:
        (tmp_path / name).touch()
    removed = retention.remove_old(tmp_path)
    left = {path.name for path in tmp_path.iterdir()}
    assert left >= others
    assert {retention.made_at(name) for name in left - others} == to_keep(made)
    assert len(removed) == len(names) - len(left - others)
