"""A table's stamp, such as ``1.17``: the number of its game and the game's version."""

from __future__ import annotations

from games.engine.errors import MalformedError


def numbers(stamp: str) -> tuple[int, int]:
    """Return the number of the game and its version; raise MalformedError."""
    number, _, version = stamp.partition(".")
    if not (number.isascii() and number.isdigit() and version.isascii() and version.isdigit()):
        raise MalformedError(f"{stamp[:20]!r} is not a version of the table, such as 1.17.")
    return int(number[:9]), int(version[:9])


def is_ahead(stamp: str, here: str) -> bool:
    """Return whether a stamp is of a later moment than another; it may be malformed."""
    try:
        return numbers(stamp) > numbers(here)
    except MalformedError:
        return False
