"""Reading a table from a CSV file of unknown encoding and separator, or pasted from a spreadsheet.

Nothing is guessed in silence: what cannot be read is refused with the reason, and the preview says
how the rest was read.
"""

import csv
import re
from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from games.lookalikes import invisible_in
from tournaments.importing.plans import Problem
from tournaments.spreadsheets import BYTE_ORDER_MARK, cell, csv_text, text_of

#: Limits of a list: bytes, so that it and its form fit into `settings.BODY_LIMIT`; lines; and
#: characters of a cell.
MAX_BYTES: Final = 56 * 1024
MAX_LINES: Final = 1000
MAX_CELL: Final = 300
SEPARATORS: Final[Mapping[str, str]] = {",": "commas", ";": "semicolons", "\t": "tabs"}
#: First bytes of files that are not text: ZIP (Excel, LibreOffice), old Excel, PDF.
NOT_TEXT: Final = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"%PDF")
UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")
#: What DOS programs write after the last line: Ctrl-Z.
END_OF_FILE: Final = "\x1a"
#: Bytes that Windows-1252 has no character for.
NOT_WINDOWS: Final = re.compile("[\x81\x8d\x8f\x90\x9d]")
LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
UNQUOTED: Final = (
    "It cannot be read: a quotation mark is not closed, or text follows it. In a cell in quotation "
    "marks, each mark within is written twice."
)
SAVE_AS: Final = "Save it in your spreadsheet as “CSV UTF-8” and send that file."


class UnreadableError(Exception):
    """A file that cannot be read as a table; the message says why and what is allowed."""


class Line(NamedTuple):
    """A line: its number in the file, where the first is 1, and its cells by column."""

    number: int
    cells: Mapping[str, str]


class Sheet(NamedTuple):
    """A table as it was read.

    left_out: columns of the file that are not known; nothing of them is kept. how: how the file was
    read, in words. faults: what is wrong with single lines, so that all of it is said at once.
    """

    columns: tuple[str, ...]
    lines: tuple[Line, ...]
    left_out: tuple[str, ...]
    how: str
    faults: tuple[Problem, ...] = ()

    def text(self) -> str:
        """Return the known columns as CSV, to be sent again with the confirmation.

        Empty lines keep the place of lines that were empty, so that line numbers stay true.
        """
        rows: list[Mapping[str, str]] = []
        for line in self.lines:
            rows += [{}] * (line.number - 2 - len(rows))
            rows.append({name: cell(text) for name, text in line.cells.items()})
        return csv_text(self.columns, rows)


def read(data: bytes, known: Collection[str]) -> Sheet:
    """Return the table in a file; raise UnreadableError. known: the columns that are kept."""
    if len(data) > MAX_BYTES:
        raise UnreadableError(
            f"The list has {len(data) // 1024 + 1} KiB; at most {MAX_BYTES // 1024} KiB are taken "
            "at once. Leave out columns that are not needed, or send it in parts."
        )
    text, encoding = decoded(data)
    lines, faults, separator = _split(text, known)
    how = f"Read as {encoding}, separated by {SEPARATORS[separator]}."
    sheet = _sheet(lines, faults, known, how)
    if len(sheet.text().encode()) > MAX_BYTES:  # many empty lines or letters of two bytes
        raise UnreadableError(
            f"The list takes more than {MAX_BYTES // 1024} KiB: delete its empty lines, or send it "
            "in parts."
        )
    return sheet


def decoded(data: bytes) -> tuple[str, str]:
    """Return the text of a file and the name of its encoding; raise UnreadableError."""
    if data.startswith(NOT_TEXT):
        raise UnreadableError(f"This is not a text file but a workbook or document. {SAVE_AS}")
    if data.startswith(UTF_16) or b"\0" in data:
        raise UnreadableError(f"The text is UTF-16 or not a text at all. {SAVE_AS}")
    try:
        return data.decode("utf-8-sig"), "UTF-8"
    except UnicodeDecodeError:
        pass
    try:
        return data.decode("cp1252"), "Windows-1252 (Latin-1); please check the accents"
    except UnicodeDecodeError as error:
        lines = enumerate(LINE.findall(data.decode("latin-1")), 1)
        wrong = [str(number) for number, line in lines if NOT_WINDOWS.search(line)]
        found = f"Lines {', '.join(wrong)} have" if wrong[1:] else f"Line {wrong[0]} has"
        raise UnreadableError(
            f"{found} characters that are neither UTF-8 nor Windows-1252. {SAVE_AS}"
        ) from error


def _split(
    text: str, known: Collection[str]
) -> tuple[list[tuple[int, list[str]]], list[Problem], str]:
    """Return the lines of a text, those that are none, and the separator that fits its header."""
    lines = LINE.findall(text.removeprefix(BYTE_ORDER_MARK).rstrip(END_OF_FILE))
    first = next((line for line in lines if line.strip()), "")
    if first.strip().lower() in {"sep=,", "sep=;", "sep="}:  # Excel's own hint
        raise UnreadableError("Leave out the first line, “sep=”: the list begins with its header.")
    found = []
    for separator in SEPARATORS:
        header = [_column(name) for name in first.strip().replace('"', "").split(separator)]
        found.append((sum(name in known for name in header), len(header), separator))
    separator = max(found, key=lambda one: one[:2])[2]
    return *_rows(lines, separator), separator


def _rows(lines: list[str], separator: str) -> tuple[list[tuple[int, list[str]]], list[Problem]]:
    """Return the rows that are not empty, with the number of the line on which each begins."""
    rows, faults, start = list[tuple[int, list[str]]](), list[Problem](), 0
    while start < len(lines):
        reader = csv.reader(lines[start:], delimiter=separator, strict=True)
        number = start + 1
        try:
            for cells in reader:
                if any(text.strip() for text in cells):
                    rows.append((number, cells))
                number = start + reader.line_num + 1
            break
        except csv.Error:
            faults.append(Problem(number, "", UNQUOTED))
        if len(faults) > MAX_LINES:
            break
        start = number  # the lines after it may have other faults
    return rows, faults


def _sheet(
    lines: list[tuple[int, list[str]]], faults: list[Problem], known: Collection[str], how: str
) -> Sheet:
    allowed = ", ".join(f"“{name}”" for name in known)
    if faults and not any(number < faults[0].number for number, _cells in lines):
        raise UnreadableError(f"Line {faults[0].number}, which names the columns: {UNQUOTED}")
    if not lines:
        raise UnreadableError(f"The list is empty. Its first line names the columns: {allowed}.")
    (first, names), *rest = lines
    header = [_column(name) for name in names]
    columns = tuple(name for name in header if name in known)
    if not columns:
        raise UnreadableError(
            f"Line {first} names none of the columns {allowed}. The first line of the list must."
        )
    if twice := next((name for name in columns if columns.count(name) > 1), None):
        raise UnreadableError(f"Line {first} names the column “{twice}” twice.")
    if (number := len(rest) + len(faults)) > MAX_LINES:
        raise UnreadableError(
            f"The list has {number:,} lines; at most {MAX_LINES:,} are taken at once."
        )
    read_lines = tuple(
        Line(number, _cells(number, cells, header, columns, faults)) for number, cells in rest
    )
    left_out = tuple(
        raw.strip()[:40] for raw, name in zip(names, header, strict=True) if name not in known
    )
    return Sheet(columns, read_lines, tuple(name for name in left_out if name), how, tuple(faults))


def _cells(
    number: int,
    cells: list[str],
    header: list[str],
    columns: Collection[str],
    faults: list[Problem],
) -> dict[str, str]:
    """Return the cells of a line by column; add to `faults` what is wrong with them."""
    if any(extra.strip() for extra in cells[len(header) :]):
        words = f"It has {len(cells)} cells, but the header names {len(header)}."
        faults.append(Problem(number, "", words))
    named = dict(zip(header, cells, strict=False))
    found = {name: text_of(" ".join(named.get(name, "").split())) for name in columns}
    for name, text in found.items():
        if len(text) > MAX_CELL:
            words = f"It has more than {MAX_CELL} characters, the most of a cell."
        elif invisible_in(text):
            words = "It has characters that cannot be seen: type it again."
        else:
            continue
        faults.append(Problem(number, name, words))
    return found


def _column(name: str) -> str:
    """Return a column's name as it is written here: "e-mail" for " E-Mail"."""
    folded = name.strip().casefold().replace("-", "").replace(" ", "_")
    return {"e_mail": "email", "mail": "email"}.get(folded, folded)
