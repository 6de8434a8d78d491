"""The backup file: a gzipped tar of the database and the keys. With a key, age encrypts it.

It is written and read as a stream, and `age` and `tar` open it without Bower (docs/running.md).
gzip's checksum detects damage, age also any change.
"""

import gzip
import io
import shutil
import tarfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from datetime import datetime
from pathlib import Path
from typing import IO, Final, Literal

from pydantic import BaseModel, ValidationError
from pyrage import x25519

from euchre_site.backups import encryption
from euchre_site.backups.errors import BackupError
from euchre_site.backups.files import check_free_space, new_file

#: The first member, which describes the others.
INFO: Final = "backup.json"
#: The member with the database: a SQLite file, or the output of `pg_dump`.
SQLITE: Final = "db.sqlite3"
POSTGRESQL: Final = "db.dump"
KEYS: Final = "secrets.env"
#: Maximum size of `INFO` in bytes.
LONGEST_INFO: Final = 1 << 20
BLOCK: Final = 1 << 18
GZIP_MAGIC: Final = b"\x1f\x8b"
DAMAGED: Final = (EOFError, gzip.BadGzipFile, zlib.error, tarfile.TarError, ValueError)
OTHER_FILE: Final = (
    "it is no backup, or one from before November 28, 2026, which only the version that made it "
    "can restore"
)


class BackupInfo(BaseModel):
    """What a backup says of itself.

    version: Bower's. server: the version of SQLite or PostgreSQL. migrations: those applied, such
    as ``games.0001_initial``. marks: those of the database's keys, see `startup.mark_of`. apart:
    the names of the keys that the backup does not contain.
    """

    made: datetime
    version: str
    database: Literal["sqlite", "postgresql"]
    server: str
    migrations: list[str]
    marks: dict[str, str]
    apart: list[str]

    @property
    def dump(self) -> str:
        return SQLITE if self.database == "sqlite" else POSTGRESQL


def write(
    to: Path, info: BackupInfo, files: Mapping[str, Path], keys: Sequence[x25519.Recipient]
) -> None:
    """Write a backup to a new file and sync it; raise OSError if that fails.

    keys: whose secret ones can open it; without any it is not encrypted.
    """
    with (
        new_file(to) as raw,
        encryption.encrypting(raw, keys) if keys else nullcontext(raw) as out,
        gzip.GzipFile("", "wb", 5, out, 0) as packed,
        tarfile.open(fileobj=packed, mode="w|") as tar,
    ):
        text = info.model_dump_json(indent=1).encode()
        _add(tar, INFO, len(text), io.BytesIO(text), info.made)
        for name, path in files.items():
            with path.open("rb") as file:
                _add(tar, name, path.stat().st_size, file, info.made)


def _add(tar: tarfile.TarFile, name: str, size: int, file: IO[bytes], made: datetime) -> None:
    head = tarfile.TarInfo(name)
    head.size, head.mode, head.mtime = size, 0o600, int(made.timestamp())
    tar.addfile(head, file)


def read(path: Path, keys: Sequence[x25519.Identity], into: Path | None = None) -> BackupInfo:
    """Read a whole backup; extract its members to a folder, if given.

    keys: the secret ones, if it is encrypted.

    Raises BackupError if it is missing, damaged or encrypted for another key; OSError if the
    members cannot be written.
    """
    try:
        with _packed(path, keys) as packed:
            with tarfile.open(fileobj=packed, mode="r|") as tar:
                info = _read_members(tar, into)
            while packed.read(BLOCK):
                pass  # gzip and age detect truncation only at the end
    except BackupError as error:
        raise BackupError(f"{path} cannot be used: {error}.") from error
    except DAMAGED as error:
        raise BackupError(f"{path} cannot be used: it is {encryption.DAMAGED}.") from error
    return info


@contextmanager
def _packed(path: Path, keys: Sequence[x25519.Identity]) -> Iterator[gzip.GzipFile]:
    """Yield the tar in a backup."""
    try:
        raw = path.open("rb")
    except OSError as error:
        raise BackupError(error.strerror or "it cannot be read") from error
    with raw:
        start = raw.read(len(encryption.MAGIC))
        raw.seek(0)
        encrypted = start == encryption.MAGIC
        if encrypted and not keys:
            raise BackupError("it is encrypted, and --key does not name the file of its secret key")
        if not encrypted and not start.startswith(GZIP_MAGIC):
            raise BackupError(OTHER_FILE)
        with (
            encryption.decrypting(raw, keys) if encrypted else nullcontext(raw) as plain,
            gzip.GzipFile(fileobj=plain) as packed,
        ):
            yield packed


def _read_members(tar: tarfile.TarFile, into: Path | None) -> BackupInfo:
    heads = iter(tar)
    info = _read_info(tar, next(heads, None))
    missing = {info.dump, KEYS}
    for head in heads:
        file = tar.extractfile(head) if head.isreg() else None
        if file is None or head.name not in missing:
            raise BackupError(f"it contains “{head.name}”, which is no part of a backup")
        missing.remove(head.name)
        if into is not None:
            check_free_space(into, head.size)
            with new_file(into / head.name) as out:
                shutil.copyfileobj(file, out, BLOCK)
    if info.dump in missing:
        raise BackupError(f"it lacks {info.dump}")
    return info


def _read_info(tar: tarfile.TarFile, head: tarfile.TarInfo | None) -> BackupInfo:
    file = tar.extractfile(head) if head and head.isreg() and head.size <= LONGEST_INFO else None
    if head is None or file is None or head.name != INFO:
        raise BackupError(OTHER_FILE)
    try:
        return BackupInfo.model_validate_json(file.read())
    except ValidationError as error:
        first = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise BackupError(f"this version cannot read “{first}” in its {INFO}") from None
