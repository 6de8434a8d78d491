"""The pages of fair play: signs of a club or an event, matters, and the player's own page."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from games.models import Player
from games.people.identity import player_of
from tournaments.access import ClubAccess, club_of, event_of
from tournaments.answers import SeeOther, account_needed, refused_at, typed
from tournaments.fair_play import figures, matters, signs
from tournaments.fair_play.forms import OpenForm, WordsForm
from tournaments.fair_play.signs import SignScope
from tournaments.models import FairPlayMatter
from tournaments.refusals import RefusedError


@require_safe
@never_cache
def club_fair_play(request: HttpRequest, slug: str) -> HttpResponse:
    access = club_of(request, slug, "moderate")
    return _signs_page(request, access, SignScope(access.club))


@require_safe
@never_cache
def event_fair_play(request: HttpRequest, event_id: int) -> HttpResponse:
    access = event_of(request, event_id, "moderate")
    return _signs_page(request, access, SignScope(access.club, access.event))


def _signs_page(request: HttpRequest, access: ClubAccess, scope: SignScope) -> HttpResponse:
    known = [
        matter
        for matter in matters.of_club(access)
        if scope.event is None or matter.event_id == scope.event.pk
    ]
    context = {
        "access": access,
        "club": access.club,
        "event": scope.event,
        "seen": signs.seen(scope, access.player, timezone.now()),
        "matters": [(matter, matters.state_of(matter)) for matter in known],
        "bounds": figures,
    }
    return render(request, "tournaments/fair_play/signs.html", context)


@require_POST
@refused_at("club_fair_play", "slug")
def open_matter(request: HttpRequest, slug: str) -> HttpResponse:
    """Open a matter from a sign. Fields: `sign`, `player`, and `event` if on an event's page."""
    access = club_of(request, slug, "moderate")
    form = OpenForm(request.POST)
    if not form.is_valid():
        raise RefusedError("sign", "Choose a sign and a player.", 422)
    asked = form.cleaned_data
    event = None
    if asked["event"] is not None:
        event = get_object_or_404(access.club.events, pk=asked["event"])
    matter = matters.open_matter(access, event, asked["sign"], asked["player"], timezone.now())
    return SeeOther(resolve_url("case", "signs", matter.pk))


@require_safe
@never_cache
def your_matters(request: HttpRequest) -> HttpResponse:
    player = player_of(request)
    if player is None or player.user_id is None:
        return account_needed(request, "Reading what is said about you", request.path)
    found = [(one, matters.state_of(one)) for one in matters.of_player(player)]
    return render(request, "tournaments/fair_play/your_matters.html", {"matters": found})


@require_safe
@never_cache
def your_matter(request: HttpRequest, matter_id: int) -> HttpResponse:
    found, _player = _own(request, matter_id)
    context = of_matter(found) | {
        "may_answer": matters.may_answer(found),
        "typed": typed(request, resolve_url("answer_matter", matter_id)) or {},
    }
    return render(request, "tournaments/fair_play/your_matter.html", context)


@require_POST
@refused_at("your_matter", "matter_id")
def answer_matter(request: HttpRequest, matter_id: int) -> HttpResponse:
    """Answer a question; field `words`."""
    found, player = _own(request, matter_id)
    form = WordsForm(request.POST)
    form.is_valid()
    matters.answer(found, player, form.cleaned_data.get("words", ""), timezone.now())
    messages.success(request, "Your answer has been saved and sent.")
    return SeeOther(resolve_url("your_matter", matter_id))


def _own(request: HttpRequest, matter_id: int) -> tuple[FairPlayMatter, Player]:
    player = player_of(request)
    if player is None:
        raise Http404
    rows = matters.with_acts(player.fair_play_matters.all())
    return get_object_or_404(rows, pk=matter_id), player


def of_matter(found: FairPlayMatter) -> dict[str, Any]:
    """Return the context of every page of a matter."""
    latest = found.games.order_by("-ended").values_list("pk", flat=True)
    games = list(latest[: signs.MAX_GAMES])
    lines = signs.game_lines(games)
    return {
        "matter": found,
        "state": matters.state_of(found),
        "innocent": signs.INNOCENT[FairPlayMatter.Kind(found.kind)],
        "lines": [lines[game] for game in games if game in lines],
        "longest": matters.MAX_LENGTH,
    }
