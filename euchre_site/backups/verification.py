"""Whether a backup could go on: it is opened, read to its end, and its unfinished games played."""

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
from euchre_site.backups.archives import BackupManifest
from euchre_site.backups.errors import BackupError
from euchre_site.startup.startup import unknown_migrations

#: What the names of folders with drafts begin with.
DRAFT: Final = ".bower-draft-"
#: And with those of a backup, of which one is made at a time.
MADE_HERE: Final = f"{DRAFT}backup-"
#: Seconds after which drafts are of a process that was killed: none is at work for so long.
DEAD_AFTER: Final = 86400


class CheckedBackup(NamedTuple):
    """A backup that could go on.

    Attributes:
        manifest: what it says of itself.
        games: how many unfinished games have been played again, or None where that could not be.
        how: what was done with the database in it, in words.
        sealed: whether it is encrypted.
    """

    manifest: BackupManifest
    games: int | None
    how: str
    sealed: bool


def backup_key() -> bytes | None:
    """Return the key for backups, if the settings have one; raise BackupError for none that is."""
    return encryption.key_of(settings.BACKUP_KEY) if settings.BACKUP_KEY else None


@contextmanager
def drafts_in(folder: Path, prefix: str = DRAFT) -> Iterator[Path]:
    """A new folder for drafts, which only its owner sees, while in the block.

    What a process that was killed has left there a day ago goes: it holds a database to be read.
    """
    for left in folder.glob(f"{DRAFT}*"):
        with suppress(OSError):
            if time.time() - left.lstat().st_mtime > DEAD_AFTER:
                remove(left)
    work = Path(tempfile.mkdtemp(prefix=prefix, dir=folder))
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


def remove(left: Path) -> None:
    """Remove drafts that a process has left; what a link leads to stays."""
    if left.is_dir() and not left.is_symlink():
        shutil.rmtree(left)
    else:
        left.unlink()


def verify(file: Path) -> CheckedBackup:
    """Open a backup and try whether it could go on; nothing of it is kept.

    Raises BackupError with what is wrong; OSError if there is no room to open it.
    """
    with drafts_in(private_place()) as work:
        return unpack(file, work)


def private_place() -> Path:
    """Return where a database may lie that anybody could read who sees its file."""
    here: Path = settings.DATA_DIR
    return here if here.is_dir() else Path(tempfile.gettempdir())


def unpack(file: Path, work: Path) -> CheckedBackup:
    """Open a backup in a folder for drafts, and try whether it could go on.

    Raises BackupError with what is wrong; OSError if there is no room to open it.
    """
    manifest = archives.read(file, backup_key(), work)
    try:
        refuse_newer(manifest)
        deal_key = keys.keys_of(manifest, work / archives.KEYS)["DEAL_KEY"]
        dump = work / manifest.dump
        how, games = (
            ("SQLite found the database sound", sqlite_games(dump, deal_key))
            if manifest.database == "sqlite"
            else _try_dump(dump, manifest, deal_key)
        )
    except BackupError as error:
        raise BackupError(f"{file} cannot be used: {error}.") from error
    return CheckedBackup(manifest, games, how, archives.is_sealed(file))


def refuse_newer(manifest: BackupManifest) -> None:
    """Raise BackupError if a backup is of a newer version of Bower than this."""
    applied = [(app, name) for app, _, name in (one.partition(".") for one in manifest.migrations)]
    if newer := unknown_migrations(applied):
        raise BackupError(
            f"it is of a newer version of Bower ({manifest.version}), which has made "
            f"{len(newer)} changes that this one does not know, such as {'.'.join(min(newer))}"
        )


def sqlite_games(copy: Path, deal_key: str) -> int:
    """Return how many unfinished games a copy holds; raise BackupError unless all can go on."""
    sqlite.refuse_unsound(copy)
    with scratch.sqlite_opened(copy) as alias:
        return replay.refuse_unplayable(alias, deal_key)


def _try_dump(dump: Path, manifest: BackupManifest, deal_key: str) -> tuple[str, int | None]:
    """Restore a dump beside the site's database where that is allowed, else read through it."""
    version = int(manifest.server)
    if connection.vendor == "postgresql" and postgres.may_make_databases():
        with postgres.restored_beside(dump) as name, scratch.postgres_opened(name) as alias:
            games = replay.refuse_unplayable(alias, deal_key)
        return "it was restored into a database of its own", games
    postgres.read_through(dump, version)
    why = (
        "the role may make no database"
        if connection.vendor == "postgresql"
        else "this site has no PostgreSQL"
    )
    return f"pg_restore read through it, since {why} to restore it into", None
