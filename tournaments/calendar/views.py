"""The list of events, one's own events, and the calendar feeds."""

from hashlib import sha256

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.http import quote_etag
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from games.people.identity import player_of
from tournaments.access import club_by_key, club_for
from tournaments.answers import SeeOther
from tournaments.calendar import feeds, listing
from tournaments.calendar import your_events as events
from tournaments.models import Club, FeedKey

MAX_NEXT = 30
A_PAGE = 20
YOURS = "yours"


@require_safe
def event_list(request: HttpRequest) -> HttpResponse:
    """List events; `clubs=yours` in the query: only those of one's own clubs."""
    player, now = player_of(request), timezone.now()
    events = listing.visible_to(player)
    yours = request.GET.get("clubs") == YOURS
    if yours:
        events = listing.of_own_clubs(events, player)
    page = Paginator(listing.past(events), A_PAGE).get_page(request.GET.get("page"))
    context = {
        "yours": yours,
        "belongs": player is not None and player.memberships.exists(),
        "running": listing.lines_of(listing.running(events), player, now),
        "next": listing.lines_of(listing.upcoming(events)[:MAX_NEXT], player, now),
        "past": listing.lines_of(page.object_list, player, now),
        "page": page,
    }
    return render(request, "tournaments/calendar/event_list.html", context)


MAX_AGE = 300  # seconds


@require_safe
def club_calendar(request: HttpRequest, slug: str) -> HttpResponse:
    """Return a club's calendar feed; `key` is the invitation token of an invitation-only club."""
    club = club_by_key(slug, request.GET.get("key", ""))
    if club is None:
        club = club_for(player_of(request), slug, request.session).club
    feed = feeds.club_calendar(club, timezone.now())
    return _answer(request, feed, f"{slug}.ics", public=club.joining != Club.Joining.INVITATION)


@require_safe
def player_calendar(request: HttpRequest, token: str) -> HttpResponse:
    key = get_object_or_404(FeedKey.objects.select_related("player"), token=token)
    feed = feeds.player_calendar(key.player, timezone.now())
    return _answer(request, feed, "events.ics", public=False)


def _answer(request: HttpRequest, feed: bytes, name: str, *, public: bool) -> HttpResponse:
    etag = quote_etag(sha256(feed).hexdigest()[:32])
    headers = {"ETag": etag, "Content-Disposition": f'inline; filename="{name}"'}
    found = HttpResponse(feed, content_type="text/calendar; charset=utf-8", headers=headers)
    response = get_conditional_response(request, etag, None, found) or found
    patch_cache_control(response, max_age=MAX_AGE, **{"public" if public else "private": True})
    return response


@require_safe
@never_cache
def your_events(request: HttpRequest) -> HttpResponse:
    player = player_of(request)
    if player is None or player.user_id is None:
        return render(request, "tournaments/calendar/your_events.html", {"yours": None})
    yours = events.your_events(player)
    feed = reverse("player_calendar", args=[yours["feed"]]) if yours["feed"] else ""
    context = {"yours": yours, "feed": request.build_absolute_uri(feed) if feed else ""}
    return render(request, "tournaments/calendar/your_events.html", context)


@require_POST
def renew_calendar(request: HttpRequest) -> HttpResponse:
    player = player_of(request)
    if player is not None and player.user_id is not None:
        events.renew_feed(player)
        messages.success(request, "Your calendar has a new address.")
    return SeeOther(resolve_url("your_events"))
