"""Pages on which a director finds people and decides who plays tonight."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from games.answers import page_or_part
from games.models import Player
from tournaments.answers import SeeOther, refused
from tournaments.attendance import newcomers
from tournaments.directing import finding, previews
from tournaments.directing.forms import RemarkForm
from tournaments.directing.views import directed
from tournaments.entering import partners
from tournaments.events import event_words
from tournaments.events.timetable import checking_in
from tournaments.models import Event
from tournaments.refusals import RefusedError
from tournaments.search.searching import MAX_LENGTH


def _explained(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Answer a RefusedError of the view with its words and status."""

    @wraps(view)
    def explaining(request: HttpRequest, event_id: int, **kwargs: int) -> HttpResponse:
        try:
            return view(request, event_id, **kwargs)
        except RefusedError as error:
            return refused(request, error, resolve_url("find_people", event_id))

    return explaining


@require_safe
@never_cache
@_explained
def find_people(request: HttpRequest, event_id: int) -> HttpResponse:
    """List people by the beginnings of their names, field `q`, with what can be done for them.

    Field `player`: a member who is to be entered together with the one to be found.
    """
    event, _by = directed(request, event_id)
    text = request.GET.get("q", "").replace("\0", "").strip()[:MAX_LENGTH]
    chosen = _members(event, request.GET)
    context = {
        "event": event,
        "q": text,
        "found": finding.find(event, text),
        "chosen": chosen,
        "alone": event.team_size == len(chosen) + 1,
        "checking_in": checking_in(event, timezone.now()),
    }
    page, part = "tournaments/directing/people.html", "tournaments/directing/_people.html"
    return page_or_part(request, page, part, context)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@_explained
def enter_people(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show what entering members would change, or why it is not possible; or enter them.

    Fields: `player`, once for each; `reason`; `seen`, the digest of the preview that was shown.
    """
    event, by = directed(request, event_id)
    fields = request.POST if request.method == "POST" else request.GET
    people = _members(event, fields)
    form = RemarkForm(fields if request.method == "POST" else None)
    back = resolve_url("manage_event", event.pk)

    def enter() -> None:
        reason = form.cleaned_data["reason"] if form.is_bound else ""
        newcomers.enter(event, people, by, timezone.now(), reason=reason)

    if form.is_valid():
        previews.carry_out(event, enter, request.POST.get("seen", ""))
        messages.success(request, f"{_names(people)}: in the event.")
        return SeeOther(back)
    context: dict[str, Any] = {
        "event": event,
        "form": form,
        "title": f"Enter {_names(people)}",
        "players": people,
        "late_rule": event_words.late_rule(event),
    }
    if event.state == Event.State.RUNNING:
        context["round"] = event.played_rounds.count() + 1
        context["title"] = f"Let {_names(people)} in from round {context['round']}"
    try:
        context["preview"] = previews.preview(event, enter)
    except RefusedError as error:
        context["refusal"] = error
    status = 422 if form.errors else 200
    return render(request, "tournaments/directing/enter.html", context, status=status)


def _members(event: Event, fields: QueryDict) -> list[Player]:
    """Return the members that fields `player` name; raise RefusedError ``unknown``, 422."""
    numbers = [int(one) for one in fields.getlist("player") if re.fullmatch("[0-9]{1,18}", one)]
    return [partners.member(event, number) for number in numbers[: event.team_size]]


def _names(people: Sequence[Player]) -> str:
    return " and ".join(one.name for one in people)
