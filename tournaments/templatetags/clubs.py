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
from tournaments.models import Club, Season
from tournaments.times import zone_name

register = template.Library()

SUITS = "chsd"
DAY = "l j F"
TIME = "H:i"


@register.filter
def told_in(moment: datetime, club: Club) -> SafeString:
    """A moment in the club's time zone: "Thursday 26 November, 19:30 Dublin time"."""
    return _told(moment, club, f"{DAY}, {TIME}", "long") + zone_in(club)


@register.filter
def briefly_in(moment: datetime, club: Club) -> SafeString:
    """A moment in the club's time zone where there is little room: "Thu 26 Nov, 19:30"."""
    return _told(moment, club, f"D j M, {TIME}", "short")


@register.filter
def day_in(moment: datetime, club: Club) -> SafeString:
    """The day of a moment in the club's time zone, with its year: "26 November 2026"."""
    return _told(moment, club, "j F Y")


@register.filter
def date_in(moment: datetime, club: Club) -> SafeString:
    """The day before a time, with its year: "26 November 2026"; the reader's where theirs is."""
    return _told(moment, club, "j F Y", "date")


@register.filter
def weekday_in(moment: datetime, club: Club) -> SafeString:
    """The day of a moment near today in the club's time zone: "Thursday 26 November"."""
    return _told(moment, club, DAY, "day")


@register.filter
def time_in(moment: datetime, club: Club) -> SafeString:
    """The time of day of a moment in the club's time zone: "19:30"."""
    return _told(moment, club, TIME, "time")


@register.filter
def clock_in(moment: datetime, club: Club) -> SafeString:
    """The time of day in the club's zone for every reader, below a day of that zone: "19:30"."""
    return _told(moment, club, TIME)


@register.filter
def zone_in(club: Club) -> SafeString:
    """The club's zone after a moment; `times.js` shows it where the reader's zone is another."""
    return format_html('<span class="zone"> {}</span>', zone_name(club.zone))


@register.filter
def emblem(club: Club) -> str:
    """The suit that stands for a club in lists, as a letter."""
    return SUITS[club.pk % len(SUITS)]


@register.filter
def season_path(season: Season, club: Club) -> str:
    """Return the path of a season's table."""
    if not season.pk:
        return reverse("club_year", args=[club.slug, season.first_day.year])
    return reverse("club_season", args=[club.slug, season.pk])


@register.inclusion_tag("tournaments/clubs/_your_clubs.html", takes_context=True)
def your_clubs(context: Context) -> dict[str, Any]:
    """The panel of the visitor's clubs; `me` of the page's context says who that is."""
    return {"yours": clubs_of(context["me"] or None), "request": context["request"]}


def _told(moment: datetime, club: Club, how: str, form: str = "") -> SafeString:
    """Return a moment in the club's zone; `times.js` shows one with a form in the reader's."""
    local = localtime(moment, club.zone)
    stamp, words = local.isoformat(timespec="minutes"), date_format(local, how)
    if not form:
        return format_html('<time datetime="{}">{}</time>', stamp, words)
    return format_html(
        '<time datetime="{}" data-zone="{}" data-form="{}">{}</time>',
        stamp,
        club.time_zone,
        form,
        words,
    )
