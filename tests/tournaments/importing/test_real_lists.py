"""Lists as people have them, made by hand after the exports named: read or refused."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from datetime import date
from typing import Any, Final

import openpyxl
import pytest
import xlsxwriter
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.factories import confirmed, logged_in
from tests.tournaments import build
from tournaments.importing import club_list, sheets
from tournaments.importing.sheets import MAX_BYTES, UnreadableError, read
from tournaments.models import Club

MARY: Final = ("Mary Ann Jones", "mary@example.org")
TOM: Final = ("Tom Bell", "tom@example.org")
BOTH: Final = [MARY, TOM]
PAPER: Final = [("Mary Ann Jones", ""), ("Tom Bell", "")]

READ: Final = {
    "Google Contacts": (
        (
            "First Name,Middle Name,Last Name,Phonetic First Name,Nickname,Organization Name,"
            "Birthday,Notes,Photo,Labels,E-mail 1 - Label,E-mail 1 - Value,E-mail 2 - Label,"
            "E-mail 2 - Value,Phone 1 - Label,Phone 1 - Value\n"
            "Mary Ann,,Jones,,,,,,,* myContacts,* Home,mary@example.org,,,Mobile,0123\n"
            "Tom,,Bell,,Tommy,,1960-02-03,\"plays\neuchre\",,Club ::: * myContacts,*,"
            "tom@example.org ::: t.bell@example.com,,,,\n"
        ),
        BOTH,
    ),
    "Google Contacts before 2024": (
        (
            "Name,Given Name,Additional Name,Family Name,Group Membership,E-mail 1 - Type,"
            "E-mail 1 - Value\nMary Ann Jones,Mary Ann,,Jones,* myContacts,* ,mary@example.org\n"
            "Tom Bell,Tom,,Bell,* myContacts,,tom@example.org\n"
        ),
        BOTH,
    ),
    "Outlook for Windows": (
        (
            '"Title","First Name","Middle Name","Last Name","Suffix","Company","E-mail Address",'
            '"E-mail Type","E-mail Display Name","E-mail 2 Address"\r\n'
            '"Ms","Mary Ann","","Jones","","","mary@example.org","SMTP","Mary Ann Jones",""\r\n'
            '"","Tom","","Bell","","","tom@example.org","SMTP","Tom Bell",""\r\n'
        ),
        BOTH,
    ),
    "outlook.com": (
        (
            "First Name,Middle Name,Last Name,Title,Suffix,Nickname,Given Yomi,Surname Yomi,"
            "E-mail Address,E-mail 2 Address,Home Phone\nMary Ann,,Jones,,,,,,mary@example.org,,\n"
            "Tom,,Bell,,,,,,tom@example.org,,0123\n"
        ),
        BOTH,
    ),
    "Mailchimp": (
        (
            "Email Address,First Name,Last Name,Address,Phone Number,Birthday,MEMBER_RATING,"
            "OPTIN_TIME,OPTIN_IP,TAGS\nmary@example.org,Mary Ann,Jones,,,,2,2019-05-04 10:00:00,,\n"
            "tom@example.org,Tom,Bell,,,,2,2020-01-02 11:00:00,,\"\"\"players\"\"\"\n"
        ),
        BOTH,
    ),
    "Thunderbird": (
        (
            "First Name,Last Name,Display Name,Nickname,Primary Email,Secondary Email,Screen Name\n"
            "Mary Ann,Jones,Mary,,mary@example.org,,\nTom,Bell,Tom Bell,,tom@example.org,,\n"
        ),
        BOTH,
    ),
    "Yahoo": (
        (
            "First,Middle,Last,Nickname,Email,Category\nMary Ann,,Jones,,mary@example.org,\n"
            "Tom,,Bell,,tom@example.org,\n"
        ),
        BOTH,
    ),
    "a German Excel": (
        (
            "sep=;\r\nName;Vorname;E-Mail-Adresse;Telefon\r\n"
            "Jones;Mary Ann;mary@example.org;0123\r\nBell;Tom;tom@example.org;\r\n"
        ),
        BOTH,
    ),
    "a French Excel": (
        (
            "Prénom;Nom;Adresse e-mail\r\nMary Ann;Jones;mary@example.org\r\n"
            "Tom;Bell;tom@example.org\r\n"
        ),
        BOTH,
    ),
    "a Dutch club": (
        (
            "Achternaam\tVoornaam\tE-mailadres\r\nJones\tMary Ann\tmary@example.org\r\n"
            "Bell\tTom\ttom@example.org\r\n"
        ),
        BOTH,
    ),
    "Excel for the Mac, of old": (
        (
            "Surname,Forename,Email\rJones,Mary Ann,mary@example.org\rBell,Tom,tom@example.org\r"
        ),
        BOTH,
    ),
    "names only": ("Last name,First name\nJones,Mary Ann\nBell,Tom\n", PAPER),
    "Eventbrite": (
        (
            "Order #,Order Date,First Name,Surname,Email,Quantity,Ticket Type\n"
            "1001,2026-11-01,Mary Ann,Jones,mary@example.org,1,Evening\n"
            "1002,2026-11-02,Tom,Bell,tom@example.org,1,Evening\n"
        ),
        BOTH,
    ),
    "our own download": (
        (
            "\ufeffplayer,name,email,role,status,joined\r\n,Mary Ann Jones,mary@example.org,,"
            "invited,\r\n,Tom Bell,tom@example.org,,invited,\r\n"
        ),
        BOTH,
    ),
}  # fmt: skip

REFUSED: Final = {
    "a vCard": (b"BEGIN:VCARD\nVERSION:3.0\nFN:Mary Ann Jones\nEND:VCARD\n", "This is a vCard"),
    "a web page called .xls": (b"<html><table><tr><td>Name</td></table>", "This is a web page"),
    "a PDF": (b"%PDF-1.7\n", "This is a PDF"),
    "Unicode text": ("Name\tEmail\nTom\t\n".encode("utf-16"), "The text is UTF-16"),
    "no header": (b"Tom Bell,tom@example.org\n", "Line 1 names none of the columns"),
    "a photo": (b"\x89PNG\r\n\x1a\n\0\0\0", "UTF-16 or not a text at all"),
    "a document": (zipfile.ZipFile, "not a workbook that can be opened"),
}


def people(data: bytes) -> list[tuple[str, str]]:
    sheet = read(data, club_list.COLUMNS)
    assert not sheet.faults
    return [(line.cells.get("name", ""), line.cells.get("email", "")) for line in sheet.lines]


@pytest.mark.parametrize("source", READ)
def test_lists_as_people_have_them_are_read(source: str) -> None:
    text, expected = READ[source]
    assert people(text.encode()) == expected


@pytest.mark.parametrize("source", REFUSED)
def test_other_files_are_refused_in_one_sentence(source: str) -> None:
    data, words = REFUSED[source]
    if not isinstance(data, bytes):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as made:
            made.writestr("word/document.xml", "<w:document/>")
        data = file.getvalue()
    with pytest.raises(UnreadableError, match=words) as refused:
        read(data, club_list.COLUMNS)
    assert str(refused.value).count("\n") == 0


# Workbooks ---------------------------------------------------------------------------------


def workbook(rows: list[list[Any]], *, before: bool = False) -> bytes:
    """A workbook by xlsxwriter, with an empty sheet before the list if wanted."""
    file = io.BytesIO()
    with xlsxwriter.Workbook(file, {"default_date_format": "dd/mm/yyyy"}) as book:
        if before:
            book.add_worksheet("Empty")
        sheet = book.add_worksheet("Members")
        for at, row in enumerate(rows):
            for column, value in enumerate(row):
                if isinstance(value, date):
                    sheet.write_datetime(at, column, value)
                else:
                    sheet.write(at, column, value)
    return file.getvalue()


def by_openpyxl(rows: list[list[Any]]) -> bytes:
    book, file = openpyxl.Workbook(), io.BytesIO()
    sheet = book.create_sheet("Members", 0)
    for row in rows:
        sheet.append(row)
    book.save(file)
    return file.getvalue()


def opendocument(rows: list[list[str]]) -> bytes:
    """A workbook of LibreOffice, with nothing in it that does not need to be."""
    cells = "".join(
        "<table:table-row>"
        + "".join(
            '<table:table-cell office:value-type="string">'
            f"<text:p>{one}</text:p></table:table-cell>"
            for one in row
        )
        + "</table:table-row>"
        for row in rows
    )
    names = " ".join(
        f'xmlns:{one}="urn:oasis:names:tc:opendocument:xmlns:{one}:1.0"'
        for one in ("office", "table", "text")
    )
    content = (
        f'<?xml version="1.0"?><office:document-content {names} office:version="1.2"><office:body>'
        f'<office:spreadsheet><table:table table:name="Members">{cells}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        kind = "application/vnd.oasis.opendocument.spreadsheet"
        made.writestr("mimetype", kind, zipfile.ZIP_STORED)
        made.writestr("META-INF/manifest.xml", "<manifest/>")
        made.writestr("content.xml", content)
    return file.getvalue()


ROWS: Final[list[list[str]]] = [
    ["Email Address", "First Name", "Last Name", "Phone"],
    ["mary@example.org", "Mary Ann", "Jones", "0123"],
    ["", "", "", ""],
    ["tom@example.org", "Tom", "Bell", ""],
    ["not an address", "NULL", "", ""],
]


@pytest.fixture
def browser() -> Client:
    return logged_in(confirmed(build.director(build.club())))


def previewed(browser: Client, data: bytes, name: str = "list.xlsx") -> Any:
    file = SimpleUploadedFile(name, data)
    return browser.post("/clubs/the-old-mill/list/", {"file": file})


@pytest.mark.django_db
@pytest.mark.parametrize("made", [workbook, by_openpyxl, opendocument])
def test_a_list_as_csv_and_as_a_workbook_has_the_same_preview(browser: Client, made: Any) -> None:
    text = "\n".join(",".join(row) for row in ROWS)
    plans = [previewed(browser, one).context["plan"] for one in (text.encode(), made(ROWS))]
    assert plans[0].problems == plans[1].problems
    assert [one[:2] for one in plans[0].problems] == [(5, "name"), (5, "email")]
    assert plans[0].steps == plans[1].steps
    assert [one.name for one in plans[0].steps] == [
        "Mary Ann Jones · mary@example.org", "Tom Bell · tom@example.org",
    ]  # fmt: skip


@pytest.mark.django_db
def test_a_workbook_is_imported_as_it_was_shown(browser: Client) -> None:
    shown = previewed(browser, workbook(ROWS[:4], before=True))
    assert "Read from the sheet “Members” of the workbook." in shown.text
    sheet, plan = shown.context["sheet"], shown.context["plan"]
    browser.post("/clubs/the-old-mill/list/", {"text": sheet.text(), "plan": plan.digest})
    listed = Club.objects.get().listed_names.order_by("pk")
    assert [(one.name, one.email) for one in listed] == BOTH


@pytest.mark.django_db
def test_dates_and_numbers_of_a_workbook_are_read_as_such(browser: Client) -> None:
    rows: list[list[Any]] = [
        ["Date", "Event", "Place", "Name", "Points"],
        [date(2019, 5, 4), "Spring", 1, "Kit", 12.5],
    ]
    file = SimpleUploadedFile("past.xlsx", workbook(rows))
    answer = browser.post("/clubs/the-old-mill/past-results/import/", {"file": file})
    (line,) = answer.context["sheet"].lines
    assert line.cells == {
        "date": "2019-05-04", "event": "Spring", "place": "1", "name": "Kit", "points": "12.5",
    }  # fmt: skip
    assert not answer.context["plan"].problems


def far_away() -> bytes:
    """A workbook whose only cells are in two corners of the largest sheet."""
    file = io.BytesIO()
    with xlsxwriter.Workbook(file) as book:
        sheet = book.add_worksheet()
        sheet.write(0, 0, "name")
        sheet.write(1_048_575, 16_383, "x")
    return file.getvalue()


def swollen() -> bytes:
    """A small workbook with a sheet of several hundred megabytes."""
    small, file = zipfile.ZipFile(io.BytesIO(workbook(ROWS))), io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made:
        for one in small.namelist():
            text = small.read(one)
            if one.endswith("sheet1.xml"):
                text = text.replace(b"<sheetData>", b"<sheetData>" + b" " * 40_000_000)
                text = text.replace(b"</row>", b"</row>" + b"<row/>" * 2_000_000, 1)
            made.writestr(one, text)
    return file.getvalue()


def overlapping() -> bytes:
    """A ZIP whose entries share one block of compressed zeros, so that none has to lie."""
    block = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = block.compress(b"0" * 20_000_000) + block.flush()
    check = zlib.crc32(b"0" * 20_000_000)
    name = b"xl/workbook.xml"
    head = struct.pack(
        "<4s5H3I2H", b"PK\3\4", 20, 0, 8, 0, 0, check, len(body), 20_000_000, len(name), 0
    )
    entry = struct.pack(
        "<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 8, 0, 0, check, len(body), 20_000_000, len(name),
        0, 0, 0, 0, 0, 0,
    )  # fmt: skip
    entries = (entry + name) * 300
    start = len(head + name + body)
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 300, 300, len(entries), start, 0)
    return head + name + body + entries + end


@pytest.mark.parametrize("bomb", [far_away, swollen, overlapping])
def test_a_bomb_is_refused_in_one_sentence(bomb: Any) -> None:
    data = bomb()
    assert len(data) <= 2 * MAX_BYTES, "small as it is sent"
    with pytest.raises(UnreadableError, match="workbook"):
        read(data[:MAX_BYTES] if len(data) > MAX_BYTES else data, club_list.COLUMNS)


@pytest.mark.parametrize(
    ("rows", "columns", "words"), [(1_002, 1, "at most 1,000 lines"), (400, 300, "100,000 cells")]
)
def test_a_workbook_of_too_many_cells_is_refused(rows: int, columns: int, words: str) -> None:
    file = io.BytesIO()
    with xlsxwriter.Workbook(file) as book:
        sheet = book.add_worksheet()
        sheet.write(0, 0, "name")
        sheet.write(rows - 1, columns - 1, "x")
    with pytest.raises(UnreadableError, match=words):
        read(file.getvalue(), club_list.COLUMNS)


def test_workbooks_are_read_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheets, "PATIENCE", 0.0)
    with sheets._one_workbook, pytest.raises(UnreadableError, match="Other workbooks"):
        read(workbook(ROWS), club_list.COLUMNS)
    monkeypatch.undo()
    assert len(read(workbook(ROWS), club_list.COLUMNS).lines) == 3


# The choice of columns ---------------------------------------------------------------------


@pytest.mark.django_db
def test_a_wrong_guess_is_put_right_on_the_preview(browser: Client) -> None:
    text = "Sukunimi,Etunimi,Osoite\nBell,Tom,tom@example.org\n"
    path = "/clubs/the-old-mill/list/"
    shown = browser.post(path, {"text": text})
    assert shown.status_code == 422
    assert "Which column is which?" in shown.text
    chosen = {"column-family_name": "0", "column-first_name": "1", "column-email": "2"}
    again = browser.post(path, {"text": shown.context["sheet"].raw, **chosen})
    assert [one.name for one in again.context["plan"].steps] == ["Tom Bell · tom@example.org"]
    sheet, plan = again.context["sheet"], again.context["plan"]
    browser.post(path, {"text": sheet.text(), "plan": plan.digest})
    assert Club.objects.get().listed_names.get().name == "Tom Bell"


@pytest.mark.django_db
@pytest.mark.parametrize("place", ["99", "-1", "x", ""])
def test_a_column_that_is_none_is_no_column(browser: Client, place: str) -> None:
    text = "Name,Other\nTom Bell,Bell\n"
    shown = browser.post("/clubs/the-old-mill/list/", {"text": text, "column-name": place})
    assert shown.status_code == 422
    assert not shown.context["plan"].new
