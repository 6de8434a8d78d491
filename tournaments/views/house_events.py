"""The form by which a director lets house players play an event to watch."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import resolve_url
from django.utils import timezone
from django.views.decorators.http import require_POST

from games.engine.rules import RULE_SETS
from games.services.identity import player_of
from tournaments.access import club_for
from tournaments.refusals import RefusedError
from tournaments.services import house_events
from tournaments.views.answers import SeeOther, refused


@require_POST
def watch_house_players(request: HttpRequest, slug: str) -> HttpResponse:
    """Begin an event of house players under the published rule set of field `rules`."""
    player = player_of(request)
    access = club_for(player, slug, request.session)
    back = resolve_url("club", slug)
    key = request.POST.get("rules", "")
    try:
        if player is None or not access.directs:
            raise RefusedError("rights", "Only directors of the club can do that.", 403)
        if key not in RULE_SETS:
            allowed = ", ".join(house_events.RULES)
            raise RefusedError("rules", f"Choose one of {allowed}.", 422)
        event = house_events.watch_now(access.club, player, RULE_SETS[key], timezone.now())
    except RefusedError as error:
        return refused(request, error, back)
    return SeeOther(resolve_url("event", event.pk))
