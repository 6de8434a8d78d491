"""The sheet for the door: check in, take the money and enter people from one list."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from games.answers import page_or_part
from games.models import Player
from games.numbers import parse_number
from tournaments.access import event_if_shown
from tournaments.acts import checking_in, entering
from tournaments.acts.page import directed
from tournaments.answers import SeeOther, by_script, refused_at
from tournaments.attendance import newcomers
from tournaments.console import door as guests
from tournaments.console import finding
from tournaments.entering import check_in_codes
from tournaments.events.states import UPCOMING
from tournaments.events.timetable import check_in_opens
from tournaments.family_names import by_family_name, split_name
from tournaments.models import Entry, Event
from tournaments.money import paying
from tournaments.search.searching import MAX_LENGTH

#: What can be done with a row, by the name of its button, and what is said of it.
ACTS: Final[Mapping[str, tuple[Callable[[Entry, Player, datetime], None], str]]] = {
    "in": (checking_in.check_in, "checked in"),
    "out": (guests.take_back_check_in, "not checked in after all"),
    "paid": (partial(paying.tick, paid=True), "paid"),
    "unpaid": (partial(paying.tick, paid=False), "not paid"),
}


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@refused_at("door", "event_id")
def door(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show everybody of an event by family name, or do what was pressed in a row.

    Fields: `q`, a name to find, also a new one; `show`, a filter of `FILTERS`; `at`, the entry that
    is marked. A POST names an act of `ACTS` or `late`, with the entry; without one it enters
    `player`, or somebody new by `first` and `family`. A script is answered with the row alone.
    """
    event, by = directed(request, event_id)
    now, sent = timezone.now(), request.POST if request.method == "POST" else request.GET
    text = sent.get("q", "").replace("\0", "").strip()[:MAX_LENGTH]
    show = sent.get("show", "") if sent.get("show", "") in guests.FILTERS else ""
    marked, row, said = parse_number(sent.get("at", "")), False, ""
    if request.method == "POST":
        row = bool(ACTS.keys() & sent.keys())
        entry, said = _act(event, by, now, sent)
        if not by_script(request):
            messages.success(request, said)
            chosen = {"show": show, "at": entry.pk}
            return SeeOther(f"{resolve_url('door', event_id)}?{urlencode(chosen)}#guest-{entry.pk}")
        marked, text = entry.pk, ""
    everybody = guests.guests_of(event, by, now)
    there = [one for one in everybody if not one.left]
    context: dict[str, object] = {
        "event": event,
        "opens": None if not event.check_in_minutes else check_in_opens(event),
        "upcoming": event.state in UPCOMING,
        "filters": [
            (key, words, sum(one.fits(key) for one in (everybody if key else there)))
            for key, words in guests.FILTERS.items()
        ],
        "show": show,
        "q": text,
        "marked": marked,
        "there": len(there),
        "here": sum(one.here for one in everybody),
        "received": sum(one.pays and one.entry.paid is not None for one in everybody)
        * event.entry_money,
        "due": sum(one.pays for one in everybody) * event.entry_money,
        "said": said,
    }
    if row:
        context["guest"] = next(one for one in everybody if one.entry.pk == marked)
        return render(request, "tournaments/console/_door_row.html", context)
    context |= _found(event, text, everybody)
    if "found" not in context:
        context["halves"] = guests.halves([one for one in everybody if one.fits(show)])
    page, part = "tournaments/console/door.html", "tournaments/console/_door_now.html"
    return page_or_part(request, page, part, context)


@require_safe
@never_cache
def check_in_by_code(request: HttpRequest, here_code: str) -> HttpResponse:
    """Lead a director whose phone has scanned an entry's code to its row.

    Whoever does not direct the event learns nothing about the entry.
    """
    page = "tournaments/console/check_in.html"
    entry = check_in_codes.entry_by(here_code)
    if entry is None:
        return render(request, page, {"unknown": True}, status=404)
    access = event_if_shown(request, entry.event)
    if access is not None and access.held_back:
        raise PermissionDenied  # which leads them to set up two steps
    if access is None or not access.directs:
        return render(request, page, {"access": access, "back": request.path}, status=403)
    path = resolve_url("door", entry.event_id)
    return redirect(f"{path}?at={entry.pk}#guest-{entry.pk}")


def _act(event: Event, by: Player, now: datetime, sent: QueryDict) -> tuple[Entry, str]:
    """Do what was pressed; return the entry and what was done."""
    pressed = next((one for one in (*ACTS, "late") if one in sent), "")
    if not pressed:
        name = " ".join(sent.get(one, "").strip() for one in ("first", "family")).strip()
        people = [*entering.people_in(event, sent), *([name] if name else [])]
        entry = newcomers.enter(event, people, by, now)
        waits = entry.state == Entry.State.WAITING
        return entry, f"{entry.name}: {'on the waiting list' if waits else 'in the event'}."
    rows = event.entries.select_related("event").prefetch_related("players__player")
    entry = get_object_or_404(rows, pk=parse_number(sent.get(pressed, "")) or 0, house=False)
    if pressed == "late":
        people = [line.player for line in entry.players.all()]
        return newcomers.enter(event, people, by, now), f"{entry.name}: let in."
    verb, words = ACTS[pressed]
    verb(entry, by, now)
    return entry, f"{entry.name}: {words}."


def _found(event: Event, text: str, everybody: list[guests.Guest]) -> dict[str, object]:
    """Return who is found in the event and on the club's list, and the name as somebody new."""
    found = finding.find(event, text) if text else None
    if found is None or found.table or found.no_table:
        return {"no_table": bool(found)}
    inside = {one.pk for one in found.entries}
    nights = guests.nights_of(event, found.members)
    club: list[Any] = [
        (one, "player", "Member", *nights.get(one.pk, (0, None))) for one in found.members
    ]
    row: Any  # with the nights counted
    for row in found.listed:
        kind = "Has an account" if row.player_id else "On paper"
        club.append((row, "listed", kind, row.night_count, row.last_night))
    family, first = split_name(text)
    return {
        "found": [one for one in everybody if one.entry.pk in inside],
        "club": sorted(club, key=lambda one: by_family_name(one[0].name)),
        "can_enter": event.state in (*UPCOMING, Event.State.RUNNING),
        "walk_in": event.place != Event.Place.ONLINE and found.named and event.team_size == 1,
        "family": family[:1].upper() + family[1:],
        "first": first[:1].upper() + first[1:],
    }
