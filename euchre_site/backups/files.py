"""Helpers for private, durable files."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from euchre_site.backups.errors import BackupError

#: Bytes that a backup must leave free, for games being played.
RESERVE: Final = 100 * 2**20


def make_folder(folder: Path) -> None:
    """Make a private folder unless it exists; raise BackupError if that fails."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise BackupError(f"Cannot use the folder {folder}: {error.strerror}.") from error


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(made, "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Sync a folder, so that a file just renamed in it keeps its name after a crash."""
    if os.name != "posix":
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def check_free_space(folder: Path, needed: int) -> None:
    """Raise BackupError unless the needed bytes and a reserve for play are free."""
    free = shutil.disk_usage(folder).free
    if free < needed + RESERVE:
        raise BackupError(
            f"The disk of {folder} has {size_text(free)} free. A backup may need "
            f"{size_text(needed)}, and {size_text(RESERVE)} must stay free for games."
        )


def size_text(size: float) -> str:
    for unit in ("bytes", "KB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit in ("bytes", "KB") else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"
