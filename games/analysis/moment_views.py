"""From a moment of a game to the board: addresses for replays, reviews and puzzles."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, resolve_url
from django.views.decorators.http import require_safe

from games.access import game_for, invitations
from games.analysis import links
from games.analysis.completing import PositionError
from games.answers import SeeOther, refused
from games.files.played import PlayedGame
from games.people import identity
from games.records import finished, game_files, replays

NOT_YET = "This game is still being played. Its hands can be analysed once it has ended."


@require_safe
def analyse_game(request: HttpRequest, game_id: UUID) -> HttpResponse:
    """Open the board at a moment (``at``) of a finished game."""
    player = identity.player_of(request)
    game = game_for(player, game_id, invited=invitations(request.session))[1]
    if finished.running(game):
        return refused(request, NOT_YET, 404)
    return _opened(request, game_files.played_of(game), resolve_url("replay", game.pk))


@require_safe
def analyse_file(request: HttpRequest, number: int) -> HttpResponse:
    """Open the board at a moment (``at``) of a game of the session's file."""
    kept = game_files.kept(request.session, number)
    if kept is None or kept.game is None:
        return redirect("replay_file")
    return _opened(request, kept.game, resolve_url("replayed_game", number))


def _opened(request: HttpRequest, game: PlayedGame, back: str) -> HttpResponse:
    try:
        played, step = replays.place(game, request.GET.get("at", "1.0"))
    except replays.NoMomentError as why:
        return refused(request, str(why), 404, back)
    try:
        return SeeOther(links.address_of_moment(game, played, step))
    except PositionError as why:
        return refused(request, why.reason, 404, back)
