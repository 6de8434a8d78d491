"""The record of an event: what was done, when and by whom; also as CSV."""

from datetime import UTC

from games.models import Player
from tournaments.models import Event, Notice
from tournaments.spreadsheets import cell, csv_text

MAX_LENGTH = 300
COLUMNS = ("at", "by", "public", "text")


def note(event: Event, text: str, by: Player | None = None, *, public: bool = False) -> Notice:
    """Add a line to the event's record; by: None for the clock; public: shown on its page."""
    return Notice.objects.create(event=event, by=by, text=text[:MAX_LENGTH], public=public)


def record_csv(event: Event) -> str:
    return csv_text(
        COLUMNS,
        (
            {
                "at": line.at.astimezone(UTC).isoformat(timespec="seconds"),
                "by": cell(line.by.name if line.by else ""),
                "public": str(line.public).lower(),
                "text": cell(line.text),
            }
            for line in event.notices.select_related("by")
        ),
    )
