"""Figures of a player's record, with links to the games behind them."""

from collections.abc import Mapping
from typing import Any

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString

from games.figures import MINUS, NO_BREAK, signed
from games.records import RESULT_WORDS
from games.records.sums import (
    Mean,
    ShareOfGames,
    Streak,
)

register = template.Library()

NONE = "–"
PLACES = {
    1: "Left of the dealer",
    2: "Opposite the dealer",
    3: "Right of the dealer",
    4: "The dealer",
}


@register.filter
def percent(share: ShareOfGames) -> str:
    """Format a share: "58 %", or a dash."""
    return fixed(share.percent, "%")


@register.filter
def mean(of: Mean, digits: int = 1) -> str:
    """Format a mean with some decimal places, or a dash."""
    return value(of.value, digits, "")


@register.filter
def signed_mean(of: Mean, digits: int = 2) -> str:
    """Format a mean with its sign: "+0.03"."""
    return NONE if of.value is None else signed(of.value, digits)


@register.filter
def fixed(value: float | None, unit: str = "") -> str:
    """Format a percentage: "58 %", or a dash."""
    return NONE if value is None else f"{value:.0f}{NO_BREAK}{unit}".rstrip()


@register.filter
def query(kept: Mapping[str, Any]) -> str:
    """Return a query string that keeps the filters: "?from=2026-01-01", or empty."""
    return f"?{urlencode(kept)}" if kept else ""


@register.filter
def place_name(place: int) -> str:
    return PLACES[place]


@register.filter
def run(streak: Streak) -> str:
    """Return what a streak is of: "won"."""
    return RESULT_WORDS[streak.result]


@register.simple_tag
def value(number: float | None, digits: int, unit: str) -> str:
    """Format a figure with its unit, or a dash."""
    if number is None:
        return NONE
    text = f"{number:.{digits}f}"
    text = text.lstrip("-") if not float(text) else text.replace("-", MINUS)
    return f"{text}{NO_BREAK}{unit}".rstrip()


@register.simple_tag
def difference(number: float | None, digits: int) -> str:
    """Format a difference with its sign, or a dash."""
    return NONE if number is None else signed(number, digits)


@register.simple_tag(takes_context=True)
def games(context: Context, number: int, words: str, **asked: Any) -> SafeString:
    """Return a number as a link to the games behind it; 0 is no link.

    words: added for screen readers. asked: filters of the games, beside the page's `kept`.
    """
    if not number:
        return format_html("{}", number)
    kept = {**context["kept"], **{name: value for name, value in asked.items() if value}}
    path = reverse("player_games", args=[context["player"].pk]) + query(kept)
    added = format_html('<span class="unseen"> {}</span>', words) if words else ""
    return format_html('<a href="{}">{}{}</a>', path, number, added)
