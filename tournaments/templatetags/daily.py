"""The panel of the daily deal, and its squares."""

from typing import Any

from django import template
from django.template import Context
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from games.figures import signed
from games.picture import phrases
from tournaments.daily import days, panel, sharing, tries
from tournaments.models import Club

register = template.Library()


@register.inclusion_tag("tournaments/daily/_panel.html", takes_context=True)
def daily_panel(context: Context, club: Club | None = None) -> dict[str, Any]:
    """Show the day that is open on the site or in a club, if there is one."""
    me, now = context.get("me") or None, timezone.now()
    shown = panel.panel_of(club, me, now) if me is not None else panel.for_visitors(club, now)
    return {**shown, "me": me, "csrf_token": context.get("csrf_token")}


@register.simple_tag(takes_context=True)
def daily_to_play(context: Context) -> str:
    """Return the address of the site's open day for whoever has not played it, else nothing."""
    daily = days.open_day(None, timezone.now())
    if daily is None:
        return ""
    mine = panel.own_try(daily, context.get("me") or None)
    return tries.path_of(daily) if mine is None or mine.points is None else ""


register.filter("square", sharing.square_of)
register.filter(signed)
register.simple_tag(tries.path_of, name="url_of")


@register.filter
def average(points: float) -> str:
    """Format an average of points: "+0.6", "-1.2", "0.0"."""
    return signed(points, 1)


@register.filter
def pluralize_points(points: int) -> str:
    return "" if abs(points) == 1 else "s"


@register.simple_tag
def small_card(card: int) -> SafeString:
    """Write a card as its index and the sign of its suit, with its name for screen readers."""
    letter = phrases.suit_letter(card)
    sign = dict(zip(phrases.SUIT_LETTERS, "♣♦♥♠", strict=True)).get(letter, "")
    return format_html(
        '<span class="suit" data-suit="{}"><span aria-hidden="true">{}{}\ufe0e</span>'
        '<span class="unseen">{}</span></span>',
        letter, phrases.index(card), sign, phrases.plain_name(card),
    )  # fmt: skip
