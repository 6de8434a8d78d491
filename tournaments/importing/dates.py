"""Dates as spreadsheets write them."""

import re
from collections.abc import Iterable
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


def day_of(text: str, column: Iterable[str]) -> date | None:
    """Return the date in a cell; None if it is none.

    Whether 04/05/2019 is in April or in May is told by the other cells of the column. Raises
    ValueError if they leave it open.
    """
    if found := _read(text, PLAIN):
        return found
    if re.fullmatch(r"[1-9]\d{4}", text):
        return DAY_0 + timedelta(days=int(text))
    orders = [_read(text, order) for order in (DAY_FIRST, MONTH_FIRST)]
    if None in orders or orders[0] == orders[1]:
        return orders[0] or orders[1]
    others = [one for one in column if not _read(one, PLAIN)]
    fits = [
        day
        for day, order in zip(orders, (DAY_FIRST, MONTH_FIRST), strict=True)
        if all(_read(one, order) or not _read(one, DAY_FIRST + MONTH_FIRST) for one in others)
    ]
    if len(fits) != 1:
        raise ValueError(f"{orders[0]:%-d %B} or {orders[1]:%-d %B}")
    return fits[0]


def _read(text: str, forms: Iterable[str]) -> date | None:
    for form in forms:
        try:
            return datetime.strptime(text, form).date()  # noqa: DTZ007 (a day has no zone)
        except ValueError:
            continue
    return None
