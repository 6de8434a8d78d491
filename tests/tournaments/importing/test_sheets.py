"""Lists are read from what spreadsheets write, or refused with the reason."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.loops import looped
from tournaments.importing.sheets import MAX_BYTES, MAX_LINES, UnreadableError, read
from tournaments.spreadsheets import cell, csv_text, text_of

KNOWN = ("name", "email")
TABLE = "name{0}email\nZoë{0}zoe@example.org\n"


def names(data: bytes) -> list[str]:
    return [line.cells["name"] for line in read(data, KNOWN).lines]


@pytest.mark.parametrize(
    ("separator", "words"), [(",", "commas"), (";", "semicolons"), ("\t", "tabs")]
)
@pytest.mark.parametrize(
    ("encoding", "called"),
    [("utf-8", "UTF-8"), ("utf-8-sig", "UTF-8"), ("cp1252", "Windows-1252"), ("latin-1", "1252")],
)
def test_separators_and_encodings(separator: str, words: str, encoding: str, called: str) -> None:
    sheet = read(TABLE.format(separator).encode(encoding), KNOWN)
    assert [dict(line.cells) for line in sheet.lines] == [
        {"name": "Zoë", "email": "zoe@example.org"}
    ]
    assert words in sheet.how
    assert called in sheet.how


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"PK\x03\x04rest", "This is not a workbook that can be opened"),
        (b"BEGIN:VCARD\r\nVERSION:3.0\r\n", "This is a vCard file, not a list. Save it in"),
        (b"\xef\xbb\xbf <html><table>", "This is a web page, not a list."),
        (b"%PDF-1.7", "This is a PDF, not a list."),
        ("name\nZoë".encode("utf-16"), "UTF-16"),
        (b"na\0me\nZ", "not a text at all"),
        (b"name\nZo\x81", "Line 2 has characters that are neither UTF-8 nor Windows-1252"),
        (b"", "The list is empty. Its first line names the columns: “name”, “email”."),
        (b"\n\n", "The list is empty"),
        (b"Maeve,maeve@example.org\n", "Line 1 names none of the columns “name”, “email”"),
        (b"name,name\nA,B\n", "names the column “name” twice"),
        (b"name\rZo\x81\rBen\r\x9d", "Lines 2, 4 have characters that are neither"),
        (b'"name\nMaeve\n', "Line 1, which names the columns: It cannot be read"),
        (b'"\r', "Line 1, which names the columns: It cannot be read"),
        (b"name\n" + b'"x"y\n' * (MAX_LINES + 1), "at most 1,000 are taken"),
        (b"name\n" + b"x\n" * (MAX_LINES + 1), "has 1,001 lines; at most 1,000 are taken"),
        (b"name\n" + b"x" * MAX_BYTES, "at most 56 KiB are taken at once"),
        (b"name\n" + b"\n" * 30000 + b"x", "delete its empty lines"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(data: bytes, words: str) -> None:
    with pytest.raises(UnreadableError) as refused:
        read(data, KNOWN)
    assert words in str(refused.value)


def test_all_faults_of_a_file_are_said_at_once() -> None:
    text = b'name\nMaeve\n"Ben" x\n\nIris,x\n' + b"y" * 301 + b'\nTed\x01\nZ\n"Ivy\nKit\n'
    sheet = read(text, KNOWN)
    assert [(fault.number, fault.column, fault.words[:27]) for fault in sheet.faults] == [
        (3, "", "It cannot be read: a quotat"),
        (9, "", "It cannot be read: a quotat"),
        (5, "", "It has 2 cells, but the hea"),
        (6, "name", "It has more than 300 charac"),
        (7, "name", "It has characters that cann"),
    ]
    assert [line.number for line in sheet.lines] == [2, 5, 6, 7, 8, 10]


@looped("end", ["\n", "\r\n", "\r"])
@looped("last", ["", "\x1a", "\x1a\x1a\x1a"])
@looped("separator", [",", ";", "\t"])
def test_line_ends_and_the_end_mark_of_every_system(end: str, last: str, separator: str) -> None:
    text = end.join(("", f"name{separator}email", "Maeve", '"Kit\r\nCole"', "", "Ben", last))
    sheet = read(text.encode(), KNOWN)
    assert [line.cells["name"] for line in sheet.lines] == ["Maeve", "Kit Cole", "Ben"]
    assert sheet.faults == ()
    assert sheet.lines[-1].number == 7


@given(st.binary(max_size=60) | st.text('nameil,;"\r\n\t\x1aé', max_size=60).map(str.encode))
def test_any_bytes_are_read_or_refused_in_a_sentence(data: bytes) -> None:
    with suppress(UnreadableError):
        read(b"name;email\r" + data, KNOWN)


def test_unknown_columns_are_left_out_and_named() -> None:
    sheet = read(b"Phone, E-Mail ,Name\n0123,kit@example.org,Kit\n", KNOWN)
    assert sheet.left_out == ("Phone",)
    assert set(sheet.columns) == {"email", "name"}
    assert dict(sheet.lines[0].cells) == {"name": "Kit", "email": "kit@example.org"}
    assert "0123" not in sheet.text()


def test_lines_have_the_numbers_of_the_file() -> None:
    sheet = read(b'name,email\n"Kit\nCole",\n\n,\nBen,\n', KNOWN)
    assert [(line.number, line.cells["name"]) for line in sheet.lines] == [
        (2, "Kit Cole"),
        (6, "Ben"),
    ]


def test_lines_keep_their_numbers_when_the_columns_are_chosen() -> None:
    sheet = read(b'\nNimi,Other\n\n"Kit\nCole",1\n\n,\nBen,2\n', KNOWN, {"name": 0})
    again = read(sheet.raw.encode(), KNOWN, {"name": 0})
    assert [line.number for line in sheet.lines] == [4, 8]
    assert again.lines == sheet.lines


#: Texts of one cell, among them what spreadsheets take for formulas.
TEXTS = st.text(st.sampled_from("aZë=+-@' \",;\t'&"), max_size=12)


@given(TEXTS)
def test_a_cell_gives_back_its_text_and_is_no_formula(text: str) -> None:
    assert text_of(cell(text)) == text
    assert not cell(text).startswith(("=", "+", "-", "@", "\t", "\r"))


@given(st.lists(st.fixed_dictionaries({"name": TEXTS, "email": TEXTS}), max_size=8))
def test_a_sheet_reads_its_own_text_back(rows: list[dict[str, str]]) -> None:
    written = csv_text(KNOWN, [{name: cell(text) for name, text in row.items()} for row in rows])
    sheet = read(written.encode(), KNOWN)
    assert read(sheet.text().encode(), KNOWN).lines == sheet.lines
