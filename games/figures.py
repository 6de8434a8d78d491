"""Numbers with typographic signs and spaces."""

from typing import Final

MINUS: Final = "\N{MINUS SIGN}"
NO_BREAK: Final = "\N{NO-BREAK SPACE}"


def signed(number: float, digits: int = 0) -> str:
    """Return a difference with its sign: "+7", but "0"."""
    text = f"{number:+.{digits}f}"
    return text.lstrip("+-") if not float(text) else text.replace("-", MINUS)
