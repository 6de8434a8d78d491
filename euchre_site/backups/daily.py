"""Daily backups at a quiet hour, made by a process of their own so that play is not slowed down.

`quickstart` runs this on a thread. If the site was off at that hour, the backup is made after the
next start.
"""

import os
import subprocess
import sys
import threading
from datetime import datetime, timedelta
from typing import Final

import structlog
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from euchre_site.backups import backups

log = structlog.get_logger(__name__)

#: Seconds between two checks of the clock.
CHECK_EVERY: Final = 60.0
#: Seconds after which a backup is killed, so that another can be tried.
TIMEOUT: Final = 6 * 3600.0
#: Delay before another attempt after a failed backup.
RETRY_AFTER: Final = timedelta(hours=1)


def quiet_hour_before(now: datetime, hour: int) -> datetime:
    """Return the last time at which it was this hour in the site's time zone."""
    local = timezone.localtime(now)
    today = local.replace(hour=hour, minute=0, second=0, microsecond=0)
    return today if today <= local else today - timedelta(days=1)


def is_due(now: datetime, hour: int, last: datetime, failed: datetime | None) -> bool:
    """Return whether a backup is due.

    hour: 0 to 23. last: time of the last backup, or of the database's creation.
    """
    if failed is not None and now - failed < RETRY_AFTER:
        return False
    return last < quiet_hour_before(now, hour)


class DailyBackups:
    """Makes backups when they are due, until stopped."""

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Make backups when they are due; return after `end`."""
        while not self._stopping.wait(CHECK_EVERY):
            self.back_up_if_due(timezone.now())

    def end(self) -> None:
        """Stop, aborting a backup in progress; it is made after the next start."""
        self._stopping.set()
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()

    def back_up_if_due(self, now: datetime) -> None:
        try:
            last = backups.last_good() or _database_created(now)
            due = is_due(now, settings.BACKUP_HOUR, last, backups.last_failed())
        except DatabaseError as error:
            log.warning("cannot check whether a backup is due", reason=str(error))
            return
        finally:
            connection.close()
        if due:
            self._make()

    def _make(self) -> None:
        command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "backup"]
        self._process = subprocess.Popen(  # noqa: S603
            [*command, "--gently", "--prune"],
            env=os.environ | {"BOWER_DATA": str(settings.DATA_DIR)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        if self._stopping.is_set():
            self._process.terminate()
        try:
            out, errors = self._process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            out, errors = self._process.communicate()
            errors += f"\nIt was aborted after {TIMEOUT / 3600:g} hours."
        if self._process.returncode == 0:
            log.info("backup made", place=out.partition("\n")[0].removeprefix("Backup made: "))
        elif self._process.returncode == backups.RUNNING:
            log.info("another process is making a backup")
        elif not self._stopping.is_set():
            lines = errors.strip().splitlines()
            reason = lines[-1] if lines else f"exit status {self._process.returncode}"
            log.error("backup failed", reason=reason.removeprefix("CommandError: "))
            backups.note_failure()
            connection.close()


def _database_created(now: datetime) -> datetime:
    recorder = MigrationRecorder(connection)
    first = recorder.migration_qs.order_by("applied").values_list("applied", flat=True).first()
    return first or now
