"""The rows of a workbook (.xlsx, .ods, .xls), read in a process of its own.

A workbook is a ZIP: a small file can unpack to gigabytes, or have a cell a million columns away.
The process has little memory and time, so that such a file ends it and nothing else.
"""

from __future__ import annotations

import io
import resource
from datetime import date, datetime, time
from typing import Final

from python_calamine import CalamineWorkbook, SheetVisibleEnum

#: Memory of the process, in bytes.
MEMORY: Final = 512 * 1024**2


def rows_of(data: bytes, most_rows: int, most_cells: int) -> tuple[str, list[list[str]]] | None:
    """Return the name and rows of the first sheet that has any; None if they are too many."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    book = CalamineWorkbook.from_filelike(io.BytesIO(data))
    shown = [one.name for one in book.sheets_metadata if one.visible == SheetVisibleEnum.Visible]
    for name in shown:
        sheet = book.get_sheet_by_name(name)
        height, width = sheet.total_height + 1, sheet.total_width + 1  # they count from 0
        if height > most_rows or height * width > most_cells:
            return None
        rows = sheet.to_python(skip_empty_area=False)
        if rows:
            return name, [[_text(value) for value in row] for row in rows]
    return "", []


def _text(value: object) -> str:
    """Return a cell as a spreadsheet saves it to CSV, with dates as 2019-05-04."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else str(value)
    if isinstance(value, datetime):
        return str(value.date()) if value.time() == time() else f"{value:%Y-%m-%d %H:%M:%S}"
    return value.isoformat() if isinstance(value, date | time) else str(value)
