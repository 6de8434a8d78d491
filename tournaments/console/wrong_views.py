"""The page "Something went wrong": what happened, in a director's words, and the way to mend it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments.acts import drawing_again
from tournaments.acts.page import directed
from tournaments.models import Event


@require_safe
@never_cache
def something_wrong(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show what may have gone wrong; each case leads to where the acts are that mend it."""
    event, _by = directed(request, event_id)
    latest = event.played_rounds.order_by("-number").first()
    context: dict[str, object] = {"event": event}
    if event.state != Event.State.RUNNING or latest is None:
        return render(request, "tournaments/console/wrong.html", context, status=409)
    context["latest"] = latest
    context["can_be_taken_back"] = drawing_again.can_be_taken_back(event, latest)
    return render(request, "tournaments/console/wrong.html", context)
