"""The page that a director's phone opens by an entry's code, and checks that entry in with."""

from __future__ import annotations

from datetime import datetime

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tournaments.access import event_if_shown
from tournaments.acts import checking_in as acts
from tournaments.answers import SeeOther, refused_at
from tournaments.entering import check_in_codes
from tournaments.events.states import UPCOMING
from tournaments.events.timetable import check_in_opens, checking_in
from tournaments.models import Act, Entry, Event
from tournaments.models.entries import COMPLETE
from tournaments.times import local_time_in_words

PAGE = "tournaments/console/check_in.html"


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@refused_at("check_in_by_code", "here_code")
def check_in_by_code(request: HttpRequest, here_code: str) -> HttpResponse:
    """Show a director whose code it is, and check them in with POST, which is safe to repeat.

    Whoever does not direct the event learns nothing about the entry.
    """
    entry = check_in_codes.entry_by(here_code)
    if entry is None:
        return render(request, PAGE, {"unknown": True}, status=404)
    access = event_if_shown(request, entry.event)
    if access is not None and access.held_back:
        raise PermissionDenied  # which leads them to set up two steps
    if access is None or access.player is None or not access.directs:
        context: dict[str, object] = {"closed": True, "access": access, "back": request.path}
        return render(request, PAGE, context, status=403)
    now = timezone.now()
    if request.method == "POST":
        acts.check_in(entry, access.player, now)
        return SeeOther(resolve_url("check_in_by_code", here_code))
    context = {
        "entry": entry,
        "event": entry.event,
        "here": check_in_codes.is_here(entry),
        "why_not": why_not(entry, now),
        "act": _latest_act(entry),
    }
    return render(request, PAGE, context)


def why_not(entry: Entry, now: datetime) -> str:
    """Return why an entry cannot be checked in now, or an empty string."""
    event, name = entry.event, entry.name
    if event.state == Event.State.CANCELLED:
        return "This event is cancelled."
    if event.ended is not None or event.state not in UPCOMING:
        over = event.ended is not None
        return f"This event {'is over' if over else 'has started, so check-in is over'}."
    if not event.check_in_minutes:
        return "This event has no check-in: everybody who has entered plays."
    if entry.state not in COMPLETE:
        return f"{name} cannot be checked in; the entry is {entry.get_state_display().lower()}."
    if not checking_in(event, now):
        opens = local_time_in_words(check_in_opens(event), event.club.zone)
        return f"Check-in for this event opens on {opens}."
    return ""


def _latest_act(entry: Entry) -> Act | None:
    """Return the act that has checked the entry in, if a director did."""
    done = entry.event.acts.filter(entry=entry, kind=Act.Kind.CHECK_IN, undone_by=None)
    return done.order_by("-pk").first()
