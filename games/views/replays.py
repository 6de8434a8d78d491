"""A finished game to take away as a file and to replay; and files of games replayed."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.views.decorators.http import require_http_methods, require_safe

from games.access import game_for, invitations
from games.files.played import PlayedGame
from games.files.problems import CannotHoldError, FileError
from games.files.reading import LARGEST
from games.models import Game
from games.services import finished, game_files, identity, limits, replays
from games.views.answers import SeeOther, refused

NOT_YET = "This game is still being played. Its record and its replay are here once it has ended."
TOO_OFTEN = "Many files have come from your address; try again in ten minutes."


@require_safe
def record_file(request: HttpRequest, game_id: UUID) -> HttpResponse:
    """Send a finished game as Bower's own record."""
    game = _game(request, game_id)
    if finished.running(game):
        return refused(request, NOT_YET, 404)
    return _file(game_files.record_file(game), f"bower-{game.pk}.json")


@require_safe
def egn_file(request: HttpRequest, game_id: UUID) -> HttpResponse:
    """Send a finished game in Euchre Game Notation; 409 if that cannot tell what happened."""
    game = _game(request, game_id)
    if finished.running(game):
        return refused(request, NOT_YET, 404)
    try:
        data = game_files.egn_file(game)
    except CannotHoldError as why:
        return refused(request, f"Euchre Game Notation cannot hold this game. {why}", 409)
    return _file(data, f"bower-{game.pk}.egn")


@require_safe
def replay(request: HttpRequest, game_id: UUID) -> HttpResponse:
    """Show one moment of a finished game; `at` and `seat` in the query say which."""
    game = _game(request, game_id)
    if finished.running(game):
        return refused(request, NOT_YET, 404)
    return _moment(request, game_files.played_of(game), resolve_url("game", game.pk), "Score sheet")


@require_http_methods(["GET", "HEAD", "POST"])
def replay_file(request: HttpRequest) -> HttpResponse:
    """Take a file of a game (field `file`), to be replayed in this session; nobody else sees it."""
    if request.method != "POST":
        return render(request, "games/replay_file.html")
    if not limits.may_make_table(request):
        return refused(request, TOO_OFTEN, 429)
    upload = request.FILES.get("file")
    try:
        if upload is None or isinstance(upload, list):
            raise FileError("", "Choose a file first.")
        game_files.keep(request.session, upload.read(LARGEST + 1))
    except FileError as why:
        return render(request, "games/replay_file.html", {"problem": why}, status=422)
    return SeeOther(resolve_url("replayed_file"))


@require_safe
def replayed_file(request: HttpRequest) -> HttpResponse:
    """Show one moment of the file that this session has sent."""
    played = game_files.kept(request.session)
    if played is None:
        return redirect("replay_file")
    return _moment(request, played, resolve_url("replay_file"), "Replay a file")


def _game(request: HttpRequest, game_id: UUID) -> Game:
    """The game, if the asker may read it; else 404."""
    player = identity.player_of(request)
    return game_for(player, game_id, invited=invitations(request.session))[1]


def _file(data: bytes, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(data, content_type="application/json", headers=headers)


def _moment(request: HttpRequest, played: PlayedGame, back: str, back_label: str) -> HttpResponse:
    at, seat = request.GET.get("at", "1.0"), request.GET.get("seat", replays.ALL)
    try:
        moment = replays.moment(played, at, seat)
    except replays.NoMomentError as why:
        return refused(request, str(why), 404)
    context = {"moment": moment, "rules": played.rules, "back": back, "back_label": back_label}
    return render(request, "games/replay.html", context)
