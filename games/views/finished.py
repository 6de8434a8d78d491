"""The page of a finished game."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from games.access import game_for, invitations
from games.services import finished, identity


@require_safe
def finished_game(request: HttpRequest, game_id: UUID) -> HttpResponse:
    """Show a game's score sheet and log; a game still played is at its table."""
    player = identity.player_of(request)
    access, game = game_for(player, game_id, invited=invitations(request.session))
    if finished.running(game):
        return redirect("table", access.table.pk)
    context = {"game": finished.finished(game), "access": access}
    return render(request, "games/finished.html", context)
