"""Numbers in addresses and requests, bounded to what a column of the database can hold.

A larger one in a query is an error of the database. Django answers it by itself for ``pk=``, but
not for a foreign key or a list of keys.
"""

from typing import Final

from django.urls import register_converter

#: The largest primary key: that of a `BigAutoField`.
MAX_BIGINT: Final = 2**63 - 1


def parse_number(text: str) -> int | None:
    """Return the number that a text is in ASCII digits; None if the database can't hold it."""
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(MAX_BIGINT))):
        return None
    number = int(text)
    return number if number <= MAX_BIGINT else None


class NumberConverter:
    """Path converter ``<num:…>``, in place of Django's ``<int:…>``; a larger number is a 404."""

    regex = "[0-9]{1,19}"

    def to_python(self, value: str) -> int:
        number = parse_number(value)
        if number is None:
            raise ValueError(f"{value} is more than a column can hold")
        return number

    def to_url(self, value: int) -> str:
        return str(value)


register_converter(NumberConverter, "num")
