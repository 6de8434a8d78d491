"""CSV files and workbooks that are safe to open in spreadsheets."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from xlsxwriter import Workbook

#: Spreadsheets take a text that starts with one of these for a formula.
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
#: Marks the file as UTF-8 for spreadsheets.
BYTE_ORDER_MARK: Final = "\ufeff"


#: Texts stay texts, whatever they look like.
AS_GIVEN: Final = {
    "in_memory": True, "default_date_format": "yyyy-mm-dd hh:mm",
    **dict.fromkeys(("strings_to_formulas", "strings_to_numbers", "strings_to_urls"), False),
}  # fmt: skip


def workbook(sheets: Mapping[str, tuple[Sequence[str], Iterable[Mapping[str, Any]]]]) -> bytes:
    """Return a workbook in which no cell is a formula; sheets: their columns, and rows by column.

    Spreadsheets know no time zones: moments have none.
    """
    file = io.BytesIO()
    with Workbook(file, AS_GIVEN) as book:
        book.set_properties({"created": datetime(2026, 1, 1, tzinfo=UTC)})  # the same every time
        bold = book.add_format({"bold": True})
        for name, (columns, rows) in sheets.items():
            page = book.add_worksheet(name.capitalize())
            page.write_row(0, 0, columns, bold)
            for line, row in enumerate(rows, 1):
                page.write_row(line, 0, [row.get(column) for column in columns])
            page.freeze_panes(1, 0)
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
