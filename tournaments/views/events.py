"""The list of events."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from games.services.identity import player_of
from tournaments.services import listing

MOST_NEXT = 30
A_PAGE = 20
YOURS = "yours"


@require_safe
def event_list(request: HttpRequest) -> HttpResponse:
    """List events; `clubs=yours` in the query: only of the clubs one belongs to."""
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
        "next": listing.lines_of(listing.upcoming(events)[:MOST_NEXT], player, now),
        "past": listing.lines_of(page.object_list, player, now),
        "page": page,
    }
    return render(request, "tournaments/event_list.html", context)
