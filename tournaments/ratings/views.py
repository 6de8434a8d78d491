"""The pages of ratings: pools, leaderboards, a player's rating, changes, and how it works."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from games.access import game_for, invitations
from games.answers import page_or_part
from games.models import Player
from games.people.identity import player_of
from games.records import finished
from tournaments.access import clubs_shown, event_for
from tournaments.models import Event
from tournaments.ratings import curve, effects, leaderboards, words
from tournaments.ratings.forms import LeaderboardForm

#: Rated games on a page: with the curve, about two screens on a desktop.
A_PAGE = 12


@require_safe
def ratings(request: HttpRequest) -> HttpResponse:
    pools = leaderboards.pools(player_of(request), timezone.now())
    return render(request, "tournaments/ratings/ratings.html", {"pools": pools})


@require_safe
def leaderboard(request: HttpRequest, pool_slug: str) -> HttpResponse:
    """Show a pool's leaderboard. Query: `club`, `season`, `country` and `page`."""
    reader, now, pool = player_of(request), timezone.now(), leaderboards.pool_of(pool_slug)
    finished_events = Event.objects.filter(
        club=OuterRef("pk"), rated=True, state=Event.State.FINISHED
    )
    clubs = clubs_shown(reader, request.session).filter(Exists(finished_events))
    form = LeaderboardForm(
        request.GET, clubs=list(clubs), codes=leaderboards.countries_of(pool), now=now
    )
    board_filter = form.board_filter()
    page = request.GET.get("page", "")
    number = int(page) if page.isdecimal() and len(page) < 7 else 1
    board = leaderboards.board_of(pool, board_filter, reader, max(1, number), now)
    context = {"pool": pool, "form": form, "wanted": board_filter, "board": board}
    status = 200 if form.is_valid() else 400
    return render(request, "tournaments/ratings/pool.html", context, status=status)


@require_safe
def player_rating(request: HttpRequest, player_id: int, pool_slug: str) -> HttpResponse:
    player, reader = get_object_or_404(Player, pk=player_id), player_of(request)
    held = {
        words.pool_slug(rating.pool.key): rating for rating in player.ratings.select_related("pool")
    }
    rating, mine, now = held.get(pool_slug), reader == player, timezone.now()
    pool = rating.pool if rating else leaderboards.pool_of(pool_slug)
    context: dict[str, Any] = {"player": player, "pool": pool, "mine": mine}
    if player.private and not mine:
        return render(request, "tournaments/ratings/private.html", context)
    if rating is not None:
        clubs = clubs_shown(reader, request.session)
        games = Paginator(effects.changes_of(player).filter(pool=pool), A_PAGE)
        games.count = rating.games  # known, saves the query
        page = games.get_page(request.GET.get("page"))
        context |= {
            "rating": rating,
            "skill": words.present(rating, now),
            "others": [one.pool for one in held.values() if one != rating],
            "page": page,
            "lines": effects.lines(page.object_list, player, reader, clubs),
            "pictures": curve.pictures(player, pool, clubs, now),
        }
    return render(request, "tournaments/ratings/player.html", context)


@require_safe
def how(request: HttpRequest) -> HttpResponse:
    return render(
        request,
        "tournaments/ratings/how.html",
        {"model": words.model_facts(), "bounds": words.bounds()},
    )


@require_safe
def event_ratings(request: HttpRequest, event_id: int) -> HttpResponse:
    access = event_for(player_of(request), event_id, request.session)
    context = {
        "event": access.event,
        "access": access,
        "effects": effects.of_event(access.event, access.player),
    }
    return render(request, "tournaments/ratings/event.html", context)


@require_safe
def game_ratings(request: HttpRequest, game_id: UUID) -> HttpResponse:
    player = player_of(request)
    _access, game = game_for(player, game_id, invited=invitations(request.session))
    if finished.running(game):
        return redirect("table", game.table_id)
    context = {"game": game, "effects": effects.of_game(game, player)}
    return page_or_part(
        request, "tournaments/ratings/game.html", "tournaments/ratings/_game.html", context
    )
