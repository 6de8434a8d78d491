"""Copying a SQLite database while it is in use, and checking its integrity."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from django.db import connections

from euchre_site.backups.errors import BackupError
from euchre_site.backups.files import new_file, sync_folder

#: Number of copies made before migrations that are kept.
COPIES: Final = 3


def file_of(settings: dict[str, Any]) -> Path | None:
    """Return the file of a database in Django's settings; None for one in memory."""
    name = str(settings["NAME"])
    return None if ":memory:" in name or "mode=memory" in name else Path(name)


def size_of(file: Path) -> int:
    parts = (file, file.with_name(f"{file.name}-wal"))
    return sum(part.stat().st_size for part in parts if part.exists())


def copy_database(database: sqlite3.Connection, to: Path) -> None:
    """Copy a snapshot to one synced file, without blocking writers.

    Raises OSError or sqlite3.Error.
    """
    draft = to.with_suffix(".draft")
    try:
        with new_file(draft):
            pass
        with closing(sqlite3.connect(draft)) as target:
            database.backup(target)  # in one step: a snapshot
            target.execute("PRAGMA journal_mode = DELETE")
        draft.rename(to)
        sync_folder(to.parent)
    finally:
        for left in to.parent.glob(f"{draft.name}*"):
            left.unlink(missing_ok=True)


def keep_copy(database: sqlite3.Connection, to: Path) -> None:
    """Copy a database before it is migrated, and keep the latest `COPIES`.

    Raises OSError or sqlite3.Error.
    """
    to.parent.mkdir(mode=0o700, exist_ok=True)
    copy_database(database, to)
    for old in sorted(to.parent.glob("db-*.sqlite3"))[:-COPIES]:
        old.unlink()


def driver_connection() -> sqlite3.Connection:
    connection = connections["default"]
    connection.ensure_connection()
    opened: sqlite3.Connection = connection.connection
    return opened


def check_integrity(copy: Path) -> None:
    """Raise BackupError if SQLite finds a copy damaged, or a row that refers to a missing one."""
    try:
        with closing(sqlite3.connect(copy)) as database:
            found = [row[0] for row in database.execute("PRAGMA integrity_check(1)")]
            if found != ["ok"]:
                raise BackupError("the database in it is damaged: SQLite's integrity check fails")
            orphan = database.execute("PRAGMA foreign_key_check").fetchone()
    except sqlite3.Error as error:
        raise BackupError(f"the database in it is damaged: {error}") from error
    if orphan is not None:
        raise BackupError(f"in its database a row of {orphan[0]} refers to a missing one")
