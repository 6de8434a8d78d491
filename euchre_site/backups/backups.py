"""Making a backup while the site runs: one complete, verified file or none.

A snapshot of the database is copied and its unfinished games are replayed. Then the backup is
written, and read again before it gets its final name. The unencrypted copy stays in the data
folder, since the folder of backups may be on a disk that other users can read.
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
from pyrage import x25519

from euchre_site import __version__
from euchre_site.backups import (
    archives,
    encryption,
    keys,
    postgres,
    replay,
    retention,
    scratch,
    sqlite,
)
from euchre_site.backups.archives import BackupInfo
from euchre_site.backups.errors import BackupError, BackupRunningError
from euchre_site.backups.files import check_free_space, make_folder, sync_folder
from euchre_site.backups.verification import (
    BACKUP_PREFIX,
    SCRATCH_PREFIX,
    private_folder,
    remove,
    scratch_folder,
    sqlite_games,
)
from games.sockets import heartbeats

#: The heartbeats for the last backup and for the last failed one.
MADE: Final = "backup"
FAILED: Final = "backup-failed"
#: Exit status of `manage.py backup` while another one is in progress (EX_TEMPFAIL).
RUNNING: Final = 75
#: A daily backup is late when the last one is older than this.
LATE_AFTER: Final = timedelta(hours=26)


class BackupHealth(StrEnum):
    FINE = "fine"
    LATE = "late"
    NEVER = "never"
    FAILED = "failed"


class MadeBackup(NamedTuple):
    """A backup, the number of unfinished games replayed, and the names of keys not in it."""

    path: Path
    size: int
    games: int
    encrypted: bool
    apart: list[str]


class _DatabaseCopy(NamedTuple):
    database: Literal["sqlite", "postgresql"]
    server: str
    migrations: list[str]
    games: int
    file: Path


def last_good() -> datetime | None:
    """Return the time of the last backup, also after a restore."""
    return heartbeats.last(MADE)


def last_failed() -> datetime | None:
    return heartbeats.last(FAILED)


def health(now: datetime) -> BackupHealth:
    last, failed = last_good(), last_failed()
    if failed is not None and (last is None or failed > last):
        return BackupHealth.FAILED
    if last is None:
        return BackupHealth.NEVER
    return BackupHealth.LATE if now - last > LATE_AFTER else BackupHealth.FINE


def note_failure() -> None:
    _note(FAILED)


def back_up(folder: Path) -> MadeBackup:
    """Make a backup in a folder, which is created if it is missing.

    Raises BackupError if none was made; the message is one line that says why.
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
    key = encryption.public_key(settings.BACKUP_KEY) if settings.BACKUP_KEY else None
    place = private_folder()
    make_folder(folder)
    with _locked(folder / ".lock", folder), _locked(place / "backup.lock", place):
        elsewhere = () if folder.samefile(place) else folder.glob(f"{SCRATCH_PREFIX}*")
        for left in (*place.glob(f"{BACKUP_PREFIX}*"), *elsewhere):  # left by a killed process
            remove(left)
        size = _size()
        one_disk = folder.stat().st_dev == place.stat().st_dev
        check_free_space(folder, 2 * size if one_disk else size)
        check_free_space(place, size)
        retention.check_owner(folder, keys.marks())
        with scratch_folder(place, BACKUP_PREFIX) as work:
            return _make(folder, work, key)


def _locked(lock: Path, place: Path) -> AcquireReturnProxy[Any]:
    try:
        return FileLock(lock, mode=0o600).acquire(timeout=0)
    except Timeout as error:
        raise BackupRunningError(f"Another backup is in progress in {place}.") from error


def _size() -> int:
    if connection.vendor == "postgresql":
        return postgres.size_of_database()
    return sqlite.size_of(_sqlite_file())


def _sqlite_file() -> Path:
    file = sqlite.file_of(connection.settings_dict)
    if file is None:
        raise BackupError("The database is in memory and cannot be backed up.")
    return file


def _make(folder: Path, work: Path, key: x25519.Recipient | None) -> MadeBackup:
    copied = _copy_postgres(work) if connection.vendor == "postgresql" else _copy_sqlite(work)
    members = {copied.file.name: copied.file}
    if (file := settings.DATA_DIR / archives.KEYS).exists():
        members[archives.KEYS] = file
    apart, made = keys.not_in_file(), timezone.now()
    info = BackupInfo(
        made=made,
        version=__version__,
        database=copied.database,
        server=copied.server,
        migrations=copied.migrations,
        marks=keys.marks(),
        apart=apart,
    )
    path = folder / retention.backup_name(made, encrypted=key is not None)
    draft = folder / f"{BACKUP_PREFIX}{path.name}"
    # The secret key is elsewhere: another one, known only here, opens the file once to check it
    once = x25519.Identity.generate()
    try:
        archives.write(draft, info, members, [key, once.to_public()] if key else [])
        archives.read(draft, [once])
        draft.rename(path)
    finally:
        draft.unlink(missing_ok=True)
    sync_folder(folder)
    return MadeBackup(path, path.stat().st_size, copied.games, key is not None, apart)


def _copy_sqlite(work: Path) -> _DatabaseCopy:
    copy = work / archives.SQLITE
    sqlite.copy_database(sqlite.driver_connection(), copy)
    try:
        games = sqlite_games(copy, settings.DEAL_KEY)
        with scratch.open_sqlite(copy) as alias:
            applied = migrations(alias)
    except BackupError as error:
        raise BackupError(f"No backup was made: the database is not usable: {error}.") from error
    return _DatabaseCopy("sqlite", sqlite3.sqlite_version, applied, games, copy)


def _copy_postgres(work: Path) -> _DatabaseCopy:
    """Dump a snapshot of the database, and replay the games of the same snapshot."""
    copy, version = work / archives.POSTGRESQL, postgres.server_version()
    with postgres.snapshot() as moment:
        postgres.dump(copy, moment)
        applied = migrations("default")
        try:
            games = replay.replay_games("default", settings.DEAL_KEY)
        except BackupError as error:
            raise BackupError(
                f"No backup was made: the database is not usable: {error}."
            ) from error
    postgres.read_through(copy, version)
    return _DatabaseCopy("postgresql", str(version), applied, games, copy)


def migrations(database: str) -> list[str]:
    applied = MigrationRecorder(connections[database]).applied_migrations()
    return sorted(f"{app}.{name}" for app, name in applied)
