"""Small pieces of the pages of clubs: times in a club's zone, its emblem."""

from datetime import datetime

from django import template
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timezone import localtime

from tournaments.models import Club

register = template.Library()

SUITS = "chsd"
DAY = "l j F"
TIME = "H:i"


@register.filter
def told_in(moment: datetime, club: Club) -> SafeString:
    """A moment in the club's time zone: "Thursday 26 November, 19:30"."""
    return _told(moment, club, f"{DAY}, {TIME}")


@register.filter
def day_in(moment: datetime, club: Club) -> SafeString:
    """The day of a moment in the club's time zone, with its year: "26 November 2026"."""
    return _told(moment, club, "j F Y")


@register.filter
def time_in(moment: datetime, club: Club) -> SafeString:
    """The time of day of a moment in the club's time zone: "19:30"."""
    return _told(moment, club, TIME)


@register.filter
def emblem(club: Club) -> str:
    """The suit that stands for a club in lists, as a letter."""
    return SUITS[club.pk % len(SUITS)]


def _told(moment: datetime, club: Club, how: str) -> SafeString:
    local = localtime(moment, club.zone)
    return format_html(
        '<time datetime="{}">{}</time>',
        local.isoformat(timespec="minutes"),
        date_format(local, how),
    )
