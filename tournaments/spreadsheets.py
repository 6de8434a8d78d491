"""CSV files that are safe to open in spreadsheets."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

#: Spreadsheets take a text that starts with one of these for a formula.
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
#: Marks the file as UTF-8 for spreadsheets.
BYTE_ORDER_MARK: Final = "\ufeff"


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
