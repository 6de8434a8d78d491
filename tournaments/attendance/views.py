"""The page of a walk-in: where to go now, by the code on the card."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from games.answers import page_or_part
from games.models import Player
from games.people.identity import player_of
from tournaments.access import event_if_shown
from tournaments.answers import SeeOther, refused_at
from tournaments.attendance import claiming, same_person
from tournaments.entering import check_in_codes
from tournaments.event_page import own_status, page_values
from tournaments.event_page.page_values import MAX_NOTICES
from tournaments.events import director_messages
from tournaments.events.states import UPCOMING
from tournaments.models import ListedName, WalkIn
from tournaments.models.walk_ins import CODE_LENGTH
from tournaments.refusals import RefusedError
from tournaments.results import place_owners
from tournaments.room_scores import codes

WRONG: Final = (
    "No walk-in has this code. It has {length} letters and digits, never 0, 1, A, B, E, I, L, O, S,"
    " U or Z: compare it with the card, or ask the director for it."
)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@refused_at("walk_in_code")
def walk_in(request: HttpRequest, code: str = "") -> HttpResponse:
    """Show where a walk-in goes now, or claim the results for the account; or ask for the code.

    The code is in the address or the query. A POST claims.
    """
    typed = code or request.GET.get("code", "")
    context: dict[str, object] = {"typed": typed[:20]}
    if not typed:
        return render(request, "tournaments/attendance/code.html", context)
    if (row := same_person.by_code(codes.plain(typed))) is not None:
        return _claim_line(request, row, typed)
    try:
        found = walk_in_by_code(request, typed)
    except RefusedError as error:
        context["error"] = error.message
        return render(request, "tournaments/attendance/code.html", context, status=error.status)
    player = player_of(request)
    if request.method == "POST":
        claiming.claim(found, _claimer(player), timezone.now())
        messages.success(request, "These results are yours now.")
        return SeeOther(resolve_url("event", found.event_id))
    has_account, now = player is not None and player.user_id is not None, timezone.now()
    who = found.claimed_by_id or found.player_id
    shown = page_values.read(found.event, now)
    entry = found.event.entries.filter(players__player=who).first()
    gave_up = None if entry else found.event.entries.filter(substitutions__player=who).first()
    awaited = found.event.state in UPCOMING and check_in_codes.is_awaited(found.event, entry)
    if entry is not None and awaited:
        context["code"] = check_in_codes.code_of(entry)
        context["address"] = check_in_codes.address_of(entry)
        access = event_if_shown(request, found.event)
        context["directs"] = access is not None and access.directs
    context |= {
        "walk_in": found,
        "has_account": has_account,
        "why_not": claiming.why_not(found, player, now)
        if player and has_account
        else claiming.why_expired(found, now),
        "event": found.event,
        "page": replace(shown, notices=director_messages.notices(found.event, MAX_NOTICES)),
        "mine": own_status.status_of(shown, who),
        "entry": entry,
        "gave_up": gave_up,
        "owns": gave_up is not None and who in place_owners.owner_ids(found.event),
        "results": own_status.results_of(shown, played.pk, who)
        if (played := entry or gave_up) is not None and played.pk in shown.entries
        else (),
    }
    page, part = "tournaments/attendance/walk_in.html", "tournaments/attendance/_where.html"
    return page_or_part(request, page, part, context)


def _claim_line(request: HttpRequest, row: ListedName, code: str) -> HttpResponse:
    """Show the nights of a person on paper to whoever has their code, or claim them."""
    player = player_of(request)
    if request.method == "POST":
        player = _claimer(player)
        claiming.claim_line(row, player, timezone.now())
        messages.success(request, f"These nights are yours now, and you are in {row.club}.")
        return SeeOther(resolve_url("player", player.pk))
    nights = row.plays_as.walk_ins.select_related("event__club") if row.plays_as else ()
    context = {
        "row": row,
        "club": row.club,
        "code": code,
        "nights": nights,
        "has_account": player is not None and player.user_id is not None,
    }
    return render(request, "tournaments/attendance/claim_person.html", context)


def _claimer(player: Player | None) -> Player:
    if player is None:
        raise RefusedError("account", "Sign up or log in first, then claim.", 403)
    return player


def walk_in_by_code(request: HttpRequest, typed: str) -> WalkIn:
    """Return the walk-in with a code; raise RefusedError if it is wrong."""
    rows = WalkIn.objects.select_related("event__club", "player")
    found = rows.filter(code=codes.plain(typed)).first()
    if found is None:
        raise codes.wrong_code(request, WRONG.format(length=CODE_LENGTH))
    return found
