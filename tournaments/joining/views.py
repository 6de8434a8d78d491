"""The page where a code is typed, and the addresses that QR codes hold."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.people.identity import player_of
from tournaments.entering import entry_panel
from tournaments.joining.joining import event_by_code, page_by_code
from tournaments.models.events import JOIN_LENGTH
from tournaments.refusals import RefusedError


@require_safe
@never_cache
def here(request: HttpRequest, code: str) -> HttpResponse:
    """Ask who stands in the hall to check in: the page of the poster, which changes nothing."""
    try:
        event = event_by_code(request, code)
    except RefusedError as error:
        context: dict[str, object] = {"typed": code[:20], "length": JOIN_LENGTH}
        context["error"] = error.message
        return render(request, "tournaments/joining/join.html", context, status=error.status)
    player = player_of(request)
    shown = {"event": event, "panel": entry_panel.panel(event, player, timezone.now())}
    return render(request, "tournaments/joining/here.html", shown)


@require_safe
@never_cache
def join(request: HttpRequest, code: str = "") -> HttpResponse:
    """Ask for an event's code; with one, in the address or the query, lead to its page."""
    typed = code or request.GET.get("code", "")
    context: dict[str, object] = {"typed": typed[:20], "length": JOIN_LENGTH}
    if not typed:
        return render(request, "tournaments/joining/join.html", context)
    try:
        return redirect(page_by_code(request, typed))
    except RefusedError as error:
        context["error"] = error.message
        return render(request, "tournaments/joining/join.html", context, status=error.status)
