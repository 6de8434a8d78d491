"""Small pieces of the pages of clubs: times in a club's zone, its emblem."""

from datetime import datetime
from typing import Any

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timezone import localtime

from tournaments.clubs.club_pages import clubs_of
from tournaments.geography import zone_in_words
from tournaments.models import Club
from tournaments.seasons.seasons import Span

register = template.Library()

SUITS = "chsd"
DAY = "l j F"
TIME = "H:i"


@register.filter
def told_in(moment: datetime, club: Club) -> SafeString:
    """A moment in the club's time zone: "Thursday 26 November, 19:30"."""
    return _told(moment, club, f"{DAY}, {TIME}")


@register.filter
def briefly_in(moment: datetime, club: Club) -> SafeString:
    """A moment in the club's time zone where there is little room: "Thu 26 Nov, 19:30"."""
    return _told(moment, club, f"D j M, {TIME}")


@register.filter
def day_in(moment: datetime, club: Club) -> SafeString:
    """The day of a moment in the club's time zone, with its year: "26 November 2026"."""
    return _told(moment, club, "j F Y")


@register.filter
def weekday_in(moment: datetime, club: Club) -> SafeString:
    """The day of a moment near today in the club's time zone: "Thursday 26 November"."""
    return _told(moment, club, DAY)


@register.filter
def time_in(moment: datetime, club: Club) -> SafeString:
    """The time of day of a moment in the club's time zone: "19:30"."""
    return _told(moment, club, TIME)


@register.filter
def zone_words(club: Club) -> str:
    """The club's time zone as people say it: "Dublin"."""
    return zone_in_words(club.time_zone)


@register.filter
def emblem(club: Club) -> str:
    """The suit that stands for a club in lists, as a letter."""
    return SUITS[club.pk % len(SUITS)]


@register.filter
def season_path(span: Span, club: Club) -> str:
    """The path of a season's table."""
    if span.season_id is None:
        return reverse("club_year", args=[club.slug, span.first_day.year])
    return reverse("club_season", args=[club.slug, span.season_id])


@register.inclusion_tag("tournaments/clubs/_your_clubs.html", takes_context=True)
def your_clubs(context: Context) -> dict[str, Any]:
    """The panel of the visitor's clubs; `me` of the page's context says who that is."""
    return {"yours": clubs_of(context["me"] or None), "request": context["request"]}


def _told(moment: datetime, club: Club, how: str) -> SafeString:
    local = localtime(moment, club.zone)
    return format_html(
        '<time datetime="{}">{}</time>',
        local.isoformat(timespec="minutes"),
        date_format(local, how),
    )
