"""CSV files and workbooks that are safe to open in spreadsheets."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any, Final, NamedTuple

from xlsxwriter import Workbook

#: Spreadsheets take a text that starts with one of these for a formula.
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
#: Marks the file as UTF-8 for spreadsheets.
BYTE_ORDER_MARK: Final = "\ufeff"


#: The properties of a workbook; without it would differ with every reading.
MADE: Final = {"created": datetime(2026, 1, 1, tzinfo=UTC).replace(tzinfo=None)}


class Sheet(NamedTuple):
    """A sheet of a workbook; rows: values by column, missing ones are empty."""

    columns: Sequence[str]
    rows: Iterable[Mapping[str, Any]]


def workbook(sheets: Mapping[str, Sheet], zone: tzinfo) -> bytes:
    """Return a workbook with numbers as numbers and moments as dates; no cell is a formula.

    Spreadsheets know no time zones: moments are written as in `zone`.
    """
    file = io.BytesIO()
    with Workbook(file, {"in_memory": True}) as book:
        book.set_properties(MADE)
        bold = book.add_format({"bold": True})
        dated = book.add_format({"num_format": "yyyy-mm-dd hh:mm"})
        for name, sheet in sheets.items():
            page = book.add_worksheet(name.capitalize())
            page.freeze_panes(1, 0)
            for at, column in enumerate(sheet.columns):
                page.write_string(0, at, column, bold)
            places = {column: at for at, column in enumerate(sheet.columns)}
            for line, row in enumerate(sheet.rows, 1):
                for column, value in row.items():
                    at = places[column]
                    if isinstance(value, bool):
                        page.write_boolean(line, at, value)
                    elif isinstance(value, (int, float)):
                        page.write_number(line, at, value)
                    elif isinstance(value, datetime):
                        local = value.astimezone(zone).replace(tzinfo=None)
                        page.write_datetime(line, at, local, dated)
                    elif value is not None:
                        page.write_string(line, at, str(value))
            page.autofit()
    return file.getvalue()


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> str:
    """Return rows as CSV with a header; rows: cells by column, missing ones are empty."""
    file = io.StringIO()
    file.write(BYTE_ORDER_MARK)
    writer = csv.DictWriter(file, columns)
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def cell(text: str) -> str:
    """Return a text as a cell, with an apostrophe if it would be taken for a formula.

    A text that begins with apostrophes before a formula gets one more, so that `text_of` is exact.
    """
    return f"'{text}" if _formula(text) else text


def text_of(cell: str) -> str:
    """Return the text of a cell, without the apostrophe that `cell` has put in front."""
    return cell[1:] if cell.startswith("'") and _formula(cell) else cell


def _formula(text: str) -> bool:
    return text.lstrip("'").startswith(FORMULA)
