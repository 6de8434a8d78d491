"""Backups encrypted with age (age-encryption.org), as streams of any size.

The site needs only the public key of a pair; the secret one opens the files. age authenticates them
chunk by chunk, so that nothing in one can be read, changed, moved, added or left out.
"""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Final

import pyrage
from pyrage import x25519

from euchre_site.backups.errors import BackupError

DAMAGED: Final = "damaged or truncated"
#: The first bytes of an encrypted file.
MAGIC: Final = b"age-encryption.org/v1\n"


def new_key(now: datetime) -> str:
    """Return a new secret key with its public one in a comment, as `age-keygen` writes them."""
    secret = x25519.Identity.generate()
    made = now.isoformat("T", "seconds")
    return f"# created: {made}\n# public key: {secret.to_public()}\n{secret}\n"


def public_key(text: str) -> x25519.Recipient:
    """Return a BACKUP_KEY; raise BackupError if it is malformed."""
    try:
        return x25519.Recipient.from_str(text)
    except pyrage.RecipientError:
        raise BackupError(
            "BACKUP_KEY is not a public key of age, such as `manage.py backup --new-key` makes."
        ) from None


def secret_keys(file: Path) -> list[x25519.Identity]:
    """Return the secret keys in a file; raise BackupError if it has none, or another line."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
        keys = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
        found = [x25519.Identity.from_str(key) for key in keys]
    except OSError as error:
        raise BackupError(f"The key file {file} cannot be read: {error.strerror}.") from error
    except (UnicodeDecodeError, pyrage.IdentityError):
        found = []
    if not found:
        raise BackupError(
            f"{file} is not a file with a secret key of age, a line that starts with "
            "AGE-SECRET-KEY-1."
        )
    return found


@contextmanager
def encrypting(to: BinaryIO, keys: Sequence[x25519.Recipient]) -> Iterator[BinaryIO]:
    """Yield a file; what is written to it is encrypted for these keys and written to another.

    Raises OSError if that cannot be written.
    """
    reading, writing = os.pipe()

    def encrypt() -> None:
        with os.fdopen(reading, "rb") as plain:  # closing it also ends whoever writes
            try:
                pyrage.encrypt_io(plain, to, keys)
            except pyrage.EncryptError as error:
                raise OSError(str(error).removeprefix("OSError: ")) from error

    with ThreadPoolExecutor(1) as threads:
        encrypted = threads.submit(encrypt)
        try:
            with os.fdopen(writing, "wb") as plain:
                yield plain
        except BrokenPipeError:
            encrypted.result()
            raise
        encrypted.result()


@contextmanager
def decrypting(file: BinaryIO, keys: Sequence[x25519.Identity]) -> Iterator[BinaryIO]:
    """Yield a file with the content of an encrypted one, as far as it is intact.

    After the block raises BackupError if it is damaged, or encrypted for other keys.
    """
    reading, writing = os.pipe()

    def decrypt() -> None:
        try:
            with os.fdopen(writing, "wb") as plain:
                pyrage.decrypt_io(file, plain, keys)
        except BrokenPipeError:
            pass  # the block has ended before
        except (pyrage.DecryptError, OSError) as error:
            other = "No matching keys" in str(error)
            reason = "encrypted for another key than the one given" if other else DAMAGED
            raise BackupError(f"it is {reason}") from error

    with ThreadPoolExecutor(1) as threads:
        decrypted = threads.submit(decrypt)
        try:
            with os.fdopen(reading, "rb") as plain:
                yield plain
        finally:
            decrypted.result()
