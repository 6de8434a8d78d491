"""Files for spreadsheets: CSV that they read as it is meant."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

#: A spreadsheet takes a text that begins so for a formula.
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
#: A spreadsheet knows by this that a file is UTF-8.
BYTE_ORDER_MARK: Final = "\ufeff"


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> str:
    """Return rows below a line of the columns' names.

    rows: a cell by the name of each column; a column that a row has not is empty there.
    """
    file = io.StringIO()
    file.write(BYTE_ORDER_MARK)
    writer = csv.DictWriter(file, columns)
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def cell(text: str) -> str:
    """Return a text as a cell: an apostrophe keeps it from being taken for a formula."""
    return f"'{text}" if text.startswith(FORMULA) else text
