"""The backup file: a gzipped tar that starts with a manifest of its members, optionally encrypted.

It is written and read as a stream. Everything read is checked against the manifest before it is
used; members that are not listed there, with their size and digest, are refused.
"""

import gzip
import hashlib
import io
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, BinaryIO, Final, Literal, cast

from pydantic import BaseModel, ValidationError

from euchre_site.backups.encryption import MAGIC, DecryptingReader, EncryptingWriter
from euchre_site.backups.errors import BackupError
from euchre_site.backups.files import check_free_space, new_file

MANIFEST: Final = "manifest.json"
#: The member with the database: a SQLite file, or the output of `pg_dump`.
SQLITE: Final = "db.sqlite3"
POSTGRESQL: Final = "db.dump"
KEYS: Final = "secrets.env"
MEMBERS: Final = {SQLITE, POSTGRESQL, KEYS}
#: Maximum size of a manifest in bytes.
LONGEST_MANIFEST: Final = 1 << 20
BLOCK: Final = 1 << 18
DAMAGED: Final = (EOFError, gzip.BadGzipFile, zlib.error, tarfile.TarError, ValueError)


class BackupMember(BaseModel):
    """The manifest's entry for a member: size in bytes, and SHA-256 in hexadecimal."""

    size: int
    sha256: str


class BackupManifest(BaseModel):
    """The manifest of a backup.

    version: Bower's. server: the version of SQLite or PostgreSQL. migrations: those applied, such
    as ``games.0001_initial``. marks: those of the database's keys, see `startup.mark_of`. apart:
    the names of the keys that the backup does not contain.
    """

    format: Literal[1] = 1
    made: datetime
    version: str
    database: Literal["sqlite", "postgresql"]
    server: str
    migrations: list[str]
    marks: dict[str, str]
    apart: list[str]
    members: dict[str, BackupMember]

    @property
    def dump(self) -> str:
        return SQLITE if self.database == "sqlite" else POSTGRESQL


def describe(path: Path) -> BackupMember:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return BackupMember(size=path.stat().st_size, sha256=digest)


def write(to: Path, manifest: BackupManifest, files: Mapping[str, Path], key: bytes | None) -> None:
    """Write a backup to a new file and sync it; raise OSError if that fails."""
    with new_file(to) as raw:
        sealing = EncryptingWriter(raw, key) if key else None
        out = cast("BinaryIO", sealing or raw)
        with (
            gzip.GzipFile("", "wb", 5, out, 0) as packed,
            tarfile.open(fileobj=packed, mode="w|") as tar,
        ):
            text = manifest.model_dump_json(indent=1).encode()
            _add(tar, MANIFEST, len(text), io.BytesIO(text), manifest.made)
            for name, path in files.items():
                with path.open("rb") as file:
                    _add(tar, name, path.stat().st_size, file, manifest.made)
        if sealing is not None:
            sealing.finish()


def _add(tar: tarfile.TarFile, name: str, size: int, file: IO[bytes], made: datetime) -> None:
    head = tarfile.TarInfo(name)
    head.size, head.mode, head.mtime = size, 0o600, int(made.timestamp())
    tar.addfile(head, file)


def read(path: Path, key: bytes | None, into: Path | None = None) -> BackupManifest:
    """Read and check a whole backup; extract its members to a folder, if given.

    Raises BackupError if it is missing, damaged or encrypted with another key; OSError if the
    members cannot be written.
    """
    try:
        with _plain(path, key) as plain, gzip.GzipFile(fileobj=plain) as packed:
            with tarfile.open(fileobj=packed, mode="r|") as tar:
                manifest = _read_members(tar, into)
            while packed.read(BLOCK):
                pass  # gzip and encryption detect truncation only at the end
    except BackupError as error:
        raise BackupError(f"{path} cannot be used: {error}.") from error
    except DAMAGED as error:
        raise BackupError(f"{path} cannot be used: it is damaged or truncated.") from error
    return manifest


@contextmanager
def _plain(path: Path, key: bytes | None) -> Iterator[BinaryIO]:
    try:
        raw = path.open("rb")
    except OSError as error:
        raise BackupError(error.strerror or "it cannot be read") from error
    with raw:
        sealed = raw.read(len(MAGIC)) == MAGIC
        raw.seek(0)
        if not sealed:
            yield raw
        elif key is None:
            raise BackupError("it is encrypted, and BACKUP_KEY is not set")
        else:
            yield io.BufferedReader(DecryptingReader(raw, key), BLOCK)


def is_sealed(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def _read_members(tar: tarfile.TarFile, into: Path | None) -> BackupManifest:
    manifest: BackupManifest | None = None
    missing: dict[str, BackupMember] = {}
    for head in tar:
        file = tar.extractfile(head) if head.isreg() else None
        if file is None:
            raise BackupError("it contains something that is not a file")
        if manifest is None:
            manifest = _read_manifest(head, file)
            missing = dict(manifest.members)
            if into is not None:
                check_free_space(into, sum(member.size for member in missing.values()))
            continue
        member = missing.pop(head.name, None)
        if member is None:
            raise BackupError(f"its manifest does not list “{head.name}”")
        _read_member(head, file, member, into)
    if manifest is None or missing:
        raise BackupError(f"it lacks {', '.join(sorted(missing)) or MANIFEST}")
    return manifest


def _read_manifest(head: tarfile.TarInfo, file: IO[bytes]) -> BackupManifest:
    if head.name != MANIFEST or head.size > LONGEST_MANIFEST:
        raise BackupError("it does not start with a manifest: it is not a Bower backup")
    try:
        manifest = BackupManifest.model_validate_json(file.read())
    except ValidationError as error:
        first = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise BackupError(f"this version cannot read “{first}” in its manifest") from None
    if not {manifest.dump} <= manifest.members.keys() <= {manifest.dump, KEYS}:
        raise BackupError("its manifest does not list the members of a backup")
    return manifest


def _read_member(
    head: tarfile.TarInfo, file: IO[bytes], member: BackupMember, into: Path | None
) -> None:
    """Check a member against the manifest, and extract it if there is a folder for it."""
    if head.size != member.size:
        raise BackupError(f"“{head.name}” does not have the size that its manifest says")
    if into is not None:
        with new_file(into / head.name) as out:
            digest = _copy(file, out)
    else:
        digest = _copy(file, None)
    if digest != member.sha256:
        raise BackupError(f"“{head.name}” does not match its manifest: it has been changed")


def _copy(file: IO[bytes], out: BinaryIO | None) -> str:
    digest = hashlib.sha256()
    while block := file.read(BLOCK):
        digest.update(block)
        if out is not None:
            out.write(block)
    return digest.hexdigest()
