"""The record of an event to take away, as CSV for spreadsheets."""

import csv
import io
from datetime import UTC

from tournaments.models import Event
from tournaments.services.exports import BYTE_ORDER_MARK, FORMULA

COLUMNS = ("at", "by", "public", "text")


def record_csv(event: Event) -> str:
    """Return all lines of an event's record, the newest first; `by` is empty for the clock."""
    file = io.StringIO()
    file.write(BYTE_ORDER_MARK)
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    for line in event.notices.select_related("by"):
        at = line.at.astimezone(UTC).isoformat(timespec="seconds")
        by = line.by.name if line.by else ""
        writer.writerow([at, _cell(by), str(line.public).lower(), _cell(line.text)])
    return file.getvalue()


def _cell(text: str) -> str:
    """A text as a cell: an apostrophe keeps it from being taken for a formula."""
    return f"'{text}" if text.startswith(FORMULA) else text
