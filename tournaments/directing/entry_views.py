"""Pages on which a director withdraws an entry or puts it back; each shows first what changes."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from games.models import Player
from tournaments.attendance import substitutes
from tournaments.directing import act_page, directing
from tournaments.directing.act_page import ActPage
from tournaments.directing.forms import RemarkForm
from tournaments.directing.views import directed
from tournaments.entering import leaving_running_event
from tournaments.models import Entry, Event, PairingEntry


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def withdraw_entry(request: HttpRequest, event_id: int, entry_id: int) -> HttpResponse:
    """Withdraw an entry, before the start or after it; fields `reason`, `seen`."""
    event, by, entry = _directed_entry(request, event_id, entry_id)
    seat = leaving_running_event.open_seat(entry) if event.started else None

    def verb(reason: str) -> None:
        out = leaving_running_event.withdraw if event.started else directing.withdraw
        out(entry, by, timezone.now(), reason=reason)

    words: dict[str, Any] = _words_before_start()
    if event.started:
        words = _words_while_running(event, entry, seat)
    page = ActPage(
        **words,
        title=f"Withdraw {entry.name}?",
        deed=f"Withdraw {entry.name}",
        done=f"{entry.name}: out of the event.",
        verb=verb,
        back=reverse("manage_event", args=[event.pk]),
        leads_to=_seat_to_fill(event, entry, seat),
        stop=True,
    )
    return act_page.answer(request, event, page)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def put_back_entry(request: HttpRequest, event_id: int, entry_id: int) -> HttpResponse:
    """Put a withdrawn entry back; fields `reason`, `seen`."""
    event, by, entry = _directed_entry(request, event_id, entry_id)

    def verb(reason: str) -> None:
        back = leaving_running_event.put_back if event.started else directing.reinstate
        back(entry, by, timezone.now(), reason=reason)

    page = ActPage(
        title=f"Put {entry.name} back?",
        explains="They play again from the next round that is drawn."
        if event.started
        else (
            "They get a place if one is free and nobody waits; otherwise they are on the waiting"
            " list, by their time of arrival. They get an e-mail."
        ),
        deed=f"Put {entry.name} back",
        done=f"{entry.name}: back in the event.",
        until="Can be undone until the next round is drawn."
        if event.started
        else "Can be undone until the event starts.",
        verb=verb,
        back=reverse("manage_event", args=[event.pk]),
        said=RemarkForm,
    )
    return act_page.answer(request, event, page)


def _directed_entry(
    request: HttpRequest, event_id: int, entry_id: int
) -> tuple[Event, Player, Entry]:
    """Return an entry with its event and director; raise like `directed`, Http404 without entry."""
    event, by = directed(request, event_id)
    rows = event.entries.select_related("event").prefetch_related("players__player")
    return event, by, get_object_or_404(rows, pk=entry_id)


def _words_before_start() -> dict[str, Any]:
    return {
        "explains": (
            "The place goes to the first on the waiting list. They get an e-mail, and may enter"
            " again while registration is open."
        ),
        "until": "Can be undone until the event starts, or somebody else has the place.",
    }


def _words_while_running(event: Event, entry: Entry, seat: PairingEntry | None) -> dict[str, Any]:
    """Return what a withdrawal from a running event means for its match, and what may be meant."""
    now = ""
    if seat is not None and leaving_running_event.goes_on(event, seat):
        now = " A house player plays on for them in this round."
        if seat.pairing.in_room:
            now = (
                f" Table {seat.pairing.number} plays with real cards, so no house player sits in:"
                " its match goes on without them, and the table waits until you let somebody sit"
                " in."
            )
    elif seat is not None:
        number = seat.pairing.number
        now = f" They lose the match at table {number}, which is not finished."
    words: dict[str, Any] = {
        "explains": f"Their finished matches count.{now} You can put them back for a later round.",
        "until": "Can be undone until the next round is drawn.",
    }
    running = event.state == Event.State.RUNNING
    if running and substitutes.can_be_replaced(event, entry):
        words["rather"] = (
            "Does somebody else play on? Then put a substitute in instead: results and points stay"
            " with the place in the event."
        )
        words["instead"] = tuple(
            (f"Find a substitute for {one.player.name}", _find_for(event, one.pk))
            for one in entry.players.all()
        )
    return words


def _seat_to_fill(event: Event, entry: Entry, seat: PairingEntry | None) -> str:
    """Return the path to who sits in at a match that goes on in the room; else an empty string."""
    if seat is None or not (seat.pairing.in_room and leaving_running_event.goes_on(event, seat)):
        return ""
    return _find_for(event, entry.players.all()[0].pk)


def _find_for(event: Event, seat: int) -> str:
    return f"{reverse('find_people', args=[event.pk])}?seat={seat}"
