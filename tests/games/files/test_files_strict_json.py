"""Files from strangers: whatever is sent, the answer is a game or a refusal that names a place."""

from __future__ import annotations

import pytest

from games.files.strict_json import MAX_BYTES, FileError, load


@pytest.mark.parametrize(
    ("data", "refusal"),
    [
        (b"", "line 1, column 1: This is not JSON"),
        (b'{"a": 1,}', "line 1, column 9: This is not JSON"),
        (b"\xff\xfe", "the file: This is not text in UTF-8 (byte 0)."),
        (b'{"a": 1, "a": 2}', 'the file: The key "a" appears twice in this object.'),
        (b'{"b": [1, {"c": {"a": 1, "a": 2}}]}', 'b[1].c: The key "a" appears twice in this'),
        (rb'{"\ud800": {"a": 1, "a": 2}}', r'["\ud800"]: The key "a" appears twice in this'),
        (rb'{"b": {"\u202ea": {"a": 1, "a": 2}}}', r'b["\u202ea"]: The key "a" appears twice'),
        (rb'{"\ud800": 1, "\ud800": 2}', r'the file: The key "\ud800" appears twice in this'),
        (b"[NaN]", "the file: NaN is not a number in JSON."),
        (b"[" * 100_000, "the file: This is nested too deeply to be a game."),
        (b"9" * 5000, "the file: A number in this file is too long."),
        (b" " * (MAX_BYTES + 1), "the file: A game file may have at most 1,000,000 bytes"),
    ],
    ids=[
        "empty",
        "comma",
        "not UTF-8",
        "twice",
        "twice inside",
        "twice inside half a character",
        "twice inside invisible",
        "half a character twice",
        "NaN",
        "deep",
        "long number",
        "large",
    ],
)
def test_what_is_not_json_is_refused_with_its_place(data: bytes, refusal: str) -> None:
    with pytest.raises(FileError) as refused:
        load(data)
    assert refusal in str(refused.value)


def test_a_file_of_the_largest_size_is_read_with_or_without_a_mark_of_its_encoding() -> None:
    assert load(b"[]" + b" " * (MAX_BYTES - 2)).value == []
    assert load(b"\xef\xbb\xbf[]").value == []
