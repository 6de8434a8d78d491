"""Encrypted backups cannot be read, and changes to them are detected."""

import io

import pytest

from euchre_site.backups import encryption
from euchre_site.backups.encryption import DecryptingReader, EncryptingWriter, key_of, new_key
from euchre_site.backups.errors import BackupError

KEY = bytes(range(32))
#: Bytes before the first chunk.
HEAD = len(encryption.MAGIC) + encryption.SALT_SIZE + encryption.CHECK_SIZE


@pytest.fixture(autouse=True)
def _short_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encryption, "CHUNK", 16)


def sealed(plain: bytes) -> bytes:
    file = io.BytesIO()
    writer = EncryptingWriter(file, KEY)
    for start in range(0, len(plain), 7):
        assert writer.write(plain[start : start + 7]) == len(plain[start : start + 7])
    writer.finish()
    return file.getvalue()


def opened(file: bytes, key: bytes = KEY) -> bytes:
    return DecryptingReader(io.BytesIO(file), key).readall() or b""


@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 31, 32, 33, 100])
def test_encrypted_data_can_be_decrypted(size: int) -> None:
    plain = bytes(range(size))
    assert opened(sealed(plain)) == plain


def test_no_plain_text_is_in_the_output() -> None:
    plain = b"play 9H, play JS, play AD, DEAL_KEY=Zm9yLXRlc3RzLW9ubHk" * 3
    one, other = sealed(plain), sealed(plain)
    assert not any(plain[at : at + 4] in one for at in range(len(plain) - 4))
    assert one[HEAD:] != other[HEAD:]  # each file has a key of its own


def test_a_truncated_file_is_refused() -> None:
    whole = sealed(bytes(100))
    for end in range(len(whole)):
        with pytest.raises(BackupError, match=r"truncated|changed|BACKUP_KEY"):
            opened(whole[:end])
    with pytest.raises(BackupError, match="it is truncated"):
        opened(whole[: HEAD + 3 * 32])  # after a chunk


def test_a_changed_byte_is_refused() -> None:
    whole = sealed(bytes(40))
    for at in range(len(whole)):
        with pytest.raises(BackupError):
            opened(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])


def test_chunks_cannot_be_moved_within_or_between_files() -> None:
    whole, other = sealed(bytes(range(64))), sealed(bytes(range(64)))
    first, second = whole[HEAD : HEAD + 32], whole[HEAD + 32 : HEAD + 64]
    rest = whole[HEAD + 64 :]
    for forged in (
        whole[:HEAD] + second + first + rest,
        whole[:HEAD] + first + first + rest,
        whole[:HEAD] + other[HEAD : HEAD + 32] + second + rest,
        whole + whole[HEAD:],
        whole + b"x",
    ):
        with pytest.raises(BackupError):
            opened(forged)


def test_another_key_is_reported() -> None:
    with pytest.raises(BackupError, match="it was encrypted with another BACKUP_KEY"):
        opened(sealed(b"a hand"), bytes(32))


def test_malformed_keys_are_refused() -> None:
    assert key_of(new_key()) != key_of(new_key())
    for wrong in ("", "a quiet bower", new_key()[:-2], "ä" * 44, "!" * 44):
        with pytest.raises(BackupError, match="BACKUP_KEY is not a key of 32 bytes"):
            key_of(wrong)
