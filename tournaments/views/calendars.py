"""Calendar feeds, as calendar programs fetch them again and again."""

from hashlib import sha256

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.http import quote_etag
from django.views.decorators.http import require_safe

from games.services.identity import player_of
from tournaments.access import club_by_key, club_for
from tournaments.models import Club, FeedKey
from tournaments.services import calendar

MAX_AGE = 300  # seconds


@require_safe
def club_calendar(request: HttpRequest, slug: str) -> HttpResponse:
    """Answer with a club's calendar; `key` opens that of a club joined by invitation."""
    club = club_by_key(slug, request.GET.get("key", ""))
    if club is None:
        club = club_for(player_of(request), slug, request.session).club
    feed = calendar.club_calendar(club, timezone.now())
    return _answer(request, feed, f"{slug}.ics", public=club.joining != Club.Joining.INVITATION)


@require_safe
def player_calendar(request: HttpRequest, token: str) -> HttpResponse:
    """Answer with the calendar of the player whose secret word this is."""
    key = get_object_or_404(FeedKey.objects.select_related("player"), token=token)
    feed = calendar.player_calendar(key.player, timezone.now())
    return _answer(request, feed, "events.ics", public=False)


def _answer(request: HttpRequest, feed: bytes, name: str, *, public: bool) -> HttpResponse:
    etag = quote_etag(sha256(feed).hexdigest()[:32])
    headers = {"ETag": etag, "Content-Disposition": f'inline; filename="{name}"'}
    found = HttpResponse(feed, content_type="text/calendar; charset=utf-8", headers=headers)
    response = get_conditional_response(request, etag, None, found) or found
    patch_cache_control(response, max_age=MAX_AGE, **{"public" if public else "private": True})
    return response
