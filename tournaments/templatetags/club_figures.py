"""Figures of a club's statistics in words."""

from typing import Final

from django import template

register = template.Library()

MINUS: Final = "\N{MINUS SIGN}"


@register.filter
def percent(share: float) -> str:
    """A share from 0 to 1, as people read it: "58 %"."""
    return f"{100 * share:.0f}\N{NO-BREAK SPACE}%"


@register.filter
def tricks(more: float) -> str:
    """Tricks a hand above the average, or below it, with their sign: "+0.12"."""
    rounded = round(more, 2)
    sign = "+" if rounded > 0 else MINUS if rounded < 0 else ""
    return f"{sign}{abs(rounded):.2f}"
