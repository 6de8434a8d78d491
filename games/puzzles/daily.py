"""The puzzle of the day: one of the set, the same for all, from midnight to midnight UTC."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Final

from games.puzzles.collection import SetPuzzle, collection

#: How far in the set the next day's is, so that themes take turns. It shares no divisor with 60:
#: each puzzle has its day before the first comes again.
_STRIDE: Final = 23


def puzzle_of(day: date) -> SetPuzzle:
    puzzles = [*collection().values()]
    return puzzles[day.toordinal() * _STRIDE % len(puzzles)]


def today(now: datetime) -> date:
    return now.astimezone(UTC).date()
