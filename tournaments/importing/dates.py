"""Dates as spreadsheets write them."""

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from typing import Final

#: Forms in which the order of day and month cannot be mistaken.
PLAIN: Final = (
    "%Y-%m-%d", "%Y/%m/%d", "%Y-%m-%d %H:%M:%S", "%d.%m.%Y", "%d.%m.%y", "%d-%b-%Y", "%d-%b-%y",
    "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y",
)  # fmt: skip
DAY_FIRST: Final = ("%d/%m/%Y", "%d/%m/%y", "%d-%m-%Y")
MONTH_FIRST: Final = ("%m/%d/%Y", "%m/%d/%y", "%m-%d-%Y")
#: The day 0 of spreadsheets, which write dates as numbers of days where they lost the form.
DAY_0: Final = date(1899, 12, 30)


def orders_of(column: Iterable[str]) -> list[Sequence[str]]:
    """Return the orders of day and month that fit all cells of a column."""
    cells = {one for one in column if "/" in one or "-" in one}
    dates = [one for one in cells if not _read(one, PLAIN) and _read(one, DAY_FIRST + MONTH_FIRST)]
    return [order for order in (DAY_FIRST, MONTH_FIRST) if all(_read(one, order) for one in dates)]


def day_of(text: str, orders: Iterable[Sequence[str]]) -> date | None:
    """Return the date in a cell; None if it is none.

    orders: those that fit its column, which tells whether 04/05/2019 is in April or in May. Raises
    ValueError if they leave it open.
    """
    if found := _read(text, PLAIN):
        return found
    if re.fullmatch(r"[1-9]\d{4}", text):
        return DAY_0 + timedelta(days=int(text))
    days = [_read(text, order) for order in (DAY_FIRST, MONTH_FIRST)]
    if None in days or days[0] == days[1]:
        return days[0] or days[1]
    fits = [_read(text, order) for order in orders]
    if len(fits) != 1:
        raise ValueError(f"{days[0]:%-d %B} or {days[1]:%-d %B}")
    return fits[0]


def _read(text: str, forms: Iterable[str]) -> date | None:
    for form in forms:
        try:
            return datetime.strptime(text, form).date()  # noqa: DTZ007 (a day has no zone)
        except ValueError:
            continue
    return None
