"""A club's activity: games and players by week, as bar charts and a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, NamedTuple

from django.utils.formats import date_format

WEEK: Final = timedelta(days=7)
#: The most weeks in a chart, counted from the latest.
MAX_WEEKS: Final = 104
#: The chart in SVG units: its size, and the area of the bars.
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 720, 200, 52, 16, 164
#: The most dates on the axis.
DATES: Final = 5
STEPS: Final = (1, 2, 4, 6, 8, 10)


class Week(NamedTuple):
    """A week, by its Monday, with its numbers of games and of different players."""

    monday: date
    games: int
    players: int


class Bar(NamedTuple):
    """A bar of a chart, and its text for screen readers."""

    x: float
    y: float
    width: float
    height: float
    words: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A bar chart over weeks; values, dates: the positions and labels of both axes."""

    title: str
    words: str
    bars: tuple[Bar, ...]
    values: tuple[tuple[float, str], ...]
    dates: tuple[tuple[float, str], ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    bottom: int = BOTTOM

    @property
    def below(self) -> int:
        return self.height - 8


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


def charts(weeks: Sequence[Week]) -> list[Chart]:
    """Return the charts of games and of players; weeks: from `filled`, at least one."""
    return [
        _chart("Games a week", "game", weeks, lambda week: week.games),
        _chart("Players a week", "player", weeks, lambda week: week.players),
    ]


def _chart(title: str, what: str, weeks: Sequence[Week], value: Callable[[Week], int]) -> Chart:
    most = max(value(week) for week in weeks)
    # Round the maximum up to a number with even steps.
    scale = 1
    while scale * 10 < most:
        scale *= 10
    top = next(step * scale for step in STEPS if step * scale >= max(most, 2))
    step = (WIDTH - LEFT) / len(weeks)
    bars = tuple(
        Bar(
            round(LEFT + number * step + step * 0.1, 1),
            round(_y(value(week), top), 1),
            round(step * 0.8, 1),
            round(BOTTOM - _y(value(week), top), 1),
            f"Week of {_day(week.monday)}: {value(week)} {what}{'s' * (value(week) != 1)}",
        )
        for number, week in enumerate(weeks)
    )
    mean = sum(map(value, weeks)) / len(weeks)
    every = -(-len(weeks) // DATES)
    return Chart(
        title=title,
        words=f"{title}, {_day(weeks[0].monday)} to {_day(weeks[-1].monday)}:"
        f" {mean:.0f} on average, {most} at most",
        bars=bars,
        values=tuple((_y(part, top), f"{part:g}") for part in (0, top / 2, top)),
        dates=tuple(
            (round(LEFT + (number + 0.5) * step, 1), date_format(weeks[number].monday, "j M y"))
            for number in range(every // 2, len(weeks), every)
        ),
    )


def _y(value: float, top: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * value / top


def _day(day: date) -> str:
    return date_format(day, "j F Y")
