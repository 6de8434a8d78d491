"""The page for the screen in the room."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.answers import page_or_part
from tournaments.access import event_of
from tournaments.joining.joining import address_of, event_by_code
from tournaments.projector import screens
from tournaments.refusals import RefusedError


@require_safe
@never_cache
def projector(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show the pictures by turns; without scripts all of them, one below the other."""
    access, now = event_of(request, event_id), timezone.now()
    context = {
        "event": access.event,
        "club": access.event.club,
        "screen": screens.read(access.event, now),
        "now": round(1000 * now.timestamp()),
        "link": address_of(access.event),
        "join": f"{urlsplit(settings.SITE_URL).netloc}{resolve_url('join_event')}",
    }
    return page_or_part(
        request,
        "tournaments/projector/projector.html",
        "tournaments/projector/_screens.html",
        context,
    )


@require_safe
@never_cache
def projector_by_code(request: HttpRequest, code: str) -> HttpResponse:
    """Lead to the screen of an event by its code, which is quickly typed on a television."""
    try:
        return redirect("projector", event_by_code(request, code).pk)
    except RefusedError as error:
        context = {"message": error.message, "back": resolve_url("join_event")}
        return render(request, "refused.html", context, status=error.status)
