"""Feeds of results, and the pictures of previews."""

from typing import Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe

from games.answers import unless_known
from games.sharing.pictures import digest
from games.sharing.previews import answer
from tournaments.models import Club, Event
from tournaments.sharing import previews
from tournaments.sharing.feeds import ClubResults

MAX_AGE: Final = 300  # seconds
_feed = ClubResults()


@require_safe
def club_results_feed(request: HttpRequest, slug: str) -> HttpResponse:
    feed = _feed(request, slug=slug)
    public = previews.is_everybodys(get_object_or_404(Club, slug=slug))
    response = unless_known(request, feed, digest(feed.content))
    patch_cache_control(response, max_age=MAX_AGE, **{"public" if public else "private": True})
    return response


@require_safe
def club_picture(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the picture of a club that everybody may see, or 404."""
    preview = previews.of_club(get_object_or_404(Club, slug=slug))
    if preview is None:
        raise Http404
    return answer(request, preview)


@require_safe
def event_picture(request: HttpRequest, event_id: int) -> HttpResponse:
    """Send the picture of an event that everybody may see, or 404."""
    event = get_object_or_404(Event.objects.select_related("club"), pk=event_id)
    preview = previews.of_event(event)
    if preview is None:
        raise Http404
    return answer(request, preview)
