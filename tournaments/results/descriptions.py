"""What is told of an entry and of a line of the standings, the same by the API and in exports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from tournaments.models import Entry
from tournaments.results.ranking import StandingRow


def entry_values(entry: Entry, players: Any, prizes: Mapping[int, int]) -> dict[str, Any]:
    """Return what an entry is, value by value.

    Args:
        entry: the entry.
        players: who plays, in the shape that is told.
        prizes: places for prizes, by entry.
    """
    return {
        "entry": entry.pk,
        "players": players,
        "state": entry.state,
        "house": entry.house,
        "seed": entry.seed,
        "lot": entry.lot,
        "qualified": entry.qualified,
        "place": entry.place,
        "prize_place": prizes.get(entry.pk),
    }


def standing_values(
    line: StandingRow, players: Any, number: Callable[[Fraction | None], float | None]
) -> dict[str, Any]:
    """Return what a line of the standings is, value by value, but for its tie-breaks.

    Args:
        line: the line.
        players: who plays, in the shape that is told.
        number: how fractions are told.
    """
    return {
        "place": line.place,
        "prize_place": line.prize_place,
        "entry": line.entry.pk,
        "players": players,
        "house": line.entry.house,
        "withdrawn": line.withdrawn,
        "won": line.won,
        "lost": line.lost,
        "tied": line.tied,
        "sat_out": line.sat_out,
        "credit": number(line.credit),
        "finals_won": line.finals_won,
        "finals_lost": line.finals_lost,
        "points_for": line.points_for,
        "points_against": line.points_against,
    }
