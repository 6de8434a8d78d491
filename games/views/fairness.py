"""The pages on which anybody checks the shuffle of a match; the checking is done by the browser."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games.access import game_for, invitations
from games.services import identity, proofs


@require_safe
def verify(request: HttpRequest, game_id: UUID) -> HttpResponse:
    """Show what is published of a game's shuffle, to be worked out again in the browser."""
    player = identity.player_of(request)
    _, game = game_for(player, game_id, invited=invitations(request.session))
    return render(request, "games/verify.html", {"proof": proofs.proof_of(game, player)})


@require_safe
def verify_file(request: HttpRequest) -> HttpResponse:
    """Offer to check a record that the visitor has; the file does not leave his browser."""
    return render(request, "games/verify_file.html", {"steps": proofs.STEPS})
