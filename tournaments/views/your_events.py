"""A player's own page of events: what he has entered, his calendar, his clubs' news."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from games.services.identity import player_of
from tournaments.services import your_events as events
from tournaments.views.answers import SeeOther


@require_safe
@never_cache
def your_events(request: HttpRequest) -> HttpResponse:
    """Show the visitor's entries; one without an account is told how to get one."""
    player = player_of(request)
    if player is None or player.user_id is None:
        return render(request, "tournaments/your_events.html", {"yours": None})
    yours = events.your_events(player)
    feed = reverse("player_calendar", args=[yours.feed]) if yours.feed else ""
    context = {"yours": yours, "feed": request.build_absolute_uri(feed) if feed else ""}
    return render(request, "tournaments/your_events.html", context)


@require_POST
def renew_calendar(request: HttpRequest) -> HttpResponse:
    """Give the visitor's calendar an address, or another one."""
    player = player_of(request)
    if player is not None and player.user_id is not None:
        events.renew_feed(player)
        messages.success(request, "Your calendar has a new address.")
    return SeeOther(resolve_url("your_events"))
