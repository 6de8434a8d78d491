"""The pages of the daily deal, of the site and of clubs."""

from datetime import date, datetime
from typing import Any, Final

from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from games.answers import SeeOther, number_in, refused, refused_at, to_form, unless_known
from games.models import Player
from games.notifying import choices
from games.notifying.kinds import DAILY_RESULTS, Way
from games.people import identity, limits
from games.people.addresses import client_address
from games.sharing.pictures import digest
from games.sharing.previews import answer
from tournaments import geography
from tournaments.access import ClubAccess, club_of
from tournaments.daily import days, opened, panel, reminders, sharing, standings, tries
from tournaments.daily.feeds import DailyResults
from tournaments.models import Club, DailyDeal, DailyHour, DailyReminder, DailyTry
from tournaments.refusals import RefusedError
from tournaments.sharing import previews

#: Lines of a table beside the deals, and on a page of its own.
FIRST: Final = 5
A_PAGE: Final = 100
MAX_AGE: Final = 300  # seconds for which a feed may be kept
TOO_MANY: Final = (
    "Many guests have come from your network in the last ten minutes."
    " Log in to play now, or try again in ten minutes."
)
HOURS: Final = range(24)


def _access(request: HttpRequest, slug: str) -> ClubAccess | None:
    """Return the reader's rights in the club of an address; None for the site's own deal."""
    return club_of(request, slug) if slug else None


def _club(request: HttpRequest, slug: str) -> Club | None:
    access = _access(request, slug)
    return access.club if access is not None else None


def _day(club: Club | None, day: date, now: datetime) -> DailyDeal:
    daily = days.days_of(club).filter(day=day, opens__lte=now).first()
    if daily is None:
        raise Http404
    return daily


@require_safe
@never_cache
def daily(request: HttpRequest, slug: str = "") -> HttpResponse:
    """Lead to the day that is open; without one, say when there will be one."""
    access, now = _access(request, slug), timezone.now()
    club = access.club if access is not None else None
    found = days.open_day(club, now)
    if found is not None and not (access is not None and access.directs and "hour" in request.GET):
        return redirect(tries.path_of(found))
    context = {
        "club": club,
        "access": access,
        "title": tries.title_of(club),
        "hours": HOURS,
        "hour": DailyHour.objects.filter(club=club).first() if club else None,
        "next": days.days_of(club).filter(opens__gt=now).last(),
        "last": days.last_closed(club),
    }
    return render(request, "tournaments/daily/no_day.html", context)


@require_safe
@never_cache
def daily_day(request: HttpRequest, day: date, slug: str = "") -> HttpResponse:
    """Show a day: to begin or go on, one's result while it is open, and all of it once closed."""
    club, now = _club(request, slug), timezone.now()
    found = _day(club, day, now)
    player = identity.player_of(request)
    mine = panel.own_try(found, player)
    context = _context(found, player, mine, now)
    if found.closed is not None:
        return render(request, "tournaments/daily/closed.html", context | _closed(found, mine))
    if context["state"] == panel.PLAYED:
        return render(request, "tournaments/daily/result.html", context | _told(player))
    return render(request, "tournaments/daily/begin.html", context)


def _context(
    daily: DailyDeal, player: Player | None, mine: DailyTry | None, now: datetime
) -> dict[str, Any]:
    return {
        **panel.shown_of(daily, player, mine, now),
        "title": tries.title_of(daily.club),
        "preview": sharing.preview_of(daily),
        "share": sharing.text_of(daily, mine) if mine and mine.points else "",
        "today": days.open_day(daily.club, now),
        "before": days.days_of(daily.club)
        .filter(day__lt=daily.day, closed__isnull=False)
        .first(),
    }  # fmt: skip


def _closed(daily: DailyDeal, mine: DailyTry | None) -> dict[str, Any]:
    first = daily.day.replace(day=1)
    month = standings.month(daily.club, first)
    places = standings.places(daily)
    first_places = list(places[:FIRST])
    if mine is not None and mine.place is not None and mine not in first_places:
        first_places.append(mine)
    own_month = next((one for one in month if mine and one.player_id == mine.player_id), None)
    return {
        "deals": opened.opened(daily, mine),
        "house": sum(daily.house) if daily.house is not None else None,
        "places": first_places,
        "listed": places.count(),
        "month": month[:FIRST],
        "in_month": len(month),
        "own_month": own_month if own_month not in month[:FIRST] else None,
        "first_of_month": first,
    }


def _told(player: Player | None) -> dict[str, Any]:
    """Return what a player has chosen to be told of."""
    if player is None:
        return {}
    chosen = choices.choices_of(player)
    return {
        "by_push": chosen[DAILY_RESULTS.key, Way.PUSH],
        "by_mail": chosen[DAILY_RESULTS.key, Way.MAIL],
        "reminder": DailyReminder.objects.filter(player=player).first(),
        "hours": HOURS,
        "zones": geography.zones(),
    }


@require_POST
def begin(request: HttpRequest, day: date, slug: str = "") -> HttpResponse:
    """Begin the visitor's try, also as a guest, or go on with it."""
    club, now = _club(request, slug), timezone.now()
    found = _day(club, day, now)
    known = identity.player_of(request)
    back = tries.path_of(found)
    # A known player has one try only; new guests are limited by address.
    if known is None and now < found.closes and not limits.may_make_guest(request):
        return refused(request, TOO_MANY, 429, back)
    try:
        if known is None and now >= found.closes:
            raise RefusedError("closed", tries.CLOSED)  # without making a guest
        player = known or identity.make_guest(request.session)
        mine = tries.begin(found, player, client_address(request), timezone.now())
    except RefusedError as error:
        return refused(request, error.message, error.status, back)
    if mine.points is not None or mine.table_id is None:
        return SeeOther(back)
    return SeeOther(resolve_url("table", mine.table_id))


@require_POST
@refused_at("daily")
def tell_me(request: HttpRequest) -> HttpResponse:
    """Store what a player is notified of; fields `push`, `mail`, `remind`, `hour`, `zone`."""
    player = identity.player_of(request)
    if player is None:
        raise PermissionDenied
    wanted = {(DAILY_RESULTS.key, way): way in request.POST for way in (Way.PUSH, Way.MAIL)}
    remind = "remind" in request.POST
    hour = number_in(request, "hour") if remind else None
    if remind and hour is None:
        raise RefusedError("hour", "Choose an hour from 0 to 23.", 422)
    reminders.choose(player, hour, request.POST.get("zone", ""))
    if player.user_id is None:
        del wanted[DAILY_RESULTS.key, Way.MAIL]
    choices.choose(player, wanted)
    return to_form(request, resolve_url("daily"))


@require_POST
def choose_hour(request: HttpRequest, slug: str) -> HttpResponse:
    """Give a club a daily deal at the hour in the field `hour`; empty: none."""
    access = club_of(request, slug, "own_club")
    sent = request.POST.get("hour", "")
    hour = number_in(request, "hour")
    if sent and (hour is None or hour not in HOURS):
        words = "Choose an hour from 0 to 23, or no daily deal."
        return refused(request, words, 422, resolve_url("club_daily", slug))
    days.choose_hour(access.club, hour, timezone.now())
    return SeeOther(resolve_url("club_daily", slug))


@require_safe
def day_places(request: HttpRequest, day: date, slug: str = "") -> HttpResponse:
    """List everybody with a place on a closed day."""
    club, now = _club(request, slug), timezone.now()
    found = _day(club, day, now)
    if found.closed is None:
        raise Http404
    page = Paginator(standings.places(found), A_PAGE).get_page(request.GET.get("page"))
    context = {"daily": found, "club": club, "title": tries.title_of(club), "page": page}
    return render(request, "tournaments/daily/places.html", context)


@require_safe
def month_table(request: HttpRequest, month: date, slug: str = "") -> HttpResponse:
    """List everybody who has places in a month."""
    club = _club(request, slug)
    lines = standings.month(club, month)
    now = timezone.now()
    in_month = days.days_of(club).filter(opens__lte=now, day__range=standings.range_of(month))
    if not in_month.exists():
        raise Http404
    page = Paginator(lines, A_PAGE).get_page(request.GET.get("page"))
    context = {"club": club, "month": month, "title": tries.title_of(club), "page": page}
    return render(request, "tournaments/daily/month.html", context)


@require_safe
def day_picture(request: HttpRequest, day: date, slug: str = "") -> HttpResponse:
    """Send the picture of a day's link, which says nothing of its cards."""
    club = _club(request, slug)
    preview = sharing.preview_of(_day(club, day, timezone.now()))
    if preview is None:
        raise Http404
    return answer(request, preview)


_feed = DailyResults()


@require_safe
def daily_feed(request: HttpRequest, slug: str = "") -> HttpResponse:
    club = _club(request, slug)
    feed = _feed(request, club=club)
    response = unless_known(request, feed, digest(feed.content))
    public = club is None or previews.is_everybodys(club)
    patch_cache_control(response, max_age=MAX_AGE, **{"public" if public else "private": True})
    return response
