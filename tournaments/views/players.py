"""A player's page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from games.access import invitations
from games.models import Player
from games.services.identity import player_of
from games.services.records import shows_record
from tournaments.access import clubs_shown
from tournaments.geography import countries
from tournaments.services.player_page import page_of


@require_safe
def player_page(request: HttpRequest, player_id: int) -> HttpResponse:
    """Show who a player is and what he has played, as far as the visitor may see it."""
    player = get_object_or_404(Player, pk=player_id)
    viewer = player_of(request)
    if not shows_record(player, viewer):
        return render(request, "tournaments/player_withheld.html", {"player": player})
    clubs = clubs_shown(viewer, request.session)
    page = page_of(player, viewer, clubs, invitations(request.session), timezone.now())
    context = {
        "player": player,
        "page": page,
        "mine": viewer == player,
        "country": countries().get(player.country, ""),
        "kept": {},
    }
    return render(request, "tournaments/player.html", context)
