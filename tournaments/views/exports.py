"""All of an event to take away."""

import hashlib

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from games.services.identity import player_of
from tournaments.access import event_for
from tournaments.services.exports import EXPORTS, as_csv, as_json

KINDS = {
    "csv": (as_csv, "text/csv; charset=utf-8"),
    "json": (as_json, "application/json"),
}


@require_safe
@cache_control(private=True, no_cache=True)
def event_export(request: HttpRequest, event_id: int, what: str, kind: str) -> HttpResponse:
    """Answer with entries, pairings, results or standings, as CSV or JSON.

    The ETag holds the event's version, and a digest since names change without it.
    """
    event = event_for(player_of(request), event_id, request.session).event
    if what not in EXPORTS or kind not in KINDS:
        raise Http404
    write, content_type = KINDS[kind]
    content = write(event, what).encode()
    etag = f'"{event.version}-{hashlib.sha256(content).hexdigest()[:16]}"'
    response = HttpResponse(content, content_type=content_type)
    response["ETag"] = etag
    response["Content-Disposition"] = f'attachment; filename="event-{event.pk}-{what}.{kind}"'
    return get_conditional_response(request, etag=etag, response=response) or response
