"""The page on which a director finds people and decides who plays tonight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.answers import page_or_part
from games.models import Player
from games.numbers import parse_number
from tournaments.acts import after, entering
from tournaments.acts.page import directed
from tournaments.answers import refused_at
from tournaments.attendance import substitutes
from tournaments.console import door, finding
from tournaments.events.states import UPCOMING
from tournaments.events.timetable import checking_in
from tournaments.models import Entry, Event, PairingEntry
from tournaments.search.folding import fold
from tournaments.search.searching import MAX_LENGTH


@require_safe
@never_cache
@refused_at("find_people", "event_id")
def find_people(request: HttpRequest, event_id: int) -> HttpResponse:
    """List people, or show a table, by field `q`, with what can be done for them.

    Field `player`, `listed` or `name`: a member, somebody on the club's list or somebody new, who
    is to be entered together with the one to be found. Field `seat`: the seat for which a
    substitute is sought; `found`: what was searched for before.
    """
    event, by = directed(request, event_id)
    text = request.GET.get("q", "").replace("\0", "").strip()[:MAX_LENGTH]
    number = parse_number(request.GET.get("seat", ""))
    chosen = entering.people_in(event, request.GET)
    seat = entering.seat_in(event, number) if number is not None else None
    open_to_walk_ins = event.state in (*UPCOMING, Event.State.RUNNING)
    found = finding.find(event, text)
    context = {
        "event": event,
        "q": text,
        "found": found,
        "seat": seat,
        "before": after.found_in(request),
        "lines": _lines(event, found.entries, by) if found else [],
        "house_seat": substitutes.seat_of_house(event) if found and found.members else None,
        "chosen": chosen,
        "with": f"{urlencode(entering.fields_of(chosen))}&" if chosen else "",
        "walk_in": open_to_walk_ins
        and event.place != Event.Place.ONLINE
        and (found is None or found.named)
        and not (found and any(fold(one.name) == fold(text) for one in found.listed))
        and text,
        "alone": event.team_size == len(chosen) + 1,
        "checking_in": checking_in(event, timezone.now()),
    }
    page, part = "tournaments/console/people.html", "tournaments/console/_people.html"
    return page_or_part(request, page, part, context)


def _lines(event: Event, entries: Sequence[Entry], by: Player) -> list[dict[str, Any]]:
    """Return entries as at the door, with their seats in the latest round of a running event."""
    latest = event.played_rounds.order_by("-number").first()
    seats = PairingEntry.objects.filter(round=latest, entry__in=entries, round__event=event)
    at = {one.entry_id: one for one in seats.select_related("pairing__round")}
    guests = {one.entry.pk: one for one in door.guests_of(event, by, timezone.now(), entries)}
    return [
        {
            "guest": guests[one.pk],
            "seat": at.get(one.pk) if event.state == Event.State.RUNNING else None,
            "latest": latest,
            "replaceable": guests[one.pk].running
            and not one.house
            and substitutes.can_be_replaced(event, one),
        }
        for one in entries
    ]
