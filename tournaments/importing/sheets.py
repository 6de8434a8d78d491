"""Reading a table from a workbook, from a CSV file of unknown encoding and separator, or pasted.

Nothing is guessed in silence: what cannot be read is refused with the reason, and the preview says
how the rest was read.
"""

import csv
import io
import re
from collections.abc import Collection, Mapping, Sequence
from threading import Lock
from typing import Final, NamedTuple, TypeAlias

from games.lookalikes import invisible_in
from games.subprocesses.client import Worker, WorkerLostError
from tournaments.importing import workbooks
from tournaments.importing.plans import Problem
from tournaments.spreadsheets import BYTE_ORDER_MARK, cell, csv_text, text_of

#: Limits of a list: bytes, so that it and its form fit into `settings.BODY_LIMIT`; lines; cells of
#: a workbook; and characters of a cell.
MAX_BYTES: Final = 56 * 1024
MAX_LINES: Final = 1000
MAX_CELLS: Final = 100_000
MAX_CELL: Final = 300
SEPARATORS: Final[Mapping[str, str]] = {",": "commas", ";": "semicolons", "\t": "tabs"}
#: First bytes of workbooks: ZIP (Excel, LibreOffice), old Excel.
WORKBOOK: Final = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
#: Seconds within which a workbook has to be read.
PATIENCE: Final = 10.0
#: First letters of other files, and what they are.
OTHERS: Final = {"%pdf": "a PDF", "begin:vcard": "a vCard file", "<": "a web page"}
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
#: Parts of a name that a list may have in columns of their own.
FIRST, FAMILY = "first_name", "family_name"
#: What Google, Outlook, Mailchimp, Thunderbird and clubs call the columns, the best first.
ALIASES: Final[Mapping[str, tuple[str, ...]]] = {
    "email": (
        "email", "mail", "email_address", "email_1_value", "primary_email", "email_adresse",
        "emailadres", "adresse_email", "adresse_de_messagerie", "correo_electrónico",
    ),
    "name": ("name", "full_name", "display_name", "member_name", "player_name", "file_as"),
    FIRST: (FIRST, "given_name", "first", "vorname", "voornaam", "prénom", "nombre", "forename"),
    FAMILY: (FAMILY, "last_name", "surname", "last", "nachname", "achternaam", "nom", "apellidos"),
}  # fmt: skip
#: The columns that other programs have too, and that can be chosen.
CHOICES: Final = (
    "players_name", "name", FIRST, FAMILY, "email", "date", "event", "place", "points",
)  # fmt: skip
#: Between several addresses in one cell of Google's.
SEVERAL: Final = ":::"

#: The lines that are not empty, each with its number in the file, where the first is 1.
Rows: TypeAlias = Sequence[tuple[int, list[str]]]
#: One workbook at a time in each process of the site.
_one_workbook = Lock()


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
    header: all columns of the file. chosen: which of them is what, by their places. raw: the whole
    file as CSV, to be read again with other columns; empty if it is too large.
    """

    columns: tuple[str, ...]
    lines: tuple[Line, ...]
    left_out: tuple[str, ...]
    how: str
    faults: tuple[Problem, ...] = ()
    header: tuple[str, ...] = ()
    chosen: Mapping[str, int | None] = {}
    raw: str = ""
    known: tuple[str, ...] = ()

    @property
    def choices(self) -> list[tuple[str, str, int | None]]:
        """What the columns can be, in words, and which of them it is."""
        able = [one for one in CHOICES if one in self.known or one in {FIRST, FAMILY}]
        return [(one, one.replace("_", " ").capitalize(), self.chosen.get(one)) for one in able]

    def text(self) -> str:
        """Return the known columns as CSV, to be sent again with the confirmation.

        Empty lines keep the place of lines that were empty, so that line numbers stay true.
        """
        rows: list[Mapping[str, str]] = []
        for line in self.lines:
            rows += [{}] * (line.number - 2 - len(rows))
            rows.append({name: cell(text) for name, text in line.cells.items()})
        return csv_text(self.columns, rows)


def read(
    data: bytes, known: Collection[str], chosen: Mapping[str, int | None] | None = None
) -> Sheet:
    """Return the table in a file; raise UnreadableError.

    known: the columns that are kept. chosen: the places of columns in the file, by `known`, `FIRST`
    and `FAMILY`, where they are not to be guessed.
    """
    if len(data) > MAX_BYTES:
        raise UnreadableError(
            f"The list has {len(data) // 1024 + 1} KiB; at most {MAX_BYTES // 1024} KiB are taken "
            "at once. Leave out columns that are not needed, or send it in parts."
        )
    faults: list[Problem] = []
    if data.startswith(WORKBOOK):
        lines, how = _from_workbook(data)
    else:
        text, encoding = decoded(data)
        lines, faults, separator = _split(text, known)
        how = f"Read as {encoding}, separated by {SEPARATORS[separator]}."
    sheet = _sheet(lines, faults, known, how, chosen)
    if len(sheet.text().encode()) > MAX_BYTES:  # many empty lines or letters of two bytes
        raise UnreadableError(
            f"The list takes more than {MAX_BYTES // 1024} KiB: delete its empty lines, or send it "
            "in parts."
        )
    return sheet


def _from_workbook(data: bytes) -> tuple[Rows, str]:
    """Return the rows of a workbook's first sheet, and how it was read."""
    if not _one_workbook.acquire(timeout=2 * PATIENCE):
        raise UnreadableError("Other workbooks are being read. Send it again in a minute.")
    try:
        with Worker(workbooks.rows_of, niceness=5) as worker:
            found = worker.ask(PATIENCE, data, MAX_LINES + 1, MAX_CELLS)
    except WorkerLostError as error:
        raise UnreadableError(
            "This is not a workbook that can be opened: it is damaged, far too large, of another "
            f"program, or has a password. {SAVE_AS}"
        ) from error
    finally:
        _one_workbook.release()
    if found is None:
        raise UnreadableError(
            f"The workbook is too large: at most {MAX_LINES:,} lines and {MAX_CELLS:,} cells are "
            "taken at once."
        )
    name, rows = found
    lines = [(number, row) for number, row in enumerate(rows, 1) if any(map(str.strip, row))]
    return lines, f"Read from the sheet “{name}” of the workbook."


def decoded(data: bytes) -> tuple[str, str]:
    """Return the text of a file and the name of its encoding; raise UnreadableError."""
    begins = data.removeprefix(b"\xef\xbb\xbf").lstrip()[:20].lower().decode("latin-1")
    if other := next((words for sign, words in OTHERS.items() if begins.startswith(sign)), ""):
        raise UnreadableError(f"This is {other}, not a list. {SAVE_AS}")
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
    at = next((at for at, line in enumerate(lines) if line.strip()), 0)
    first = lines[at] if lines else ""
    if said := re.fullmatch(
        r'"?sep=(.)"?', first.strip("\r\n "), re.IGNORECASE
    ):  # Excel's own hint
        lines[at] = "\n"
        if said[1] in SEPARATORS:
            return *_rows(lines, said[1]), said[1]
        first = next((line for line in lines if line.strip()), "")
    found = []
    for separator in SEPARATORS:
        header = first.strip("\r\n ").replace('"', "").split(separator)
        found.append((len(_guess(header, known)), len(header), separator))
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
    lines: Rows,
    faults: list[Problem],
    known: Collection[str],
    how: str,
    chosen: Mapping[str, int | None] | None,
) -> Sheet:
    allowed = ", ".join(f"“{name}”" for name in known)
    if faults and not any(number < faults[0].number for number, _cells in lines):
        raise UnreadableError(f"Line {faults[0].number}, which names the columns: {UNQUOTED}")
    if not lines:
        raise UnreadableError(f"The list is empty. Its first line names the columns: {allowed}.")
    (first, names), *rest = lines
    where = _guess(names, known) if chosen is None else chosen
    if not where and (len(names) == 1 or any("@" in name for name in names)):
        raise UnreadableError(
            f"Line {first} names none of the columns {allowed}. The first line of the list must."
        )
    header = [_column(name) for name in names]
    if twice := [name for name in known if header.count(name) > 1]:
        quoted = " and ".join(f"“{name}”" for name in twice)
        raise UnreadableError(f"Line {first} names the column {quoted} twice.")
    if (number := len(rest) + len(faults)) > MAX_LINES:
        raise UnreadableError(
            f"The list has {number:,} lines; at most {MAX_LINES:,} are taken at once."
        )
    named = _name_column(known)
    columns = tuple(
        one for one in known if one in where or (one == named and {FIRST, FAMILY} & where.keys())
    )
    read_lines = tuple(
        Line(row[0], _cells(row, where, columns, len(names), faults)) for row in rest
    )
    left_out = (raw.strip()[:40] for at, raw in enumerate(names) if at not in where.values())
    raw, before = io.StringIO(), 0
    writer = csv.writer(raw)
    for number, row in ((1, names), *rest):
        raw.write("\n" * (number - before - 1))  # so that line numbers stay true
        writer.writerow([cell(" ".join(text.split())) for text in row[: len(names)]])
        before = number
    return Sheet(
        columns,
        read_lines,
        tuple(filter(None, left_out)),
        how,
        tuple(faults),
        tuple(name.strip()[:40] for name in names),
        where,
        raw.getvalue() if len(raw.getvalue().encode()) <= MAX_BYTES and not faults else "",
        tuple(known),
    )


def _guess(names: Sequence[str], known: Collection[str]) -> dict[str, int | None]:
    """Return the places of the columns that a header names, by what they are."""
    header = [_column(name) for name in names]
    named = _name_column(known)
    where: dict[str, int | None] = {}
    for target in (*known, *((FIRST, FAMILY) if named else ())):
        aliases = (target, *ALIASES.get("name" if target == named else target, ()))
        found = next((header.index(one) for one in aliases if one in header), None)
        if found is not None:
            where[target] = found
    if named in where and FIRST in where:
        if FAMILY not in where:  # "Name" beside "Vorname"
            where[FAMILY] = where.pop(named)
        elif named not in header:  # a name to be shown, such as "Mary"
            del where[named]
    return where


def _name_column(known: Collection[str]) -> str:
    """Return the column that can be put together from parts of a name."""
    return next((one for one in ("name", "players_name") if one in known), "")


def _cells(
    row: tuple[int, list[str]],
    where: Mapping[str, int | None],
    columns: Collection[str],
    width: int,
    faults: list[Problem],
) -> dict[str, str]:
    """Return the cells of a line by column; add to `faults` what is wrong with them."""
    number, cells = row
    if any(extra.strip() for extra in cells[width:]):
        words = f"It has {len(cells)} cells, but the header names {width}."
        faults.append(Problem(number, "", words))

    def cell_of(column: str) -> str:
        at = where.get(column)
        return text_of(" ".join(cells[at].split())) if at is not None and at < len(cells) else ""

    found = {name: cell_of(name) for name in columns}
    if "email" in found and SEVERAL in found["email"]:
        found["email"] = found["email"].split(SEVERAL)[0].strip()
    named = _name_column(columns)
    if named and not found[named]:
        found[named] = f"{cell_of(FIRST)} {cell_of(FAMILY)}".strip()
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
    """Return a column's name as it is written here: "email_address" for " E-Mail Address"."""
    folded = name.strip().casefold().replace("e-mail", "email").replace("e_mail", "email")
    return re.sub(r"[\W_]+", "_", folded).strip("_")
