"""The page of a walk-in: where to go now, by the code on the card."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.answers import page_or_part
from games.people import limits
from tournaments.event_page import own_status, page_values
from tournaments.models import WalkIn
from tournaments.models.walk_ins import CODE_LENGTH
from tournaments.refusals import RefusedError

WRONG: Final = (
    "No walk-in has this code. It has {length} letters and digits, never 0, 1, A, B, E, I, L, O, S,"
    " U or Z: compare it with the card, or ask the director for it."
)
TOO_MANY: Final = "Too many wrong codes from your network. Try again in ten minutes."


@require_safe
@never_cache
def walk_in(request: HttpRequest, code: str = "") -> HttpResponse:
    """Show where a walk-in goes now; without a code, in the address or the query, ask for it."""
    typed = code or request.GET.get("code", "")
    context: dict[str, object] = {"typed": typed[:20]}
    if not typed:
        return render(request, "tournaments/attendance/code.html", context)
    try:
        found = walk_in_by_code(request, typed)
    except RefusedError as error:
        context["error"] = error.message
        return render(request, "tournaments/attendance/code.html", context, status=error.status)
    shown = page_values.read(found.event, timezone.now())
    context |= {
        "walk_in": found,
        "event": found.event,
        "page": shown,
        "mine": own_status.status_of(shown, found.player_id),
        "entry": found.event.entries.filter(players__player=found.player).first(),
    }
    page, part = "tournaments/attendance/walk_in.html", "tournaments/attendance/_where.html"
    return page_or_part(request, page, part, context)


def walk_in_by_code(request: HttpRequest, typed: str) -> WalkIn:
    """Return the walk-in with a code; raise RefusedError if it is wrong, or too many were."""
    if not limits.may_try_code(request):
        raise RefusedError("too_many_codes", TOO_MANY, status=429)
    code = "".join(letter for letter in typed.upper() if letter.isalnum())
    found = WalkIn.objects.select_related("event__club", "player").filter(code=code).first()
    if found is None:
        limits.count_wrong_code(request)
        raise RefusedError("wrong_code", WRONG.format(length=CODE_LENGTH), status=404)
    return found
