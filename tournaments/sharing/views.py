"""Feeds of results, the pictures of previews, and pages in frames of other sites."""

from typing import Final

from csp.constants import NONE
from csp.decorators import csp_replace
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render, resolve_url
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from games.answers import unless_known
from games.sharing.pictures import digest
from games.sharing.previews import answer
from tournaments.clubs import club_pages
from tournaments.event_page import page_values
from tournaments.events import event_words
from tournaments.models import Club, Event
from tournaments.seasons import season_table, seasons
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


#: Lines of a season's table in a frame.
LEADERS: Final = 10


@require_safe
@xframe_options_exempt  # the policy names who may
def club_frame(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Show a club's next events, its season and its results to sites that the club has named."""
    club = get_object_or_404(Club, slug=slug)
    now = timezone.now()
    season = seasons.seasons_of(club, now)[0]
    context = {
        "events": club_pages.next_events(club, None, now, drafts=False),
        "results": club_pages.latest_results(club, None, now),
        "season": season,
        "table": season_table.table(club, season)[:LEADERS],
        "page_url": resolve_url("club", slug),
    }
    return _framed(request, club, "tournaments/sharing/club_frame.html", context)


@require_safe
@xframe_options_exempt  # the policy names who may
def event_frame(request: HttpRequest, event_id: int) -> HttpResponseBase:
    """Show an event's standings and bracket to sites that its club has named."""
    events = Event.objects.select_related("club").exclude(state=Event.State.DRAFT)
    event = get_object_or_404(events, pk=event_id)
    context = {
        "event": event,
        "page": page_values.read(event, timezone.now()),
        "entrant": event_words.entrant(event),
        "page_url": resolve_url("event", event_id),
    }
    return _framed(request, event.club, "tournaments/sharing/event_frame.html", context)


def _framed(
    request: HttpRequest, club: Club, template: str, context: dict[str, object]
) -> HttpResponseBase:
    """Draw a page for frames at the club's sites; raise Http404 if it has named none.

    The page is the same for everybody, has no scripts and asks for nothing, so that nobody can be
    tricked into pressing anything by what lies over it.
    """
    sites = club.embedding_sites.split() if previews.is_everybodys(club) else []
    if not sites:
        raise Http404
    response = render(request, template, context | {"club": club, "me": None, "own": None})
    patch_cache_control(response, max_age=MAX_AGE, public=True)
    policy = {"frame-ancestors": sites, "script-src": [NONE]}
    return csp_replace(policy)(lambda _: response)(request)
