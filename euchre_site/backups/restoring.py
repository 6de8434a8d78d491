"""Putting a backup in the place of a site that stands still: all of it, or nothing has changed."""

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
from euchre_site.backups.files import keep_name, make_folder, refuse_full_disk
from euchre_site.backups.verification import CheckedBackup
from games.models import Heartbeat
from games.sockets.heartbeats import LATE_AFTER

#: What stands beside a database of SQLite that has not been closed.
BESIDE = ("-wal", "-shm")


class RestoredSite(NamedTuple):
    """A site that has been put back.

    Attributes:
        backup: from what.
        aside: the folder in which that is kept which was there before, or None.
    """

    backup: CheckedBackup
    aside: Path | None


def restore(file: Path, now: datetime, *, replace: bool) -> RestoredSite:
    """Put a backup in the place of the present database and keys.

    Args:
        file: the backup.
        now: the present moment.
        replace: whether there may be a database already, which is then kept aside.

    Raises:
        BackupError: nothing has changed; one line with what prevents it.
    """
    make_folder(settings.DATA_DIR)
    try:
        with standing_still():
            content = _has_content(now)
            if content and not replace:
                raise BackupError(
                    f"There is a database already ({_place()}): with --replace it is kept aside "
                    "and the backup is put in its place."
                )
            with verification.drafts_in(settings.DATA_DIR) as work:
                return _restore(file, now, work, content=content)
    except (OSError, sqlite3.Error, DatabaseError) as error:
        first = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise BackupError(f"Nothing was restored: {first}") from error


@contextmanager
def standing_still() -> Iterator[None]:
    """Hold the data folder while in the block, as `quickstart` does while it runs."""
    try:
        lock = FileLock(settings.DATA_DIR / "lock", mode=0o600).acquire(timeout=0)
    except Timeout as error:
        raise BackupError(
            f"Bower is running in {settings.DATA_DIR}: stop it, then restore."
        ) from error
    with lock:
        yield


def _place() -> str:
    name = str(connection.settings_dict["NAME"])
    return name if connection.vendor == "sqlite" else f"the PostgreSQL database “{name}”"


def _has_content(now: datetime) -> bool:
    """Whether there is a database already; raise BackupError if a site is at work on it."""
    if connection.vendor == "sqlite" and not _sqlite_file().exists():
        return False
    try:
        if not MigrationRecorder(connection).applied_migrations():
            return _others_tables()
        at = Heartbeat.objects.exclude(name__startswith="backup").aggregate(at=Max("at"))["at"]
    except DatabaseError:
        if connection.vendor == "sqlite":
            return True  # a damaged one, which is why it is to be replaced
        raise
    finally:
        connection.close()
    if at is not None and now - at < LATE_AFTER:
        raise BackupError(
            f"The site was at work on this database {(now - at).total_seconds():.0f} seconds ago: "
            f"stop all of its processes. If they are stopped, wait {LATE_AFTER.seconds} seconds "
            "and try again."
        )
    if connection.vendor == "postgresql" and (others := postgres.others_connected()):
        raise BackupError(
            f"{others} others are connected to {_place()}: stop all processes of the site, and "
            "close what else is connected."
        )
    return True


def _others_tables() -> bool:
    """Whether PostgreSQL has tables that are no site's, or of one that has lost its record.

    Raises BackupError if somebody is connected to it.
    """
    if connection.vendor != "postgresql" or not postgres.tables():
        return False
    if others := postgres.others_connected():
        raise BackupError(f"{others} others are connected to {_place()}, which has other tables.")
    return True


def _restore(file: Path, now: datetime, work: Path, *, content: bool) -> RestoredSite:
    backup = verification.unpack(file, work)
    if backup.manifest.database != connection.vendor:
        raise BackupError(
            f"{file} cannot be used: it is of {backup.manifest.database}, and this site's "
            f"database is of {connection.vendor}."
        )
    try:
        keys.refuse_others_from_outside(backup.manifest)
    except BackupError as error:
        raise BackupError(f"{file} cannot be used: {error}.") from error
    aside = _keep_aside(now)
    try:
        with _keys_replaced(work):
            if backup.manifest.database == "sqlite":
                _replace_file(work / archives.SQLITE)
            else:
                postgres.replace_all(work / archives.POSTGRESQL, work)
    except Exception:  # nothing was changed
        if aside is not None:
            shutil.rmtree(aside, ignore_errors=True)
        raise
    # Who breaks it off may have done so at the last moment: then what was there stays aside.
    with suppress(OSError):  # it is done; only a power cut at this moment could undo it
        keep_name(settings.DATA_DIR)
    return RestoredSite(backup, aside)


def _keep_aside(now: datetime) -> Path | None:
    """Keep what is there in a folder of its own; return that, or None if there is nothing."""
    aside: Path = settings.DATA_DIR / "copies" / f"before-restore-{now:%Y%m%d-%H%M%S-%f}"
    key_file: Path = settings.DATA_DIR / archives.KEYS
    there: list[Path] = []
    if connection.vendor == "sqlite":
        file = _sqlite_file()
        _empty_log(file)
        parts = [file, *(file.with_name(f"{file.name}{end}") for end in BESIDE)]
        there = [path for path in parts if path.exists()]
    dumped = connection.vendor == "postgresql" and bool(postgres.tables())
    if not there and not dumped and not key_file.exists():
        return None
    make_folder(aside.parent)
    aside.mkdir(mode=0o700)
    try:
        if key_file.exists():
            shutil.copy2(key_file, aside)
        for path in there:
            _link(path, aside / path.name)
        if dumped:
            refuse_full_disk(aside, postgres.size_of_database())
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


def _empty_log(file: Path) -> None:
    """Bring all that is stored into the database's file itself, unless it is damaged."""
    if file.exists():
        with suppress(sqlite3.Error), closing(sqlite3.connect(file)) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _link(path: Path, to: Path) -> None:
    """Keep a file under a second name, which takes no room; copy it where that cannot be."""
    try:
        os.link(path, to)
    except OSError:
        shutil.copy2(path, to)


@contextmanager
def _keys_replaced(work: Path) -> Iterator[None]:
    """Put the backup's keys in place; if the block fails, those before are there again."""
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
    """Put a database of SQLite in the place of the site's, at once."""
    place = _sqlite_file()
    make_folder(place.parent)
    draft = place.with_name(f"{place.name}.restored")
    besides = [place.with_name(f"{place.name}{end}") for end in BESIDE]
    moved: dict[Path, Path] = {}
    try:
        shutil.move(new, draft)
        for beside in besides:  # what another database has left would be taken for the new one's
            if beside.exists():
                moved[beside] = beside.rename(f"{beside}.before")
        draft.replace(place)
    except BaseException:
        draft.unlink(missing_ok=True)
        for path, now_at in moved.items():
            now_at.rename(path)
        raise
    for now_at in moved.values():
        with suppress(OSError):
            now_at.unlink()
