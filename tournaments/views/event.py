"""The page of an event."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games.services.identity import player_of
from tournaments.access import event_for


@require_safe
def event(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show an event to whoever may see it."""
    access = event_for(player_of(request), event_id, request.session)
    return render(request, "tournaments/event.html", {"event": access.event})
