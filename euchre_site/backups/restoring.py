"""Restoring a backup while the site is stopped: completely, or nothing is changed."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Max
from filelock import FileLock, Timeout

from euchre_site.backups import archives, keys, postgres, sqlite, verification
from euchre_site.backups.errors import BackupError
from euchre_site.backups.files import check_free_space, make_folder, sync_folder
from euchre_site.backups.verification import CheckedBackup
from games.models import Heartbeat
from games.sockets.heartbeats import LATE_AFTER

#: Suffixes of the files that SQLite keeps next to an open database.
SQLITE_SUFFIXES = ("-wal", "-shm")


class RestoredSite(NamedTuple):
    """The result of a restore. aside: the folder with the replaced database and keys, if any."""

    backup: CheckedBackup
    aside: Path | None


def restore(file: Path, now: datetime, *, key_file: Path | None, replace: bool) -> RestoredSite:
    """Restore the database and keys of a backup.

    key_file: with the backup's secret key, if it is encrypted. replace: whether there may be a
    database already, which is then moved aside.

    Raises BackupError if nothing was changed; the message is one line that says why.
    """
    make_folder(settings.DATA_DIR)
    try:
        with site_stopped():
            if _has_content(now) and not replace:
                raise BackupError(
                    f"There is a database already ({_place()}): with --replace it is moved aside "
                    "and replaced by the backup."
                )
            with verification.scratch_folder(settings.DATA_DIR) as work:
                return _restore(file, now, work, key_file)
    except (OSError, sqlite3.Error, DatabaseError) as error:
        first = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise BackupError(f"Nothing was restored: {first}") from error


@contextmanager
def site_stopped() -> Iterator[None]:
    """Lock the data folder for the block, as `quickstart` does while it runs."""
    try:
        lock = FileLock(settings.DATA_DIR / "lock", mode=0o600).acquire(timeout=0)
    except Timeout as error:
        raise BackupError(f"Bower is running in {settings.DATA_DIR}: stop it first.") from error
    with lock:
        yield


def _place() -> str:
    name = str(connection.settings_dict["NAME"])
    return name if connection.vendor == "sqlite" else f"the PostgreSQL database “{name}”"


def _has_content(now: datetime) -> bool:
    """Return whether there is a database already; raise BackupError if a site is using it."""
    if connection.vendor == "sqlite" and not _sqlite_file().exists():
        return False
    try:
        if not MigrationRecorder(connection).applied_migrations():
            return _has_foreign_tables()
        at = Heartbeat.objects.exclude(name__startswith="backup").aggregate(at=Max("at"))["at"]
    except DatabaseError:
        if connection.vendor == "sqlite":
            return True  # a damaged one
        raise
    finally:
        connection.close()
    if at is not None and now - at < LATE_AFTER:
        seconds = max((now - at).total_seconds(), 0.0)  # the other clock may be ahead
        raise BackupError(
            f"The site used this database {seconds:.0f} seconds ago: stop all "
            f"of its processes. If they are stopped, wait {LATE_AFTER.seconds} seconds and try "
            "again."
        )
    if connection.vendor == "postgresql" and (others := postgres.others_connected()):
        raise BackupError(
            f"{others} other connections to {_place()}: stop all processes of the site and close "
            "all other connections."
        )
    return True


def _has_foreign_tables() -> bool:
    """Return whether PostgreSQL has tables but no record of Bower's migrations.

    Raises BackupError if another process is connected to it.
    """
    if connection.vendor != "postgresql" or not postgres.tables():
        return False
    if others := postgres.others_connected():
        raise BackupError(f"{others} other connections to {_place()}, which has foreign tables.")
    return True


def _restore(file: Path, now: datetime, work: Path, key_file: Path | None) -> RestoredSite:
    backup = verification.extract_and_verify(file, key_file, work)
    if backup.info.database != connection.vendor:
        raise BackupError(
            f"{file} cannot be used: it is from {backup.info.database}, and this site uses "
            f"{connection.vendor}."
        )
    try:
        keys.check_environment(backup.info)
    except BackupError as error:
        raise BackupError(f"{file} cannot be used: {error}.") from error
    aside = _copy_aside(now)
    try:
        with _keys_replaced(work):
            if backup.info.database == "sqlite":
                _replace_file(work / archives.SQLITE)
            else:
                postgres.replace_all(work / archives.POSTGRESQL, work)
    except Exception:  # nothing was changed
        if aside is not None:
            shutil.rmtree(aside, ignore_errors=True)
        raise
    # After Ctrl-C the copy stays, since the restore may have been complete.
    with suppress(OSError):  # it is complete; only a power cut now could undo it
        sync_folder(settings.DATA_DIR)
    return RestoredSite(backup, aside)


def _copy_aside(now: datetime) -> Path | None:
    """Copy database and keys to a new folder, and return it if there are any."""
    aside: Path = settings.DATA_DIR / "copies" / f"before-restore-{now:%Y%m%d-%H%M%S-%f}"
    key_file: Path = settings.DATA_DIR / archives.KEYS
    files: list[Path] = []
    if connection.vendor == "sqlite":
        file = _sqlite_file()
        _checkpoint(file)
        parts = [file, *(file.with_name(f"{file.name}{end}") for end in SQLITE_SUFFIXES)]
        files = [path for path in parts if path.exists()]
    dumped = connection.vendor == "postgresql" and bool(postgres.tables())
    if not files and not dumped and not key_file.exists():
        return None
    make_folder(aside.parent)
    aside.mkdir(mode=0o700)
    try:
        if key_file.exists():
            shutil.copy2(key_file, aside)
        for path in files:
            _link(path, aside / path.name)
        if dumped:
            check_free_space(aside, postgres.size_of_database())
            postgres.dump(aside / archives.POSTGRESQL)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise
    return aside


def _sqlite_file() -> Path:
    file = sqlite.file_of(connection.settings_dict)
    if file is None:
        raise BackupError("The database is in memory: nothing can be restored into it.")
    return file


def _checkpoint(file: Path) -> None:
    if file.exists():
        with suppress(sqlite3.Error), closing(sqlite3.connect(file)) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _link(path: Path, to: Path) -> None:
    try:
        os.link(path, to)
    except OSError:
        shutil.copy2(path, to)


@contextmanager
def _keys_replaced(work: Path) -> Iterator[None]:
    """Install the backup's keys; if the block fails, restore the previous ones."""
    new, present, before = work / archives.KEYS, settings.DATA_DIR / archives.KEYS, work / "before"
    if not new.exists():
        yield
        return
    if present.exists():
        shutil.copy2(present, before)
    try:
        new.replace(present)
        yield
    except BaseException:
        if before.exists():
            before.replace(present)
        else:
            present.unlink(missing_ok=True)
        raise


def _replace_file(new: Path) -> None:
    place = _sqlite_file()
    make_folder(place.parent)
    draft = place.with_name(f"{place.name}.restored")
    extra_files = [place.with_name(f"{place.name}{end}") for end in SQLITE_SUFFIXES]
    moved: dict[Path, Path] = {}
    try:
        shutil.move(new, draft)
        for extra in extra_files:  # they belong to the old database
            if extra.exists():
                moved[extra] = extra.rename(f"{extra}.before")
        draft.replace(place)
    except BaseException:
        draft.unlink(missing_ok=True)
        for path, now_at in moved.items():
            now_at.rename(path)
        raise
    for now_at in moved.values():
        with suppress(OSError):
            now_at.unlink()
