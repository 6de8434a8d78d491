"""Encrypted backups cannot be read, and changes to them are detected."""

import errno
import io
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pyrage import x25519

from euchre_site.backups.encryption import (
    MAGIC,
    decrypting,
    encrypting,
    new_key,
    public_key,
    secret_keys,
)
from euchre_site.backups.errors import BackupError
from tests.volume import volume

KEY = x25519.Identity.generate()
#: Bytes of plain text in a chunk of age, and what one takes in the file.
CHUNK = 1 << 16
STEP = CHUNK + 16
#: Bytes of the file's own nonce, between the header and the first chunk.
NONCE = 16


def encrypted(plain: bytes) -> bytes:
    file = io.BytesIO()
    with encrypting(file, [KEY.to_public()]) as writer:
        writer.write(plain)
    return file.getvalue()


def decrypted(file: bytes, key: x25519.Identity = KEY) -> bytes:
    with decrypting(io.BytesIO(file), [key]) as reader:
        return reader.read()


def starts_of_chunks(file: bytes) -> list[int]:
    """Return where each chunk begins; the header's last line starts with its MAC."""
    first = file.index(b"\n", file.index(b"\n--- ") + 1) + 1 + NONCE
    return list(range(first, len(file), STEP))


@pytest.mark.parametrize("size", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 5 * CHUNK + 7])
def test_encrypted_data_can_be_decrypted(size: int) -> None:
    plain = bytes(at % 251 for at in range(size))
    assert decrypted(encrypted(plain)) == plain


def test_no_plain_text_is_in_the_output() -> None:
    plain = b"play 9H, play JS, play AD, DEAL_KEY=Zm9yLXRlc3RzLW9ubHk" * 3
    one, other = encrypted(plain), encrypted(plain)
    assert one.startswith(MAGIC)
    assert not any(plain[at : at + 4] in one for at in range(len(plain) - 4))
    assert one[-len(plain) :] != other[-len(plain) :]  # each file has a key of its own


def test_a_file_truncated_at_or_beside_any_border_is_refused() -> None:
    whole = encrypted(bytes(3 * CHUNK + 100))
    starts = starts_of_chunks(whole)
    assert len(starts) == 4
    ends = {at + by for at in (*starts, len(whole)) for by in (-1, 0, 1)} | set(range(0, 200, 9))
    for end in ends - {len(whole), len(whole) + 1}:
        with pytest.raises(BackupError, match="it is damaged or truncated"):
            decrypted(whole[:end])


def test_a_changed_byte_is_refused() -> None:
    whole = encrypted(bytes(2 * CHUNK))
    header = range(starts_of_chunks(whole)[0])
    for at in (*header[:: volume(5, 1)], *range(header.stop, len(whole), volume(9001, 501))):
        with pytest.raises(BackupError, match=r"damaged|another key"):
            decrypted(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])


def test_chunks_cannot_be_moved_within_or_between_files() -> None:
    whole, other = encrypted(bytes(3 * CHUNK)), encrypted(bytes(3 * CHUNK))
    at = starts_of_chunks(whole)[0]
    first, second, rest = whole[at : at + STEP], whole[at + STEP : at + 2 * STEP], at + 2 * STEP
    for forged in (
        whole[:at] + second + first + whole[rest:],
        whole[:at] + first + first + whole[rest:],
        whole[:at] + other[at : at + STEP] + second + whole[rest:],
        whole + whole[at:],
        whole + b"x",
    ):
        with pytest.raises(BackupError, match="it is damaged or truncated"):
            decrypted(forged)


def test_what_comes_out_before_the_damage_is_intact() -> None:
    plain = bytes(at % 251 for at in range(3 * CHUNK))
    whole = bytearray(encrypted(plain))
    whole[-1] ^= 1
    seen = b""
    with (
        pytest.raises(BackupError),
        decrypting(io.BytesIO(bytes(whole)), [KEY]) as reader,
    ):
        seen = reader.read()
    assert seen == plain[: 2 * CHUNK]


def test_another_key_is_reported() -> None:
    with pytest.raises(BackupError, match="it is encrypted for another key than the one given"):
        decrypted(encrypted(b"a hand"), x25519.Identity.generate())


class TestStopped:
    """Whoever reads or writes stops in the middle, with more than a pipe holds still to come."""

    def test_a_full_disk_is_an_error_of_the_disk(self) -> None:
        class Full(io.BytesIO):
            def write(self, data: object) -> int:
                if self.tell() > CHUNK:
                    raise OSError(errno.ENOSPC, "No space left on device")
                return super().write(data)  # type: ignore[arg-type]

        with (
            pytest.raises(OSError, match="No space left on device"),
            encrypting(Full(), [KEY.to_public()]) as writer,
        ):
            writer.write(bytes(100 * CHUNK))

    def test_an_error_of_the_writer_ends_the_encryption(self) -> None:
        with pytest.raises(ZeroDivisionError), encrypting(io.BytesIO(), [KEY.to_public()]):
            raise ZeroDivisionError

    def test_an_error_of_the_reader_ends_the_decryption(self) -> None:
        whole = encrypted(bytes(100 * CHUNK))
        with pytest.raises(ZeroDivisionError), decrypting(io.BytesIO(whole), [KEY]):
            raise ZeroDivisionError


class TestKeys:
    def test_a_new_key_is_a_file_for_age_with_the_public_key_beside_it(
        self, tmp_path: Path
    ) -> None:
        file = tmp_path / "key.txt"
        file.write_text(new_key(datetime(2026, 3, 7, 3, tzinfo=UTC)))
        created, public, secret = file.read_text().splitlines()
        assert created == "# created: 2026-03-07T03:00:00+00:00"
        (key,) = secret_keys(file)
        assert str(key) == secret
        assert public == f"# public key: {key.to_public()}"
        assert str(public_key(str(key.to_public()))) == str(key.to_public())

    @pytest.mark.parametrize("wrong", ["", "a quiet bower", "age1ä", "{secret}", "{public}x"])
    def test_a_malformed_public_key_is_refused_without_its_text(self, wrong: str) -> None:
        text = wrong.format(secret=KEY, public=KEY.to_public())
        with pytest.raises(BackupError, match="BACKUP_KEY is not a public key of age") as refusal:
            public_key(text)
        assert not text or text not in str(refusal.value)

    @pytest.mark.parametrize(
        "spoil",
        [
            lambda file: file.write_text(f"{KEY.to_public()}\n"),
            lambda file: file.write_text("# nothing\n\n"),
            lambda file: file.write_text(f"{KEY}\nand more\n"),
            lambda file: file.write_bytes(b"\xff\xfe"),
        ],
    )
    def test_a_file_without_a_secret_key_is_refused(
        self, tmp_path: Path, spoil: Callable[[Path], object]
    ) -> None:
        spoil(tmp_path / "key.txt")
        with pytest.raises(BackupError, match=r"key\.txt is not a file with a secret key of age"):
            secret_keys(tmp_path / "key.txt")

    def test_a_missing_file_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(BackupError, match=r"The key file .*none\.txt cannot be read: No such"):
            secret_keys(tmp_path / "none.txt")
