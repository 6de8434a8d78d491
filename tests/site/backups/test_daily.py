"""Daily backups at a quiet hour, also if the site was off at that hour."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from celery.worker import state
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone
from structlog.testing import capture_logs

from euchre_site import tasks
from euchre_site.backups import backups, daily
from euchre_site.backups.daily import back_up_if_due, is_due, quiet_hour_before
from games.sockets import heartbeats
from tests.served import ROOT
from tests.site.processes import environment

THREE = datetime(2026, 3, 7, 3, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "now", "hour", "expected"),
    [
        ("UTC", THREE, 3, THREE),
        ("UTC", THREE - timedelta(seconds=1), 3, THREE - timedelta(days=1)),
        ("UTC", THREE + timedelta(hours=20), 3, THREE),
        ("America/Detroit", THREE, 3, THREE - timedelta(hours=19)),
        # the night in which clocks go from 2 to 3
        ("Europe/Berlin", datetime(2026, 3, 29, 4, tzinfo=UTC), 3,
         datetime(2026, 3, 29, 1, tzinfo=UTC)),
    ],
)  # fmt: skip
def test_the_quiet_hour_is_in_the_sites_time_zone(
    zone: str, now: datetime, hour: int, expected: datetime
) -> None:
    with timezone.override(zone):
        assert quiet_hour_before(now, hour) == expected


@pytest.mark.parametrize(
    ("last", "failed", "due"),
    [
        (THREE - timedelta(hours=1), None, True),
        (THREE - timedelta(days=30), None, True),
        (THREE, None, False),
        (THREE + timedelta(minutes=30), None, False),  # by hand, since
        (THREE - timedelta(days=1), THREE + timedelta(minutes=5), False),
        (THREE - timedelta(days=1), THREE - timedelta(minutes=5), True),
    ],
)
def test_a_backup_is_due_daily_and_an_hour_after_a_failure(
    last: datetime, failed: datetime | None, due: bool
) -> None:
    assert is_due(THREE + timedelta(hours=1), 3, last, failed) is due


@pytest.fixture
def stub(settings: Any, tmp_path: Path) -> Path:
    """Replacement for `manage.py`; each run records its arguments."""
    settings.BASE_DIR = settings.DATA_DIR = tmp_path
    settings.BACKUP_HOUR = 3
    return tmp_path / "manage.py"


@pytest.fixture(autouse=True)
def _same_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "close", lambda: None)


@pytest.mark.django_db
class TestDailyBackup:
    def test_the_backup_runs_in_its_own_process(self, stub: Path) -> None:
        stub.write_text(
            "import os, sys\nprint('Backup made:', os.environ['BOWER_DATA'], *sys.argv[1:])\n"
        )
        heartbeats.beat(backups.MADE, THREE - timedelta(hours=1))
        with capture_logs() as lines:
            back_up_if_due(THREE)
        assert [line["place"] for line in lines] == [f"{stub.parent} backup --gently --prune"]

    def test_a_failure_is_logged_and_not_retried_at_once(self, stub: Path) -> None:
        stub.write_text("import sys\nsys.exit('CommandError: The disk is full.')\n")
        heartbeats.beat(backups.MADE, THREE - timedelta(days=2))
        with capture_logs() as lines:
            back_up_if_due(timezone.now())
            back_up_if_due(timezone.now())
        assert [(line["log_level"], line["reason"]) for line in lines] == [
            ("error", "The disk is full.")
        ]
        assert backups.last_failed() is not None
        assert backups.last_good() == THREE - timedelta(days=2)

    def test_a_concurrent_backup_is_no_failure(self, stub: Path) -> None:
        stub.write_text(f"import sys\nsys.exit({backups.RUNNING})\n")
        heartbeats.beat(backups.MADE, THREE - timedelta(days=2))
        with capture_logs() as lines:
            back_up_if_due(timezone.now())
        assert [line["log_level"] for line in lines] == ["info"]
        assert backups.last_failed() is None

    def test_a_new_site_waits_for_its_first_quiet_hour(self, stub: Path) -> None:
        stub.write_text("print('made')\n")
        recorder = MigrationRecorder(connection)
        recorder.migration_qs.update(applied=THREE + timedelta(minutes=1))
        with capture_logs() as lines:
            back_up_if_due(THREE + timedelta(hours=23))
            assert lines == []
            back_up_if_due(THREE + timedelta(days=5))
        assert [line["place"] for line in lines] == ["made"]

    def test_a_backup_that_hangs_is_aborted(
        self, stub: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        stub.write_text("import time\ntime.sleep(600)\n")
        monkeypatch.setattr(daily, "TIMEOUT", 0.0)
        monkeypatch.setattr(daily, "CHECK_EVERY", 0.01)
        heartbeats.beat(backups.MADE, THREE - timedelta(days=2))
        with capture_logs() as lines:
            back_up_if_due(timezone.now())
        assert "aborted" in lines[0]["reason"]
        assert backups.last_failed() is not None

    @pytest.mark.parametrize("status", [True, 0])
    def test_a_worker_that_stops_ends_its_backup_which_is_no_failure(
        self, stub: Path, monkeypatch: pytest.MonkeyPatch, status: object
    ) -> None:
        """Quickstart sets True, a worker that gets SIGTERM the exit status 0."""
        stub.write_text("import time\ntime.sleep(600)\n")
        monkeypatch.setattr(state, "should_stop", status)
        monkeypatch.setattr(daily, "CHECK_EVERY", 0.01)
        heartbeats.beat(backups.MADE, THREE - timedelta(days=2))
        with capture_logs() as lines:
            back_up_if_due(THREE)
        assert [line["event"] for line in lines] == ["backup stopped, the next start makes it"]
        assert backups.last_failed() is None

    def test_ctrl_c_for_all_processes_is_no_failure(self, stub: Path) -> None:
        stub.write_text("import sys\nsys.exit(130)\n")
        heartbeats.beat(backups.MADE, THREE - timedelta(days=2))
        with capture_logs() as lines:
            back_up_if_due(THREE)
        assert [line["log_level"] for line in lines] == ["info"]
        assert backups.last_failed() is None


@pytest.mark.parametrize("wanted", [True, False])
def test_the_schedule_makes_backups_unless_this_machine_makes_none(
    settings: Any, monkeypatch: pytest.MonkeyPatch, wanted: bool
) -> None:
    settings.BACKUPS = wanted
    asked: list[datetime] = []
    monkeypatch.setattr(daily, "back_up_if_due", asked.append)
    scheduled = {each["task"]: each["schedule"] for each in settings.CELERY_BEAT_SCHEDULE.values()}
    assert scheduled[tasks.back_up.name] == 60.0
    tasks.back_up()
    assert len(asked) == wanted


def test_an_invalid_hour_is_refused(tmp_path: Path) -> None:
    keys = {"SECRET_KEY": "a" * 60, "DEAL_KEY": "b" * 43 + "=", "BOWER_DATA": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "manage.py", "check"], cwd=ROOT,
        env=environment() | keys | {"BACKUP_HOUR": "24"}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 78
    assert done.stderr.strip() == "BACKUP_HOUR is '24': it must be a whole number from 0 to 23."
