"""Signs of numbers, as people read them on pages and in sentences."""

from typing import Final

MINUS: Final = "\N{MINUS SIGN}"
NO_BREAK: Final = "\N{NO-BREAK SPACE}"


def signed(number: float, digits: int = 0) -> str:
    """Return a difference with its sign: "+7"; nothing has none: "0"."""
    text = f"{number:+.{digits}f}"
    return text.lstrip("+-") if not float(text) else text.replace("-", MINUS)
