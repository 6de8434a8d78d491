"""The form by which a director lets house players play an event to watch."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from tournaments.access import club_of
from tournaments.forms.house_events import WatchForm
from tournaments.refusals import RefusedError
from tournaments.services import house_events
from tournaments.views.answers import SeeOther


@require_http_methods(["GET", "HEAD", "POST"])
def watch_house_players(request: HttpRequest, slug: str) -> HttpResponse:
    """Begin an event of house players of the format, rules, size and pace chosen."""
    access = club_of(request, slug, "direct")
    form = WatchForm(request.POST if request.method == "POST" else None)
    status = 200
    if form.is_valid() and access.player is not None:
        rules, wish = form.wish
        try:
            event = house_events.watch_now(access.club, access.player, rules, timezone.now(), wish)
        except RefusedError as error:
            form.add_error(None, error.message)
            status = error.status
        else:
            return SeeOther(resolve_url("event", event.pk))
    elif form.is_bound:
        status = 422
    context = {"form": form, "club": access.club, "access": access}
    return render(request, "tournaments/watch_house.html", context, status=status)
