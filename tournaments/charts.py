"""Bar charts, and the axes of charts: round numbers, and round times with their labels.

A chart is a dict for its template, in SVG units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from functools import partial
from math import ceil, floor
from typing import Any, Final, TypeAlias

from django.utils.formats import date_format
from django.utils.timezone import localtime

#: Step sizes between numbers.
STEPS: Final = (10, 20, 50, 100, 200, 500, 1000)
#: Days of a month, for comparing lengths only.
MONTH: Final = 30.4
YEAR: Final = 12  # months
#: A chart by week: its size, the area of the bars, and the most dates on the axis.
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 720, 200, 52, 16, 164
DATES: Final = 5
#: The steps, times a power of ten, of which a chart by week shows one and its half.
WEEK_STEPS: Final = (1, 2, 4, 6, 8, 10)
#: A chart by night: its size, the top and the foot of the bars, and the most room for one.
NIGHTS_WIDTH, NIGHTS_HEIGHT, NIGHTS_TOP, NIGHTS_FOOT = 320, 112, 20, 92
WIDEST: Final = 40
#: The most bars with their numbers beside them; of more, only some nights are numbered.
NUMBERED: Final = 15


#: A time on an axis and its label: "20:00", "7 Mar", "Jun", "2026".
Tick: TypeAlias = tuple[datetime, str]


def numbers(least: float, most: float, parts: int = 5) -> list[int]:
    """Return round numbers that enclose `least` and `most`, in about `parts` steps."""
    step = next((step for step in STEPS if most - least <= step * parts), STEPS[-1])
    first, last = floor(least / step), max(ceil(most / step), floor(least / step) + 1)
    return [step * number for number in range(first, last + 1)]


def times(first: datetime, last: datetime, parts: int = 5) -> list[Tick]:
    """Return round times of the active time zone between two times, in at most about `parts` steps.

    An axis of a few minutes has none.
    """
    first, last = localtime(first), localtime(last)
    least = (last - first) / parts
    rounds = next((make for length, make in KINDS if length >= least), KINDS[-1][1])
    return [tick for tick in rounds(first, last) if first <= tick[0] <= last]


def _hours(step: int, first: datetime, last: datetime) -> Iterator[Tick]:
    at = first.replace(hour=0, minute=0, second=0, microsecond=0)
    while at <= last:
        yield at, date_format(at, "H:i")
        at += timedelta(hours=step)


def _days(step: int, first: datetime, last: datetime) -> Iterator[Tick]:
    for number in range(first.toordinal(), last.toordinal() + 1):
        if number % step == 0:
            at = _midnight(date.fromordinal(number), first)
            yield at, date_format(at, "j M")


def _months(step: int, first: datetime, last: datetime) -> Iterator[Tick]:
    for number in range(_month(first), _month(last) + 1):
        if number % step == 0:
            year, month = divmod(number, YEAR)
            at = _midnight(date(year, month + 1, 1), first)
            yield at, date_format(at, "Y" if month == 0 else "M")


def _month(at: datetime) -> int:
    """Return the number of months since the year 0."""
    return at.year * YEAR + at.month - 1


def _midnight(day: date, like: datetime) -> datetime:
    return datetime.combine(day, time(), tzinfo=like.tzinfo)


Make = Callable[[datetime, datetime], Iterator[Tick]]
#: Distances between round times, and the functions that list them.
KINDS: Final[tuple[tuple[timedelta, Make], ...]] = (
    *((timedelta(hours=step), partial(_hours, step)) for step in (1, 2, 3, 6, 12)),
    *((timedelta(days=step), partial(_days, step)) for step in (1, 2, 7, 14)),
    *((timedelta(days=MONTH * step), partial(_months, step)) for step in (1, 2, 3, 6)),
    *((timedelta(days=MONTH * step), partial(_months, step)) for step in (12, 24, 60, 120)),
)


# Bars ---------------------------------------------------------------------------------------


def by_week(title: str, what: str, weeks: Sequence[tuple[date, int]]) -> dict[str, Any]:
    """Return a chart of a number in each week; weeks: their Mondays with the numbers, in order."""
    most = max(number for _monday, number in weeks)
    # Round the maximum up to a number with even steps.
    scale = 1
    while scale * 10 < most:
        scale *= 10
    top = next(step * scale for step in WEEK_STEPS if step * scale >= max(most, 2))
    step = (WIDTH - LEFT) / len(weeks)

    def y(value: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * value / top

    days = [date_format(monday, "j F Y") for monday, _number in weeks]
    mean = sum(number for _monday, number in weeks) / len(weeks)
    every = -(-len(weeks) // DATES)
    return {
        "title": title,
        "words": f"{title}, {days[0]} to {days[-1]}: {mean:.0f} on average, {most} at most",
        "bars": [
            {
                "x": round(LEFT + at * step + step * 0.1, 1),
                "y": round(y(number), 1),
                "width": round(step * 0.8, 1),
                "height": round(BOTTOM - y(number), 1),
                "words": f"Week of {days[at]}: {number} {what}{'s' * (number != 1)}",
            }
            for at, (_monday, number) in enumerate(weeks)
        ],
        "values": [(y(part), f"{part:g}") for part in (0, top / 2, top)],
        "dates": [
            (round(LEFT + (at + 0.5) * step, 1), date_format(weeks[at][0], "j M y"))
            for at in range(every // 2, len(weeks), every)
        ],
        "width": WIDTH,
        "height": HEIGHT,
        "left": LEFT,
        "below": HEIGHT - 8,
    }


def by_night(counts: Sequence[int], coming: int) -> dict[str, Any] | None:
    """Return a chart of how many came on each night; None before the first.

    Nights to come have a bar too. Where there is no room numbers are left out.
    """
    if not counts:
        return None
    columns = len(counts) + coming
    most, step, every = (
        max(*counts, 1),
        min(WIDEST, NIGHTS_WIDTH / columns),
        -(-columns // NUMBERED),
    )
    bars = []
    for at, players in enumerate([*counts, *[None] * coming]):
        height = (NIGHTS_FOOT - NIGHTS_TOP) * (1 if players is None else players / most)
        named = at % every == 0
        what = "to come" if players is None else f"{players} player{'s' * (players != 1)}"
        bars.append(
            {
                "x": round((at + 0.1) * step, 1),
                "y": round(NIGHTS_FOOT - height, 1),
                "width": round(0.8 * step, 1),
                "height": round(height, 1),
                "middle": round((at + 0.5) * step, 1),
                "came": "" if players is None or not named else str(players),
                "number": str(at + 1) if named else "",
                "words": f"Night {at + 1}: {what}",
                "coming": players is None,
            }
        )
    mean = sum(counts) / len(counts)
    words = (
        f"Players a night: {mean:.0f} on average, {min(counts)} at least and {max(counts)} at"
        f" most in {len(counts)} night{'s' * (len(counts) != 1)}"
    )
    return {"words": words, "bars": bars, "width": NIGHTS_WIDTH, "height": NIGHTS_HEIGHT}
