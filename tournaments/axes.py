"""Ticks of chart axes: round numbers, and round times with their labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta
from functools import partial
from math import ceil, floor
from typing import Final, NamedTuple

from django.utils.formats import date_format
from django.utils.timezone import localtime

#: Step sizes between numbers.
STEPS: Final = (10, 20, 50, 100, 200, 500, 1000)
#: Days of a month, for comparing lengths only.
MONTH: Final = 30.4
YEAR: Final = 12  # months


class Tick(NamedTuple):
    """A time on an axis and its label: "20:00", "7 Mar", "Jun", "2026"."""

    at: datetime
    words: str


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
    return [tick for tick in rounds(first, last) if first <= tick.at <= last]


def _hours(step: int, first: datetime, last: datetime) -> Iterator[Tick]:
    at = first.replace(hour=0, minute=0, second=0, microsecond=0)
    while at <= last:
        yield Tick(at, date_format(at, "H:i"))
        at += timedelta(hours=step)


def _days(step: int, first: datetime, last: datetime) -> Iterator[Tick]:
    for number in range(first.toordinal(), last.toordinal() + 1):
        if number % step == 0:
            at = _midnight(date.fromordinal(number), first)
            yield Tick(at, date_format(at, "j M"))


def _months(step: int, first: datetime, last: datetime) -> Iterator[Tick]:
    for number in range(_month(first), _month(last) + 1):
        if number % step == 0:
            year, month = divmod(number, YEAR)
            at = _midnight(date(year, month + 1, 1), first)
            yield Tick(at, date_format(at, "Y" if month == 0 else "M"))


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
