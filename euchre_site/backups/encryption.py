"""A backup's bytes under a key, in chunks: none can be read, changed, moved, left out or added.

After the magic word come a salt and a check of the key, 16 bytes each, both from HKDF-SHA256 as
the file's own key is. Then chunks of 1 MiB sealed by AES-256-GCM. The nonce is the chunk's number
and whether it is the last (the STREAM construction), so that a file of any size is sealed and
opened in a megabyte of memory, and one that has been cut short is known by its last chunk.
"""

import base64
import binascii
import io
import os
from typing import BinaryIO, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.constant_time import bytes_eq
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from euchre_site.backups.errors import BackupError

MAGIC: Final = b"bower sealed 1\n"
KEY_SIZE: Final = 32
SALT_SIZE: Final = 16
CHECK_SIZE: Final = 16
TAG_SIZE: Final = 16
#: Bytes sealed at once.
CHUNK: Final = 1 << 20


def new_key() -> str:
    """Return a new key, as BACKUP_KEY takes it."""
    return base64.urlsafe_b64encode(os.urandom(KEY_SIZE)).decode()


def key_of(text: str) -> bytes:
    """Return the key of a text; raise BackupError unless it is 32 bytes in URL-safe base64."""
    try:
        key = base64.b64decode(text.encode(), altchars=b"-_", validate=True)
    except (binascii.Error, UnicodeEncodeError):
        key = b""
    if len(key) != KEY_SIZE:
        raise BackupError(
            f"BACKUP_KEY is not a key of 32 bytes in URL-safe base64: it has {len(text)} "
            "characters, and such a key has 44. `manage.py backup --new-key` makes one."
        )
    return key


def _keys(key: bytes, salt: bytes) -> tuple[AESGCM, bytes]:
    """What seals one file's chunks, and by what it tells its key."""
    size = KEY_SIZE + CHECK_SIZE
    made = HKDF(algorithm=SHA256(), length=size, salt=salt, info=MAGIC).derive(key)
    return AESGCM(made[:KEY_SIZE]), made[KEY_SIZE:]


def _nonce(number: int, *, last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([last])


class Sealing(io.RawIOBase):
    """Seals what is written to it; nothing is whole before `close`.

    Args:
        to: an open file.
        key: 32 bytes.
    """

    def __init__(self, to: BinaryIO, key: bytes) -> None:
        super().__init__()
        salt = os.urandom(SALT_SIZE)
        self._sealer, check = _keys(key, salt)
        self._head = MAGIC + salt + check
        self._to, self._number, self._plain = to, 0, bytearray()
        to.write(self._head)

    def writable(self) -> bool:
        """Say that it can be written to."""
        return True

    def write(self, data: object) -> int:
        """Take bytes; chunks that are full go to the file."""
        taken = memoryview(data).nbytes  # type: ignore[arg-type]
        self._plain += data  # type: ignore[arg-type]
        while len(self._plain) > CHUNK:  # the last one is known only in the end
            self._seal(last=False)
        return taken

    def finish(self) -> None:
        """Write the last chunk."""
        self._seal(last=True)

    def _seal(self, *, last: bool) -> None:
        chunk = bytes(self._plain[:CHUNK])
        del self._plain[:CHUNK]
        self._to.write(self._sealer.encrypt(_nonce(self._number, last=last), chunk, self._head))
        self._number += 1


class Unsealing(io.RawIOBase):
    """Reads what was sealed.

    Args:
        file: an open file, at its beginning.
        key: 32 bytes.

    Raises:
        BackupError: it was sealed with another key; while reading: it has been changed or cut.
    """

    def __init__(self, file: BinaryIO, key: bytes) -> None:
        super().__init__()
        self._head = file.read(len(MAGIC) + SALT_SIZE + CHECK_SIZE)
        salt = self._head[len(MAGIC) : len(MAGIC) + SALT_SIZE]
        if len(self._head) < len(MAGIC) + SALT_SIZE + CHECK_SIZE:
            raise BackupError("it is cut short")
        self._sealer, check = _keys(key, salt)
        if not bytes_eq(check, self._head[-CHECK_SIZE:]):
            raise BackupError("BACKUP_KEY is not the key with which it was encrypted")
        self._file, self._number, self._plain = file, 0, b""
        self._ahead = file.read(CHUNK + TAG_SIZE)
        self._ended = False

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, into: object) -> int:
        """Put plain bytes into a buffer and return how many; 0 at the end."""
        buffer = memoryview(into)  # type: ignore[arg-type]
        while not self._plain and not self._ended:
            self._open_next()
        taken = self._plain[: len(buffer)]
        buffer[: len(taken)] = taken
        self._plain = self._plain[len(taken) :]
        return len(taken)

    def _open_next(self) -> None:
        block, self._ahead = self._ahead, self._file.read(CHUNK + TAG_SIZE)
        self._ended = not self._ahead
        try:
            self._plain = self._opened(block, last=self._ended)
        except InvalidTag:
            raise BackupError(self._why_not(block)) from None
        self._number += 1

    def _opened(self, block: bytes, *, last: bool) -> bytes:
        return self._sealer.decrypt(_nonce(self._number, last=last), block, self._head)

    def _why_not(self, block: bytes) -> str:
        try:
            self._opened(block, last=not self._ended)
        except InvalidTag:
            return "it has been changed, or cut short, since it was made"
        return "it is cut short" if self._ended else "something has been added to it"
