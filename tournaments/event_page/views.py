"""The public pages of an event: overview, rounds, bracket and standings."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Final
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_POST, require_safe

from games.access import SealedError, remember_invitation
from games.models import Player
from tournaments.access import EventAccess, event_of
from tournaments.answers import SeeOther, refused_at
from tournaments.entering import entry_panel, partners
from tournaments.event_page import page_values, showing
from tournaments.event_page.exports import EXPORTS, as_csv, as_json, as_workbook
from tournaments.event_page.visitors import shared_with_visitors
from tournaments.events import director_calls, ending, event_words
from tournaments.events.states import OVER, UPCOMING
from tournaments.models import Pairing
from tournaments.ratings import effects as rating_effects
from tournaments.refusals import RefusedError
from tournaments.results import travellers
from tournaments.results.match_lines import teams_drawn
from tournaments.standings import conflicts_of_interest


@require_safe
@shared_with_visitors
def event(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show an event: how to enter it, how it is going, or how it ended."""
    access, now = event_of(request, event_id), timezone.now()
    kept = showing.page_for(access.event, access.player)
    parts: Mapping[str, str] = kept.parts
    if access.player is not None:
        parts = showing.draw_for(kept, access.player, access.entry.pk if access.entry else None)
    live = access.event.state not in OVER
    context = _context(access) | {
        "page": kept.page,
        "parts": parts,
        "exports": EXPORTS,
        "ws_path": f"/ws/events/{event_id}/?have={access.event.version}" if live else "",
        "now": round(1000 * now.timestamp()),
        "link": f"{settings.SITE_URL}{resolve_url('event', event_id)}",
    }
    if access.event.rated and access.event.started and access.event.ended:
        context["own_ratings"] = rating_effects.own_in(access.event, access.player)
    if access.directs and access.player and access.event.final_at:
        own = conflicts_of_interest.why_no_end(access.event, access.player)
        context["no_end"] = own or ending.too_early(access.event, now)
        context["final_from"] = kept.page.objections_until
        context["now_at"] = now
    if access.event.state in UPCOMING:
        context["panel"] = entry_panel.panel(access.event, access.player, now)
        context |= partners.partner_choice(request, access, now)
    return render(request, "tournaments/event_page/event.html", context)


@require_safe
@shared_with_visitors
def event_round(request: HttpRequest, event_id: int, number: int) -> HttpResponse:
    access = event_of(request, event_id)
    round_ = page_values.round_of(access.event, number)
    if round_ is None:
        raise Http404
    event, count = access.event, access.event.played_rounds.count()
    drawn = event.played_rounds.get(number=number)
    context = _context(access) | {
        "round": round_,
        "deals_open": event.first_stage.duplicate and travellers.is_open(drawn),
        "numbers": range(1, count + 1),
        "here": f"Round {number}",
    }
    return render(request, "tournaments/event_page/round.html", context)


@require_safe
@shared_with_visitors
def event_deals(request: HttpRequest, event_id: int, number: int) -> HttpResponse:
    """Show the deals of a duplicate round with every table's result, once the last has finished."""
    access = event_of(request, event_id)
    round_ = access.event.played_rounds.filter(number=number).first()
    if round_ is None or not access.event.first_stage.duplicate:
        raise Http404
    if not travellers.is_open(round_):
        raise SealedError
    played = [one.number for one in access.event.played_rounds.all() if travellers.is_open(one)]
    context = _context(access) | {
        "round": round_,
        "travellers": travellers.travellers_of(access.event, round_, teams_drawn(access.event)),
        "numbers": played,
        "here": f"Deals of round {number}",
    }
    return render(request, "tournaments/event_page/deals.html", context)


@require_safe
@shared_with_visitors
def event_bracket(request: HttpRequest, event_id: int) -> HttpResponse:
    access = event_of(request, event_id)
    context = _context(access) | {"page": showing.page_for(access.event, access.player).page}
    return render(request, "tournaments/event_page/bracket.html", context)


@require_safe
@shared_with_visitors
def event_standings(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show the full standings; `after` in the query: as they were after that round."""
    access = event_of(request, event_id)
    asked = request.GET.get("after", "")
    over = access.event.played_rounds.filter(over__isnull=False).count()
    # The number of a round; 0 if it is not a number.
    after = (int(asked) if re.fullmatch(r"[0-9]{1,4}", asked) else 0) if asked else over
    if asked and not 1 <= after <= over:
        raise Http404
    context = _context(access) | {
        "table": page_values.standings_after(access.event, after),
        "entrant": event_words.entrant(access.event),
        "numbers": range(1, over + 1),
        "after": after,
    }
    return render(request, "tournaments/event_page/standings.html", context)


@require_safe
def event_visit(request: HttpRequest, event_id: int, number: int, table: int) -> HttpResponse:
    """Redirect to a table of the event, or to the game that `game` in the query names.

    In a club joined by invitation tables are not public; this admits anyone who may see the event.
    """
    access = event_of(request, event_id)
    pairing = Pairing.objects.filter(
        round__event=access.event, round__number=number, number=table, table__isnull=False
    ).first()
    if pairing is None or pairing.table_id is None:
        raise Http404
    remember_invitation(request.session, pairing.table_id)
    try:
        return redirect("game", UUID(request.GET["game"]))
    except (KeyError, ValueError):
        return redirect("table", pairing.table_id)


def _context(access: EventAccess) -> dict[str, object]:
    own = access.entry.pk if access.entry is not None else None
    return {"event": access.event, "access": access, "own": own}


@require_POST
@refused_at("event", "event_id")
def call_director(request: HttpRequest, event_id: int) -> HttpResponse:
    """Call for a director to the player's table."""
    director_calls.call(*_own_match(request, event_id), timezone.now())
    messages.success(request, "A director has been called to your table.")
    return SeeOther(resolve_url("event", event_id))


@require_POST
@refused_at("event", "event_id")
def take_back_call(request: HttpRequest, event_id: int) -> HttpResponse:
    """Take the call from the player's table back."""
    director_calls.take_back(*_own_match(request, event_id))
    messages.success(request, "The call has been taken back.")
    return SeeOther(resolve_url("event", event_id))


def _own_match(request: HttpRequest, event_id: int) -> tuple[Pairing, Player]:
    """Return the reader's match in the latest round they play in; raise RefusedError, 403."""
    access = event_of(request, event_id)
    mine = Pairing.objects.filter(
        round__event=access.event, entries__entry__players__player=access.player
    )
    match = mine.select_related("round__event").order_by("-round__number").first()
    if access.player is None or match is None:
        raise RefusedError("not playing", "You have no table in this event.", 403)
    return match, access.player


KINDS = {
    "csv": (as_csv, "text/csv; charset=utf-8"),
    "json": (as_json, "application/json"),
}
WORKBOOK: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@require_safe
@cache_control(private=True, no_cache=True)
def event_export(request: HttpRequest, event_id: int, what: str, kind: str) -> HttpResponse:
    """Return entries, pairings, results or standings as CSV or JSON, or everything as a workbook.

    The ETag contains the event's version, and a digest because names change without it.
    """
    event = event_of(request, event_id).event
    if (what, kind) == ("everything", "xlsx"):
        content, content_type = as_workbook(event), WORKBOOK
    elif what in EXPORTS and kind in KINDS:
        write, content_type = KINDS[kind]
        content = write(event, what).encode()
    else:
        raise Http404
    etag = f'"{event.version}-{hashlib.sha256(content).hexdigest()[:16]}"'
    response = HttpResponse(content, content_type=content_type)
    response["ETag"] = etag
    response["Content-Disposition"] = f'attachment; filename="event-{event.pk}-{what}.{kind}"'
    return get_conditional_response(request, etag=etag, response=response) or response
