"""A season table as CSV; docs/exports.md describes the columns."""

from collections.abc import Sequence
from typing import Final

from tournaments.seasons.divisions import DivisionTable, without_division
from tournaments.seasons.season_table import SeasonResults, SeasonSheet
from tournaments.spreadsheets import cell, csv_text

COLUMNS: Final = (
    *("division", "place", "player_id", "player_name"),
    *("points", "evenings", "evenings_won", "best_place"),
)


def as_csv(results: SeasonResults, divisions: Sequence[DivisionTable]) -> str:
    """Return a line for each player, with a column for the points of each evening.

    Those who play in no division follow those of the divisions.
    """
    heads = [held.head for held in results.events]
    evenings = {held.event: f"{held.day.isoformat()} {held.name} ({held.event})" for held in heads}
    sheets: list[tuple[str, SeasonSheet]] = [(one.division.name, one.sheet) for one in divisions]
    sheets.append(("", without_division(divisions, results)))
    rows = [
        {
            "division": cell(division),
            "place": str(line.place) if line.events else "",
            "player_id": str(line.player.pk),
            "player_name": cell(line.name),
            "points": str(line.points),
            "evenings": str(line.events),
            "evenings_won": str(line.wins),
            "best_place": str(line.best or ""),
            **{evenings[event]: str(one.points) for event, one in line.evenings.items()},
        }
        for division, sheet in sheets
        for line in sheet.lines
    ]
    return csv_text((*COLUMNS, *evenings.values()), rows)
