"""Verifying a backup: it is read completely, and its unfinished games are replayed."""

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from django.conf import settings
from django.db import connection

from euchre_site.backups import archives, encryption, keys, postgres, replay, scratch, sqlite
from euchre_site.backups.archives import BackupInfo
from euchre_site.backups.errors import BackupError
from euchre_site.startup.startup import unknown_migrations

#: Prefix of the names of scratch folders.
SCRATCH_PREFIX: Final = ".bower-draft-"
#: Prefix of those of a backup in progress; there is one at a time.
BACKUP_PREFIX: Final = f"{SCRATCH_PREFIX}backup-"
#: Seconds after which a scratch folder must be that of a killed process.
ABANDONED_AFTER: Final = 86400


class CheckedBackup(NamedTuple):
    """A verified backup.

    games: the number of unfinished games replayed; None if the dump could not be restored for
    that. how: how its database was verified, in words.
    """

    info: BackupInfo
    games: int | None
    how: str


@contextmanager
def scratch_folder(folder: Path, prefix: str = SCRATCH_PREFIX) -> Iterator[Path]:
    """Make a private folder for the block, and remove those that killed processes left a day ago.

    They hold a copy of the database.
    """
    for left in folder.glob(f"{SCRATCH_PREFIX}*"):
        with suppress(OSError):
            if time.time() - left.lstat().st_mtime > ABANDONED_AFTER:
                remove(left)
    work = Path(tempfile.mkdtemp(prefix=prefix, dir=folder))
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


def remove(left: Path) -> None:
    if left.is_dir() and not left.is_symlink():
        shutil.rmtree(left)
    else:
        left.unlink()


def verify(file: Path, key_file: Path | None = None) -> CheckedBackup:
    """Verify a backup; key_file: with its secret key, if it is encrypted."""
    with scratch_folder(private_folder()) as work:
        return extract_and_verify(file, key_file, work)


def private_folder() -> Path:
    """Return a folder for unencrypted copies of the database that other users cannot read."""
    here: Path = settings.DATA_DIR
    return here if here.is_dir() else Path(tempfile.gettempdir())


def extract_and_verify(file: Path, key_file: Path | None, work: Path) -> CheckedBackup:
    """Extract a backup to a scratch folder and verify it.

    Raises BackupError with what is wrong; OSError if there is no space to extract it.
    """
    info = archives.read(file, encryption.secret_keys(key_file) if key_file else [], work)
    try:
        refuse_newer(info)
        deal_key = keys.keys_of(info, work / archives.KEYS)["DEAL_KEY"]
        dump = work / info.dump
        how, games = (
            ("SQLite found no errors in the database", sqlite_games(dump, deal_key))
            if info.database == "sqlite"
            else _try_dump(dump, info, deal_key)
        )
    except BackupError as error:
        raise BackupError(f"{file} cannot be used: {error}.") from error
    return CheckedBackup(info, games, how)


def refuse_newer(info: BackupInfo) -> None:
    applied = [(app, name) for app, _, name in (one.partition(".") for one in info.migrations)]
    if newer := unknown_migrations(applied):
        raise BackupError(
            f"it is from a newer version of Bower ({info.version}), with {len(newer)} "
            f"migrations that this one does not know, such as {'.'.join(min(newer))}"
        )


def sqlite_games(copy: Path, deal_key: str) -> int:
    """Verify a SQLite database; return the number of unfinished games, which are replayed.

    Raises BackupError if it is damaged or a game cannot be replayed.
    """
    sqlite.check_integrity(copy)
    with scratch.open_sqlite(copy) as alias:
        return replay.replay_games(alias, deal_key)


def _try_dump(dump: Path, info: BackupInfo, deal_key: str) -> tuple[str, int | None]:
    """Verify a dump; return how, and the number of unfinished games if they could be replayed.

    It is restored to a temporary database if the role may create one, otherwise only read.
    """
    version = int(info.server)
    if connection.vendor == "postgresql" and postgres.may_create_databases():
        with postgres.restored_copy(dump) as name, scratch.open_postgres(name) as alias:
            games = replay.replay_games(alias, deal_key)
        return "it was restored to a temporary database", games
    postgres.read_through(dump, version)
    why = (
        "the role may not create databases"
        if connection.vendor == "postgresql"
        else "this site does not use PostgreSQL"
    )
    return f"pg_restore read all of it; it was not restored, since {why}", None
