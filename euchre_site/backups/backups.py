"""Making a backup of a site at work: one file, whole and able to go on, or none at all.

The database is copied as it is at one moment while it is written. What the copy holds is tried
before the file is written, and the file is read again before it gets its name. The copy lies in the
data folder, where the database does: the folder of backups may be on a disk that others see.
"""

import sqlite3
from contextlib import suppress
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from django.conf import settings
from django.db import DatabaseError, connection, connections
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone
from filelock import AcquireReturnProxy, FileLock, Timeout

from euchre_site import __version__
from euchre_site.backups import archives, keys, postgres, replay, retention, scratch, sqlite
from euchre_site.backups.archives import BackupManifest
from euchre_site.backups.errors import BackupError, BackupRunningError
from euchre_site.backups.files import keep_name, make_folder, refuse_full_disk
from euchre_site.backups.verification import (
    DRAFT,
    MADE_HERE,
    backup_key,
    drafts_in,
    private_place,
    remove,
    sqlite_games,
)
from games.sockets import heartbeats

#: Under which names it is noted when a backup was made last, and when one failed last.
MADE: Final = "backup"
FAILED: Final = "backup-failed"
#: How `manage.py backup` ends when another makes one at this moment (EX_TEMPFAIL).
RUNNING: Final = 75
#: One is made every day; when the last is older than this, it is late.
LATE_AFTER: Final = timedelta(hours=26)


class BackupHealth(StrEnum):
    """How a site's backups are, in one word."""

    FINE = "fine"
    LATE = "late"
    NEVER = "never"
    FAILED = "failed"


class MadeBackup(NamedTuple):
    """A backup that has been made.

    Attributes:
        path, size: the file, in bytes.
        games: how many unfinished games have been played again from it.
        sealed: whether it is encrypted.
        apart: the names of the keys that it does not hold.
    """

    path: Path
    size: int
    games: int
    sealed: bool
    apart: list[str]


class _Copied(NamedTuple):
    database: Literal["sqlite", "postgresql"]
    server: str
    migrations: list[str]
    games: int
    file: Path


def last_good() -> datetime | None:
    """Return when a backup of this site was made last; None if none ever was.

    One restored from a backup knows of those made before.
    """
    return heartbeats.last(MADE)


def last_failed() -> datetime | None:
    """Return when a backup failed last; None if none ever has."""
    return heartbeats.last(FAILED)


def health(now: datetime) -> BackupHealth:
    """Return how the backups are: the last try failed, none was ever made, late, or fine."""
    last, failed = last_good(), last_failed()
    if failed is not None and (last is None or failed > last):
        return BackupHealth.FAILED
    if last is None:
        return BackupHealth.NEVER
    return BackupHealth.LATE if now - last > LATE_AFTER else BackupHealth.FINE


def note_failure() -> None:
    """Note that a backup has failed now; a database that is away or full is no reason to stop."""
    _note(FAILED)


def back_up(folder: Path) -> MadeBackup:
    """Make a backup in a folder, which is made if it is missing, and note that it was made.

    Raises:
        BackupError: there is none, with what prevents it in one line; that it failed is noted.
    """
    try:
        made = _back_up(folder)
    except (OSError, sqlite3.Error, DatabaseError) as error:
        note_failure()
        first = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise BackupError(f"No backup was made in {folder}: {first}") from error
    except BackupRunningError:
        raise
    except BackupError:
        note_failure()
        raise
    _note(MADE)
    return made


def _note(name: str) -> None:
    with suppress(DatabaseError):
        heartbeats.beat(name, timezone.now())


def _back_up(folder: Path) -> MadeBackup:
    key = backup_key()
    place = private_place()
    make_folder(folder)
    with _alone(folder / ".lock", folder), _alone(place / "backup.lock", place):
        elsewhere = () if folder.samefile(place) else folder.glob(f"{DRAFT}*")
        for left in (*place.glob(f"{MADE_HERE}*"), *elsewhere):  # of one that was killed
            remove(left)
        size = _size()
        one_disk = folder.stat().st_dev == place.stat().st_dev
        refuse_full_disk(folder, 2 * size if one_disk else size)
        refuse_full_disk(place, size)
        retention.refuse_another_site(folder, keys.marks())
        with drafts_in(place, MADE_HERE) as work:
            return _make(folder, work, key)


def _alone(lock: Path, place: Path) -> AcquireReturnProxy[Any]:
    """Hold a file while in the block; raise BackupRunningError if another process does."""
    try:
        return FileLock(lock, mode=0o600).acquire(timeout=0)
    except Timeout as error:
        raise BackupRunningError(f"Another backup is being made in {place}.") from error


def _size() -> int:
    """How many bytes the copy of the database may take."""
    if connection.vendor == "postgresql":
        return postgres.size_of_database()
    return sqlite.size_of(_sqlite_file())


def _sqlite_file() -> Path:
    file = sqlite.file_of(connection.settings_dict)
    if file is None:
        raise BackupError("The database is in memory: nothing of it is kept.")
    return file


def _make(folder: Path, work: Path, key: bytes | None) -> MadeBackup:
    copied = _copy_postgres(work) if connection.vendor == "postgresql" else _copy_sqlite(work)
    members = {copied.file.name: copied.file}
    if (file := settings.DATA_DIR / archives.KEYS).exists():
        members[archives.KEYS] = file
    apart, made = keys.kept_apart(), timezone.now()
    manifest = BackupManifest(
        made=made,
        version=__version__,
        database=copied.database,
        server=copied.server,
        migrations=copied.migrations,
        marks=keys.marks(),
        apart=apart,
        members={name: archives.told(path) for name, path in members.items()},
    )
    path = folder / retention.name_of(made, sealed=key is not None)
    draft = folder / f"{MADE_HERE}{path.name}"
    try:
        archives.write(draft, manifest, members, key)
        archives.read(draft, key)
        draft.rename(path)
    finally:
        draft.unlink(missing_ok=True)
    keep_name(folder)
    return MadeBackup(path, path.stat().st_size, copied.games, key is not None, apart)


def _copy_sqlite(work: Path) -> _Copied:
    copy = work / archives.SQLITE
    sqlite.copy_database(sqlite.driver_connection(), copy)
    try:
        games = sqlite_games(copy, settings.DEAL_KEY)
        with scratch.sqlite_opened(copy) as alias:
            applied = migrations(alias)
    except BackupError as error:
        raise BackupError(f"No backup was made, since it could not go on: {error}.") from error
    return _Copied("sqlite", sqlite3.sqlite_version, applied, games, copy)


def _copy_postgres(work: Path) -> _Copied:
    """Dump one moment of the database, and play the games of the same moment again."""
    copy, version = work / archives.POSTGRESQL, postgres.server_version()
    with postgres.snapshot() as moment:
        postgres.dump(copy, moment)
        applied = migrations("default")
        try:
            games = replay.refuse_unplayable("default", settings.DEAL_KEY)
        except BackupError as error:
            raise BackupError(f"No backup was made, since it could not go on: {error}.") from error
    postgres.read_through(copy, version)
    return _Copied("postgresql", str(version), applied, games, copy)


def migrations(database: str) -> list[str]:
    """Return what has been applied to a database, such as ``games.0001_initial``, sorted."""
    applied = MigrationRecorder(connections[database]).applied_migrations()
    return sorted(f"{app}.{name}" for app, name in applied)
