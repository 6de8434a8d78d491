"""Small things about files that must be whole: private, on the disk, and moved at once."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from euchre_site.backups.errors import BackupError

#: Bytes that stay free beside a backup, for what is being played.
RESERVE: Final = 100 * 2**20


def make_folder(folder: Path) -> None:
    """Make a folder that only its owner sees, unless it is there; raise BackupError if not."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise BackupError(f"Cannot use the folder {folder}: {error.strerror}.") from error


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """Open a new file that only its owner may read; at the end it is on the disk."""
    made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(made, "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def keep_name(folder: Path) -> None:
    """Have the names in a folder on the disk, so that a file just renamed keeps its name."""
    if os.name != "posix":
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def refuse_full_disk(folder: Path, needed: int) -> None:
    """Raise BackupError unless so many bytes, and what play needs, are free."""
    free = shutil.disk_usage(folder).free
    if free < needed + RESERVE:
        raise BackupError(
            f"The disk of {folder} has {size_text(free)} left, and a backup may need "
            f"{size_text(needed)}, with {size_text(RESERVE)} beside it for what is being played."
        )


def size_text(size: float) -> str:
    """Return a number of bytes in readable units, such as ``1.5 MB``."""
    for unit in ("bytes", "KB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit in ("bytes", "KB") else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"
