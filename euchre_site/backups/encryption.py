"""Authenticated encryption of a backup in chunks, so that none can be read, changed or moved.

After the magic bytes come a random salt and a check value of the key, 16 bytes each. HKDF-SHA256
derives the file's key and the check value from BACKUP_KEY and the salt. Then follow chunks of 1 MiB
encrypted with AES-256-GCM. The nonce is the chunk's number and whether it is the last (the STREAM
construction): a file of any size needs a megabyte of memory, and truncation is detected.
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
#: Plaintext bytes in a chunk.
CHUNK: Final = 1 << 20


def new_key() -> str:
    return base64.urlsafe_b64encode(os.urandom(KEY_SIZE)).decode()


def key_of(text: str) -> bytes:
    """Decode a BACKUP_KEY; raise BackupError unless it is 32 bytes in URL-safe base64."""
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
    """Return the cipher of a file and the check value of its key."""
    size = KEY_SIZE + CHECK_SIZE
    made = HKDF(algorithm=SHA256(), length=size, salt=salt, info=MAGIC).derive(key)
    return AESGCM(made[:KEY_SIZE]), made[KEY_SIZE:]


def _nonce(number: int, *, last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([last])


class EncryptingWriter(io.RawIOBase):
    """A writer that encrypts to an open file; call `finish` to complete it. key: 32 bytes."""

    def __init__(self, to: BinaryIO, key: bytes) -> None:
        super().__init__()
        salt = os.urandom(SALT_SIZE)
        self._cipher, check = _keys(key, salt)
        self._head = MAGIC + salt + check
        self._to, self._number, self._plain = to, 0, bytearray()
        to.write(self._head)

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        taken = memoryview(data).nbytes  # type: ignore[arg-type]
        self._plain += data  # type: ignore[arg-type]
        while len(self._plain) > CHUNK:  # the last chunk is written by `finish`
            self._write_chunk(last=False)
        return taken

    def finish(self) -> None:
        self._write_chunk(last=True)

    def _write_chunk(self, *, last: bool) -> None:
        chunk = bytes(self._plain[:CHUNK])
        del self._plain[:CHUNK]
        self._to.write(self._cipher.encrypt(_nonce(self._number, last=last), chunk, self._head))
        self._number += 1


class DecryptingReader(io.RawIOBase):
    """A reader that decrypts an open file, from its start. key: 32 bytes.

    Raises BackupError if the key does not match; while reading, if the file was changed.
    """

    def __init__(self, file: BinaryIO, key: bytes) -> None:
        super().__init__()
        self._head = file.read(len(MAGIC) + SALT_SIZE + CHECK_SIZE)
        salt = self._head[len(MAGIC) : len(MAGIC) + SALT_SIZE]
        if len(self._head) < len(MAGIC) + SALT_SIZE + CHECK_SIZE:
            raise BackupError("it is truncated")
        self._cipher, check = _keys(key, salt)
        if not bytes_eq(check, self._head[-CHECK_SIZE:]):
            raise BackupError("it was encrypted with another BACKUP_KEY")
        self._file, self._number, self._plain = file, 0, b""
        self._ahead = file.read(CHUNK + TAG_SIZE)
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, into: object) -> int:
        buffer = memoryview(into)  # type: ignore[arg-type]
        while not self._plain and not self._ended:
            self._read_chunk()
        taken = self._plain[: len(buffer)]
        buffer[: len(taken)] = taken
        self._plain = self._plain[len(taken) :]
        return len(taken)

    def _read_chunk(self) -> None:
        block, self._ahead = self._ahead, self._file.read(CHUNK + TAG_SIZE)
        self._ended = not self._ahead
        try:
            self._plain = self._decrypt(block, last=self._ended)
        except InvalidTag:
            raise BackupError(self._why_damaged(block)) from None
        self._number += 1

    def _decrypt(self, block: bytes, *, last: bool) -> bytes:
        return self._cipher.decrypt(_nonce(self._number, last=last), block, self._head)

    def _why_damaged(self, block: bytes) -> str:
        try:
            self._decrypt(block, last=not self._ended)
        except InvalidTag:
            return "it has been changed or truncated"
        return "it is truncated" if self._ended else "it has been extended"
