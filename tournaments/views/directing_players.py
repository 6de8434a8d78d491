"""What a director does with the entries and the results of an event."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games.models import Player
from tournaments.forms.directing import ResultForm
from tournaments.models import Entry, Event, Pairing
from tournaments.refusals import RefusedError
from tournaments.services import (
    correcting,
    corrections,
    desk,
    manage_page,
    own_table,
    possible,
    withdrawing,
)
from tournaments.services.match_lines import MatchLine
from tournaments.views.answers import SeeOther, refused
from tournaments.views.directing import directed


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def set_result(request: HttpRequest, event_id: int, number: int, table: int) -> HttpResponse:
    """Set or correct the result of a match; fields `winner`, `ended`, the points, `reason`."""
    event, by = directed(request, event_id)
    found = manage_page.match_at(event, number, table)
    if found is None:
        raise Http404
    pairing, match = found
    try:
        own_table.check_result(event, pairing, by)
    except RefusedError as error:
        return refused(request, error, resolve_url("manage_event", event.pk))
    posted = request.POST if request.method == "POST" else None
    initial = _stands(event, pairing, match)
    form = ResultForm(posted, initial=initial, event=event, pairing=pairing, match=match)
    status = 200 if posted is None else 422
    if form.is_valid():
        reason = form.cleaned_data["reason"]
        try:
            correcting.set_result(pairing, by, form.ruling, reason=reason, now=timezone.now())
        except RefusedError as error:
            form.add_error(None, error.message)
            status = error.status
        else:
            messages.success(request, f"The result of table {table} is set.")
            back = resolve_url("manage_event", event.pk)
            return SeeOther(f"{back}?round={number}")
    context = {"event": event, "match": match, "pairing": pairing, "form": form}
    context["corrections"] = [
        {"row": one, "before": corrections.told(one.before), "after": corrections.told(one.after)}
        for one in pairing.corrections.select_related("by")
    ]
    return render(request, "tournaments/manage_result.html", context, status=status)


@require_safe
@never_cache
def manage_entry(request: HttpRequest, event_id: int, entry_id: int) -> HttpResponse:
    """Ask whether an entry is to be taken out, and say what follows."""
    event, by = directed(request, event_id)
    page = manage_page.read(event, by, timezone.now())
    line = next((line for line in page.desk.lines if line.entry_id == entry_id), None)
    if line is None:
        raise Http404
    if line.kept:
        entry = get_object_or_404(Entry, event=event, pk=entry_id)
        try:
            own_table.check_withdrawal(event, entry, by)
        except RefusedError as error:
            return refused(request, error, resolve_url("manage_event", event.pk))
    return render(
        request, "tournaments/manage_entry.html", {"event": event, "page": page, "line": line}
    )


@require_POST
def withdraw_entry(request: HttpRequest, event_id: int, entry_id: int) -> HttpResponse:
    """Take an entry out, before the start or after it."""

    def out(entry: Entry, by: Player, now: datetime) -> None:
        verb = withdrawing.withdraw if entry.event.started else desk.take_out
        verb(entry, by, now)

    return _do(request, event_id, entry_id, out, "out of the event")


@require_POST
def put_back_entry(request: HttpRequest, event_id: int, entry_id: int) -> HttpResponse:
    """Let an entry play on that was withdrawn."""
    return _do(request, event_id, entry_id, withdrawing.put_back, "back in the event")


@require_POST
def check_in_entry(request: HttpRequest, event_id: int, entry_id: int) -> HttpResponse:
    """Say for an entry that it is there."""
    return _do(request, event_id, entry_id, desk.check_in, "checked in")


def _do(
    request: HttpRequest,
    event_id: int,
    entry_id: int,
    verb: Callable[[Entry, Player, datetime], None],
    done: str,
) -> HttpResponse:
    event, by = directed(request, event_id)
    entries = Entry.objects.select_related("event").prefetch_related("players__player")
    entry = get_object_or_404(entries, event=event, pk=entry_id)
    back = resolve_url("manage_event", event.pk)
    try:
        verb(entry, by, timezone.now())
    except RefusedError as error:
        return refused(request, error, back)
    messages.success(request, f"{entry.name}: {done}.")
    return SeeOther(back)


def _stands(event: Event, pairing: Pairing, match: MatchLine) -> dict[str, object]:
    """The result as it is, to begin the form with."""
    values = correcting.result_of(event, pairing)
    stands: dict[str, object] = {}
    scores = values["scores"]
    if pairing.state == Pairing.State.DECIDED:
        stands = {"winner": str(pairing.winner), "ended": values["ended"]}
    else:
        scores = [game.score for game in match.games]
        if possible.most_games(event, pairing) == 1 and scores:
            scores = [[sum(score[side] for score in scores) for side in (0, 1)]]
    for game, score in enumerate(scores):
        for side in (0, 1):
            stands[possible.field(event, pairing, game, side)] = score[side]
    return stands
