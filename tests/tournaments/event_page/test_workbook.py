"""Everything of an event as a workbook, opened by two readers that share no code."""

import io
import zipfile
from datetime import datetime
from typing import Any

import openpyxl
import pytest
from django.test import Client
from python_calamine import CalamineWorkbook

from games.models import Player
from tests.tournaments.build import NOON
from tests.tournaments.event_page.test_exports import path, played, rows
from tournaments.models import Club, Event, Pairing

pytestmark = pytest.mark.django_db
#: Texts that spreadsheets or their files could take for something else.
TRICKY = (
    '=HYPERLINK("http://evil.example")',
    "+1",
    "-2",
    "@sum",
    "007",
    "1e5",
    "a;b",
    "Zo\u00eb <&>",
)
SHEETS = ["Event", "Entries", "Pairings", "Results", "Standings"]


def workbook(event: Event) -> bytes:
    answer = Client().get(path(event, "everything", "xlsx"))
    assert answer.status_code == 200
    assert answer["Content-Disposition"].endswith(f'event-{event.pk}-everything.xlsx"')
    return answer.content


def by_calamine(content: bytes) -> dict[str, list[list[Any]]]:
    book = CalamineWorkbook.from_filelike(io.BytesIO(content))
    return {name: book.get_sheet_by_name(name).to_python() for name in book.sheet_names}


def tricky() -> Event:
    event = played(match=Event.Match.GAME, rounds=2)
    Club.objects.update(time_zone="America/Chicago")
    for person, name in zip(Player.objects.filter(entries__event=event), TRICKY, strict=False):
        Player.objects.filter(pk=person.pk).update(name=name)
    return event


def test_two_readers_find_the_same_cells_and_no_formula() -> None:
    content = workbook(tricky())
    book = openpyxl.load_workbook(io.BytesIO(content))
    other = by_calamine(content)
    assert book.sheetnames == [*other] == SHEETS
    for page in book:
        kinds = {cell.data_type for row in page.iter_rows() for cell in row}
        assert "f" not in kinds
        found = [["" if one is None else one for one in row] for row in page.values]
        assert found == other[page.title]
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    assert not [name for name, part in parts.items() if b"<f>" in part or b"<hyperlink" in part]


def test_the_workbook_says_what_the_tables_say() -> None:
    event = tricky()
    sheets = by_calamine(workbook(event))
    for what in ("entries", "pairings", "results", "standings"):
        expected = rows(event, what)
        head, *lines = sheets[what.capitalize()]
        assert head == [*expected[0]]
        assert len(lines) == len(expected)
        for line, row in zip(lines, expected, strict=True):
            for column, cell in zip(head, line, strict=True):
                assert same(cell, row[column]), (what, column, cell, row[column])


def same(cell: Any, text: str) -> bool:
    if isinstance(cell, bool):
        return text == str(cell).lower()
    if isinstance(cell, float):
        return float(text) == pytest.approx(cell)
    if isinstance(cell, datetime):
        return bool(text)
    return text in (cell, f"'{cell}")


def test_numbers_are_numbers_and_moments_are_dates_of_the_club() -> None:
    event = tricky()
    Pairing.objects.update(decided=NOON)
    book = openpyxl.load_workbook(io.BytesIO(workbook(event)))
    head, first, *_ = book["Results"].values
    row = dict(zip(head, first, strict=True))
    assert f"{row['decided']:%Y-%m-%d %H:%M}" == "2026-03-07 06:00"  # noon in UTC
    assert isinstance(row["points_north_south"], int)
    assert row["in_room"] is False
    about = dict(zip(*book["Event"].values, strict=True))
    assert (about["id"], about["times"]) == (event.pk, "America/Chicago")
    assert isinstance(about["starts"], datetime)


def test_nothing_changed_is_not_sent_again() -> None:
    event = played()
    first = Client().get(path(event, "everything", "xlsx"))
    again = Client().get(
        path(event, "everything", "xlsx"), headers={"If-None-Match": first["ETag"]}
    )
    assert (again.status_code, again.content) == (304, b"")


def test_only_what_is_offered_is_to_be_had() -> None:
    event = played()
    for what, kind in (("everything", "csv"), ("results", "xlsx")):
        assert Client().get(path(event, what, kind)).status_code == 404
    Event.objects.update(state=Event.State.DRAFT)
    assert Client().get(path(event, "everything", "xlsx")).status_code == 404
