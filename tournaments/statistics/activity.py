"""A club's activity: games and players by week, as bar charts and a table."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any, Final, NamedTuple

from tournaments.charts import by_week

WEEK: Final = timedelta(days=7)
#: The most weeks in a chart, counted from the latest.
MAX_WEEKS: Final = 104


class Week(NamedTuple):
    """A week, by its Monday, with its numbers of games and of different players."""

    monday: date
    games: int
    players: int


def monday_of(day: date) -> date:
    return day - timedelta(days=day.weekday())


def filled(weeks: Sequence[Week]) -> list[Week]:
    """Fill in the weeks without games, and keep the latest `MAX_WEEKS`; weeks: in order."""
    if not weeks:
        return []
    played = {week.monday: week for week in weeks}
    last = weeks[-1].monday
    first = max(weeks[0].monday, last - (MAX_WEEKS - 1) * WEEK)
    mondays = (first + number * WEEK for number in range((last - first).days // 7 + 1))
    return [played.get(monday, Week(monday, 0, 0)) for monday in mondays]


def charts(weeks: Sequence[Week]) -> list[dict[str, Any]]:
    """Return the charts of games and of players; weeks: from `filled`, at least one."""
    return [
        by_week("Games a week", "game", [(week.monday, week.games) for week in weeks]),
        by_week("Players a week", "player", [(week.monday, week.players) for week in weeks]),
    ]
