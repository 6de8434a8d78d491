"""Daily backups at a quiet hour, made by a process of their own so that play is not slowed down.

The schedule asks every minute whether one is due (`euchre_site.tasks.back_up`). If the site was off
at that hour, the backup is made after the next start.
"""

import os
import signal
import subprocess
import sys
import time
from datetime import datetime, timedelta
from typing import Final

import structlog
from celery.worker import state
from django.conf import settings
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from euchre_site.backups import backups

log = structlog.get_logger(__name__)

#: Seconds between two checks whether this worker is stopping.
CHECK_EVERY: Final = 1.0
#: Seconds after which a backup is killed, so that another can be tried.
TIMEOUT: Final = 6 * 3600.0
#: Delay before another attempt after a failed backup.
RETRY_AFTER: Final = timedelta(hours=1)
#: Exit statuses of a backup that was stopped, as all processes of a site may be at once.
STOPPED: Final = {-signal.SIGTERM, -signal.SIGINT, 128 + signal.SIGINT}


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


def back_up_if_due(now: datetime) -> None:
    """Make a backup and remove old ones, if one is due; log the result."""
    last = backups.last_good() or _database_created(now)
    if not is_due(now, settings.BACKUP_HOUR, last, backups.last_failed()):
        return
    connection.close()  # it may take long
    status, out, errors = _run_backup()
    if status == 0:
        log.info("backup made", place=out.partition("\n")[0].removeprefix("Backup made: "))
    elif status == backups.RUNNING:
        log.info("another process is making a backup")
    elif status in STOPPED:
        log.info("backup stopped, the next start makes it")
    else:
        lines = errors.strip().splitlines()
        reason = lines[-1] if lines else f"exit status {status}"
        log.error("backup failed", reason=reason.removeprefix("CommandError: "))
        backups.note_failure()


def _run_backup() -> tuple[int, str, str]:
    """Run `manage.py backup`; return its exit status, output and errors."""
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "backup"]
    process = subprocess.Popen(  # noqa: S603
        [*command, "--gently", "--prune"],
        env=os.environ | {"BOWER_DATA": str(settings.DATA_DIR)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    begun, late = time.monotonic(), ""
    while True:
        try:
            out, errors = process.communicate(timeout=CHECK_EVERY)
        except subprocess.TimeoutExpired:
            stopping: object = state.should_stop  # an exit status, or True in quickstart
            if stopping is not None and stopping is not False:
                process.terminate()
            elif time.monotonic() - begun > TIMEOUT:
                process.kill()
                late = f"\nIt was aborted after {TIMEOUT / 3600:g} hours."
        else:
            return process.returncode, out, errors + late


def _database_created(now: datetime) -> datetime:
    recorder = MigrationRecorder(connection)
    first = recorder.migration_qs.order_by("applied").values_list("applied", flat=True).first()
    return first or now
