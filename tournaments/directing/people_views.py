"""Pages on which a director finds people and decides who plays tonight."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from games.answers import page_or_part
from games.models import Player
from games.numbers import parse_number
from tournaments.answers import SeeOther, refused
from tournaments.attendance import newcomers, substitutes
from tournaments.directing import after_acts, finding, previews
from tournaments.directing.forms import ReasonForm, RemarkForm
from tournaments.directing.views import directed
from tournaments.entering import partners
from tournaments.events import event_words
from tournaments.events.states import UPCOMING
from tournaments.events.timetable import checking_in
from tournaments.models import Entry, EntryPlayer, Event
from tournaments.refusals import RefusedError
from tournaments.results import place_owners
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
    """List people, or show a table, by field `q`, with what can be done for them.

    Field `player` or `name`: a member, or a walk-in, who is to be entered together with the one to
    be found. Field `seat`: the seat for which a substitute is sought; `found`: what was searched
    for before.
    """
    event, by = directed(request, event_id)
    text = request.GET.get("q", "").replace("\0", "").strip()[:MAX_LENGTH]
    chosen = _people(event, request.GET)
    open_to_walk_ins = event.state in (*UPCOMING, Event.State.RUNNING)
    number = parse_number(request.GET.get("seat", ""))
    seat = _seat(event, number) if number is not None else None
    found = finding.find(event, text, by, timezone.now())
    context = {
        "event": event,
        "q": text,
        "found": found,
        "seat": seat,
        "before": after_acts.found_in(request),
        "house_seat": substitutes.seat_of_house(event) if found and found.members else None,
        "chosen": chosen,
        "with": f"{_query(chosen)}&" if chosen else "",
        "walk_in": open_to_walk_ins
        and event.place != Event.Place.ONLINE
        and (found is None or found.named)
        and text,
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

    Fields: `player` for each member, `name` for each walk-in; `reason`; `seen`, the digest of the
    preview that was shown.
    """
    event, by = directed(request, event_id)
    fields = request.POST if request.method == "POST" else request.GET
    people = _people(event, fields)
    form = RemarkForm(fields if request.method == "POST" else None)
    entered: list[Entry] = []

    def enter() -> None:
        reason = form.cleaned_data["reason"] if form.is_bound else ""
        entered.append(newcomers.enter(event, people, by, timezone.now(), reason=reason))

    if form.is_valid():
        act = previews.carry_out(event, enter, request.POST.get("seen", ""))
        after_acts.say_done(request, event, f"{_names(people)}: in the event.", act)
        for walk_in in event.walk_ins.filter(player__entries__entry=entered[0]):
            messages.success(request, f"Code of {walk_in}: {walk_in.spaced_code}")
        return SeeOther(after_acts.back_to(request, event))
    context: dict[str, Any] = {
        "event": event,
        "form": form,
        "title": f"Enter {_names(people)}",
        "people": people,
        "late_rule": event_words.late_rule(event),
        "found": after_acts.found_in(request),
        "back": after_acts.back_to(request, event),
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


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@_explained
def substitute(request: HttpRequest, event_id: int, seat_id: int) -> HttpResponse:
    """Show what giving somebody's seat to a substitute would change; or do it.

    Fields: `player` or `name`, the member or the walk-in; `reason`; `seen`, the digest of the
    preview that was shown.
    """
    event, by = directed(request, event_id)
    seat = _seat(event, seat_id)
    fields = request.POST if request.method == "POST" else request.GET
    people = _people(event, fields)[:1]
    form = ReasonForm(fields if request.method == "POST" else None)
    if not people:
        raise RefusedError("nobody", "Say who takes the seat: a member, or a walk-in’s name.", 422)
    rounds: list[int] = []

    def put_in() -> None:
        reason = form.cleaned_data["reason"] if form.is_valid() else "–"
        verb = substitutes.substitute
        rounds.append(verb(seat, people[0], by, timezone.now(), reason=reason))

    names = f"{people[0]} in for {seat.player.name}"
    if form.is_valid():
        act = previews.carry_out(event, put_in, request.POST.get("seen", ""))
        words = f"{people[0]} plays for {seat.player.name}."
        after_acts.say_done(request, event, words, act)
        return SeeOther(after_acts.back_to(request, event))
    context: dict[str, Any] = {"event": event, "form": form, "people": people, "seat": seat}
    context |= {
        "found": after_acts.found_in(request),
        "back": after_acts.back_to(request, event),
    }
    context["title"] = f"Put {names}"
    context["owner"] = place_owners.owner_after(seat)
    try:
        context["preview"] = previews.preview(event, put_in)
        context["round"] = rounds[-1]
    except RefusedError as error:
        context["refusal"] = error
    status = 422 if form.errors else 200
    return render(request, "tournaments/directing/substitute.html", context, status=status)


def _seat(event: Event, number: int) -> EntryPlayer:
    """Return a seat of an entry; raise RefusedError ``unknown``, 404, if the event has none."""
    seat = (
        event.entered_players.filter(pk=number).select_related("event", "entry", "player").first()
    )
    if seat is None:
        raise RefusedError("unknown", "This event has no such seat.", 404)
    return seat


def _people(event: Event, fields: QueryDict) -> list[Player | str]:
    """Return the members that fields `player` name, and the names of walk-ins in fields `name`.

    Raises RefusedError ``unknown``, 422.
    """
    sent = [parse_number(one) for one in fields.getlist("player")]
    numbers = [number for number in sent if number is not None]
    names = [one.replace("\0", "")[:MAX_LENGTH] for one in fields.getlist("name") if one.strip()]
    members = [partners.member(event, number) for number in numbers[: event.team_size]]
    return [*members, *names[: event.team_size]]


def _names(people: Sequence[Player | str]) -> str:
    return " and ".join(map(str, people))


def _query(people: Sequence[Player | str]) -> str:
    """Return people as the query of a page that reads them as `_people` does."""
    return urlencode(
        [("name", one) if isinstance(one, str) else ("player", one.pk) for one in people]
    )
