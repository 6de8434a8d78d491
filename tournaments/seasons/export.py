"""A season table as CSV; docs/exports.md describes the columns."""

from typing import Final

from tournaments.seasons.seasons import SeasonSheet
from tournaments.spreadsheets import cell, csv_text

COLUMNS: Final = (
    *("place", "player_id", "player_name", "points", "evenings", "evenings_won", "best_place"),
)


def as_csv(sheet: SeasonSheet) -> str:
    """Return a line for each player, with a column for the points of each evening."""
    evenings = {
        held.event: f"{held.day.isoformat()} {held.name} ({held.event})" for held in sheet.evenings
    }
    rows = [
        {
            "place": str(line.place),
            "player_id": str(line.player.pk),
            "player_name": cell(line.player.name),
            "points": str(line.points),
            "evenings": str(line.events),
            "evenings_won": str(line.wins),
            "best_place": str(line.best),
            **{evenings[event]: str(one.points) for event, one in line.evenings.items()},
        }
        for line in sheet.lines
    ]
    return csv_text((*COLUMNS, *evenings.values()), rows)
