"""The director's page: how an event goes, and every verb of it by plain forms."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from games.models import Player
from games.services.identity import player_of
from games.views.answers import page_or_part
from tournaments.access import event_for
from tournaments.forms.directing import CancelForm, HouseForm, MinutesForm, WordsForm
from tournaments.models import Event
from tournaments.refusals import RefusedError
from tournaments.services import directing, manage_page
from tournaments.services.record import record_csv
from tournaments.views.answers import SeeOther, refused, typed

#: What a director does to an event: the event, he himself, the moment.
Verb = Callable[[Event, Player, datetime], None]


def directed(request: HttpRequest, event_id: int) -> tuple[Event, Player]:
    """Return the event and its director, who asks.

    Raises:
        Http404: he may not know of the event.
        PermissionDenied: he does not direct it.
    """
    access = event_for(player_of(request), event_id, request.session)
    if access.player is None or not access.directs:
        raise PermissionDenied
    return access.event, access.player


@require_safe
@never_cache
def manage_event(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show how an event goes; field `round` of the query: the round whose tables are shown."""
    return _page(request, *directed(request, event_id))


@require_safe
def event_record(request: HttpRequest, event_id: int) -> HttpResponse:
    """Answer with the event's whole record as CSV."""
    event, _ = directed(request, event_id)
    answer = HttpResponse(record_csv(event), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="event-{event.pk}-record.csv"'
    return answer


@require_POST
def pause_event(request: HttpRequest, event_id: int) -> HttpResponse:
    """Stop the event's clock."""
    return _do(request, event_id, directing.pause, "The event is paused; games go on.")


@require_POST
def resume_event(request: HttpRequest, event_id: int) -> HttpResponse:
    """Let the event's clock go on."""
    return _do(request, event_id, directing.resume, "The clock goes on.")


@require_POST
def end_round(request: HttpRequest, event_id: int) -> HttpResponse:
    """Let the round's time be up."""
    done = "Time is up: the tables finish by the event’s rule."
    return _do(request, event_id, directing.end_round_now, done)


@require_POST
def next_round(request: HttpRequest, event_id: int) -> HttpResponse:
    """Draw the next round without waiting."""
    return _do(request, event_id, directing.next_round_now, "The next round is being drawn.")


@require_POST
def final_now(request: HttpRequest, event_id: int) -> HttpResponse:
    """Let the results be final without waiting longer."""
    return _do(request, event_id, directing.final_now, "The results are final.")


@require_POST
def start_event(request: HttpRequest, event_id: int) -> HttpResponse:
    """Start the event before its time."""
    return _do(request, event_id, directing.start_now, "The event starts.")


@require_POST
def extend_round(request: HttpRequest, event_id: int) -> HttpResponse:
    """Move the end of the round; field `minutes`, less than 0 for an earlier end."""
    form = MinutesForm(request.POST)

    def extend(event: Event, by: Player, now: datetime) -> None:
        directing.extend_round(event, by, form.cleaned_data["minutes"], now)

    return _do(request, event_id, extend, "The end of the round is moved.", form)


@require_POST
def cancel_event(request: HttpRequest, event_id: int) -> HttpResponse:
    """Call the event off; field `reason`."""
    form = CancelForm(request.POST)

    def cancel(event: Event, by: Player, now: datetime) -> None:
        directing.cancel(event, by, form.cleaned_data["reason"], now)

    return _do(request, event_id, cancel, "The event is cancelled; everybody is told.", form)


@require_POST
def tell_event(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show words to everybody; field `text`."""
    form = WordsForm(request.POST)

    def tell(event: Event, by: Player, _now: datetime) -> None:
        directing.tell(event, by, form.cleaned_data["text"])

    return _do(request, event_id, tell, "Your words stand on the event’s page.", form)


@require_POST
def add_house_entries(request: HttpRequest, event_id: int) -> HttpResponse:
    """Let house players take free places; field `count`."""
    form = HouseForm(request.POST)

    def add(event: Event, by: Player, now: datetime) -> None:
        directing.add_house_entries(event, by, form.cleaned_data["count"], now)

    return _do(request, event_id, add, "House players have come in.", form)


def _do(
    request: HttpRequest, event_id: int, verb: Verb, done: str, form: forms.Form | None = None
) -> HttpResponse:
    """Do a verb and go back to the page; where the form is wrong, show it with what is."""
    event, by = directed(request, event_id)
    if form is not None and not form.is_valid():
        return _page(request, event, by, form)
    try:
        verb(event, by, timezone.now())
    except RefusedError as error:
        return refused(request, error, resolve_url("manage_event", event.pk))
    messages.success(request, done)
    return SeeOther(resolve_url("manage_event", event.pk))


def _page(
    request: HttpRequest, event: Event, by: Player, form: forms.Form | None = None
) -> HttpResponse:
    asked = request.GET.get("round", "")
    number = int(asked) if asked.isdecimal() and len(asked) < 5 else None

    def sent(name: str) -> QueryDict | None:
        return typed(request, resolve_url(name, event.pk))

    context = {
        "event": event,
        "page": manage_page.read(event, by, timezone.now(), number),
        "cancel_form": form if isinstance(form, CancelForm) else CancelForm(sent("cancel_event")),
        "house_form": form if isinstance(form, HouseForm) else HouseForm(sent("add_house_entries")),
        "words_form": form if isinstance(form, WordsForm) else WordsForm(sent("tell_event")),
        "minutes_form": form if isinstance(form, MinutesForm) else None,
    }
    if form is not None:
        return render(request, "tournaments/manage.html", context, status=422)
    return page_or_part(request, "tournaments/manage.html", "tournaments/_manage_now.html", context)
