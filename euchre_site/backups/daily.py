"""A backup each day at a quiet hour, by a process of its own so that play does not feel it.

`quickstart` has this done on a thread. A day on which the site was off at that hour is made up for
when it is on again.
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

#: Seconds between two looks at the clock.
LOOK_EVERY: Final = 60.0
#: Seconds a backup may take; one that takes longer is given up, so that another can be tried.
LONGEST: Final = 6 * 3600.0
#: For how long nothing is tried after a backup has failed.
AGAIN_AFTER: Final = timedelta(hours=1)


def quiet_hour_before(now: datetime, hour: int) -> datetime:
    """Return when it was last so late in the site's time zone; now, if it is just then."""
    local = timezone.localtime(now)
    today = local.replace(hour=hour, minute=0, second=0, microsecond=0)
    return today if today <= local else today - timedelta(days=1)


def is_due(now: datetime, hour: int, last: datetime, failed: datetime | None) -> bool:
    """Return whether a backup is to be made.

    Args:
        now: the present moment.
        hour: of the day, 0 to 23.
        last: when one was made last, or the database itself.
        failed: when one failed last, or None.
    """
    if failed is not None and now - failed < AGAIN_AFTER:
        return False
    return last < quiet_hour_before(now, hour)


class DailyBackups:
    """Makes a backup whenever one is due, until it is told to end."""

    def __init__(self) -> None:
        self._ending = threading.Event()
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Look at the clock now and then; return when told to end."""
        while not self._ending.wait(LOOK_EVERY):
            self.look(timezone.now())

    def end(self) -> None:
        """End; a backup that is being made is dropped, and made after the next start."""
        self._ending.set()
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()

    def look(self, now: datetime) -> None:
        """Make a backup if one is due; what fails is logged and noted."""
        try:
            last = backups.last_good() or _made(now)
            due = is_due(now, settings.BACKUP_HOUR, last, backups.last_failed())
        except DatabaseError as error:
            log.warning("cannot tell whether a backup is due", reason=str(error))
            return
        finally:
            connection.close()
        if due:
            self._make()

    def _make(self) -> None:
        """Have a backup made by a process of its own."""
        command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "backup"]
        self._process = subprocess.Popen(  # noqa: S603
            [*command, "--gently", "--prune"],
            env=os.environ | {"BOWER_DATA": str(settings.DATA_DIR)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        if self._ending.is_set():
            self._process.terminate()
        try:
            said, complained = self._process.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            self._process.kill()
            said, complained = self._process.communicate()
            complained += f"\nIt was given up after {LONGEST / 3600:g} hours."
        if self._process.returncode == 0:
            log.info("backup made", place=said.partition("\n")[0].removeprefix("Backup made: "))
        elif self._process.returncode == backups.RUNNING:
            log.info("backup made by another process meanwhile")
        elif not self._ending.is_set():
            lines = complained.strip().splitlines()
            reason = lines[-1] if lines else f"it ended with {self._process.returncode}"
            log.error("backup failed", reason=reason.removeprefix("CommandError: "))
            backups.note_failure()
            connection.close()


def _made(now: datetime) -> datetime:
    """When the database was made; now if that cannot be told."""
    recorder = MigrationRecorder(connection)
    first = recorder.migration_qs.order_by("applied").values_list("applied", flat=True).first()
    return first or now
