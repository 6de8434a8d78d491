"""Times in a club's time zone, its emblem, and the panel of one's clubs."""

from datetime import datetime
from typing import Any

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.timezone import localtime

from tournaments.clubs.club_pages import clubs_of
from tournaments.geography import twelve_hours
from tournaments.models import Club, Season
from tournaments.times import clock_time, zone_name

register = template.Library()

SUITS = "chsd"
DAY = "l j F"


@register.filter
def datetime_in(moment: datetime, club: Club) -> SafeString:
    """Format a time in the club's zone: "Thursday 26 November, 19:30 Dublin time"."""
    return _time_element(moment, club, f"{DAY}, ", "long", timed=True) + zone_in(club)


@register.filter
def short_datetime_in(moment: datetime, club: Club) -> SafeString:
    return _time_element(moment, club, "D j M, ", "short", timed=True)


@register.filter
def day_in(moment: datetime, club: Club) -> SafeString:
    """Format a date in the club's zone, with its year: "26 November 2026"."""
    return _time_element(moment, club, "j F Y")


@register.filter
def date_in(moment: datetime, club: Club) -> SafeString:
    """Format a date to precede `time_in`: "26 November 2026"."""
    return _time_element(moment, club, "j F Y", "date")


@register.filter
def weekday_in(moment: datetime, club: Club) -> SafeString:
    """Format a date near today in the club's zone: "Thursday 26 November"."""
    return _time_element(moment, club, DAY, "day")


@register.filter
def time_in(moment: datetime, club: Club) -> SafeString:
    """Format the time of day in the club's zone: "19:30"; `times.js` adds the reader's."""
    return _time_element(moment, club, "", "time", timed=True)


@register.filter
def clock_in(moment: datetime, club: Club) -> SafeString:
    """Format the time of day in the club's zone, and no other beside it: "19:30"."""
    return _time_element(moment, club, "", timed=True)


@register.filter
def zone_in(club: Club) -> SafeString:
    """Return the club's zone to follow a time; `times.js` shows it with the reader's time."""
    return format_html('<span class="zone"> {}</span>', zone_name(club.zone))


@register.filter
def emblem(club: Club) -> str:
    return SUITS[club.pk % len(SUITS)]


@register.filter
def season_path(season: Season, club: Club) -> str:
    if not season.pk:
        return reverse("club_year", args=[club.slug, season.first_day.year])
    return reverse("club_season", args=[club.slug, season.pk])


@register.inclusion_tag("tournaments/clubs/_your_clubs.html", takes_context=True)
def your_clubs(context: Context) -> dict[str, Any]:
    """Show the panel of the clubs of `me`, the player in the page's context."""
    return {"yours": clubs_of(context["me"] or None), "request": context["request"]}


def _time_element(
    moment: datetime, club: Club, day: str, form: str = "", *, timed: bool = False
) -> SafeString:
    """Format a day and a time in the club's zone; with `form`, `times.js` adds the reader's."""
    local = localtime(moment, club.zone)
    stamp = local.isoformat(timespec="minutes")
    words = date_format(local, day) if day else ""
    if timed:
        words += clock_time(moment, club.zone)
    if not form:
        return format_html('<time datetime="{}">{}</time>', stamp, words)
    return format_html(
        '<time datetime="{}" data-zone="{}" data-form="{}"{}>{}</time>',
        stamp,
        club.time_zone,
        form,
        mark_safe(" data-twelve") if twelve_hours(club.time_zone) else "",
        words,
    )
