"""The page where a code is typed, and the addresses that QR codes hold."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments.joining.joining import event_by_code
from tournaments.models.events import JOIN_LENGTH
from tournaments.refusals import RefusedError


@require_safe
@never_cache
def join(request: HttpRequest, code: str = "") -> HttpResponse:
    """Ask for an event's code; with one, in the address or the query, lead to the event's page."""
    typed = code or request.GET.get("code", "")
    context: dict[str, object] = {"typed": typed[:20], "length": JOIN_LENGTH}
    if not typed:
        return render(request, "tournaments/joining/join.html", context)
    try:
        return redirect("event", event_by_code(request, typed).pk)
    except RefusedError as error:
        context["error"] = error.message
        return render(request, "tournaments/joining/join.html", context, status=error.status)
