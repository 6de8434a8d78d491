"""The pages and files of finished games, and replays."""

from uuid import UUID

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_http_methods, require_safe

from games.access import game_for, invitations, sees_marks
from games.answers import SeeOther, refused, say_no_secret
from games.files.egn import write_egn
from games.files.played import PlayedGame
from games.files.ptn import write_ptn
from games.files.strict_json import MAX_BYTES, FileError, UnsupportedGameError
from games.models import Game
from games.people import identity, limits
from games.people.old_words import wants_old_words
from games.picture import page
from games.picture.cast import cast_of
from games.records import finished, game_files, replays
from games.records.outcomes import outcome_of


@require_safe
def finished_game(request: HttpRequest, game_id: UUID) -> HttpResponse:
    """Show a finished game's score sheet and log; redirect to the table of a running game."""
    player = identity.player_of(request)
    access, game = game_for(player, game_id, invited=invitations(request.session))
    if finished.running(game):
        return redirect("table", access.table.pk)
    context = {
        "game": game,
        "sheet": finished.finished(game),
        "access": access,
        "companions": finished.companions(game, player),
    }
    response = render(request, "games/records/finished.html", context)
    say_no_secret(response)
    return response


NOT_YET = "This game is still being played. Its record and its replay are here once it has ended."
#: The formats of other programs: their names for people, and their types of content.
CONVERTED = {
    "egn": ("Euchre Game Notation", "application/json"),
    "ptn": ("PTN", "text/plain; charset=utf-8"),
}
TOO_OFTEN = "Many files have come from your address; try again in ten minutes."


@require_safe
def record_file(request: HttpRequest, game_id: UUID) -> HttpResponse:
    game = _game(request, game_id)
    if finished.running(game):
        return refused(request, NOT_YET, 404)
    return _file(game_files.record_file(game), f"bower-{game.pk}.json")


@require_safe
def converted_file(request: HttpRequest, game_id: UUID, to: str) -> HttpResponse:
    """Send a finished game in a format of `CONVERTED`."""
    game = _game(request, game_id)
    if finished.running(game):
        return refused(request, NOT_YET, 404)
    back = resolve_url("game", game.pk)
    return _converted(request, game_files.played_of(game), to, f"bower-{game.pk}", back)


def _converted(
    request: HttpRequest, played: PlayedGame, to: str, name: str, back: str
) -> HttpResponse:
    """Send a game, or one ``hand`` of it as PTN; 409 if the format cannot represent it."""
    label, content_type = CONVERTED[to]
    hand = request.GET.get("hand") if to == "ptn" else None
    number = next((one.number for one in played.deals if str(one.number) == hand), None)
    if hand is not None and number is None:
        words = f"This game has the hands 1 to {len(played.deals)}, not this one."
        return refused(request, words, 404, back)
    try:
        data = write_ptn(played, number) if to == "ptn" else write_egn(played)
    except UnsupportedGameError as why:
        return refused(request, f"{label} cannot hold this game. {why}", 409, back)
    suffix = f"-hand-{number}" if number else ""
    return _file(data, f"{name}{suffix}.{to}", content_type)


@require_safe
def replay(request: HttpRequest, game_id: UUID) -> HttpResponse:
    game = _game(request, game_id)
    if finished.running(game):
        return refused(request, NOT_YET, 404)
    played, said = game_files.played_of(game), outcome_of(game).said
    if said:
        counts = f"This is what the table’s log holds. The result that counts: {said}."
        played = played._replace(notes=(*played.notes, counts))
    player = identity.player_of(request)
    reviewed = game if sees_marks(player, game) else None
    return _moment(request, played, resolve_url("game", game.pk), "Score sheet", game=reviewed)


@require_http_methods(["GET", "HEAD", "POST"])
def replay_file(request: HttpRequest) -> HttpResponse:
    """Store an uploaded file (`file`) or a pasted ``text`` for replay in this session only."""
    if request.method != "POST":
        return render(request, "games/records/replay_file.html")
    if not limits.may_make_table(request):
        return refused(request, TOO_OFTEN, 429, resolve_url("replay_file"))
    upload, text = request.FILES.get("file"), request.POST.get("text", "")
    try:
        if isinstance(upload, UploadedFile):
            game_files.keep(request.session, upload.read(MAX_BYTES + 1))
        elif text.strip():
            game_files.keep(request.session, text.encode())
        else:
            raise FileError("", "Choose a file or paste a record first.")
    except FileError as why:
        context = {"problem": why, "text": text}
        return render(request, "games/records/replay_file.html", context, status=422)
    return SeeOther(resolve_url("replayed_file"))


@require_safe
def replayed_file(request: HttpRequest, number: int = 1, *, as_ptn: bool = False) -> HttpResponse:
    """Show one moment of a game, by its number from 1, of the session's file, or send its PTN."""
    kept = game_files.kept(request.session, number)
    if kept is None:
        return redirect("replay_file")
    if kept.game is None:
        return refused(request, f"The file has the games 1 to {kept.games}, not {number}.", 404)
    back = resolve_url("replay_file")
    if as_ptn:
        return _converted(request, kept.game, "ptn", f"game-{number}", back)
    return _moment(request, kept.game, back, "Replay a file", kept)


def _game(request: HttpRequest, game_id: UUID) -> Game:
    player = identity.player_of(request)
    return game_for(player, game_id, invited=invitations(request.session))[1]


def _file(data: bytes, name: str, content_type: str = "application/json") -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(data, content_type=content_type, headers=headers)


def _moment(
    request: HttpRequest,
    played: PlayedGame,
    back: str,
    back_label: str,
    kept: game_files.KeptGame | None = None,
    *,
    game: Game | None = None,
) -> HttpResponse:
    at, seat = request.GET.get("at", "1.0"), request.GET.get("seat", replays.ALL)
    if "step" in request.GET:  # the slider's own form, without scripts
        at = f"{request.GET.get('hand', '1')}.{request.GET['step']}"
    try:
        old_words = wants_old_words(request.user, request.COOKIES)
        moment = replays.moment(played, at, seat, old_words=old_words)
    except replays.NoMomentError as why:
        return refused(request, str(why), 404, request.path)
    ptn = resolve_url("replayed_ptn", kept.number) if kept else f"{back}game.ptn"
    moment["ptn"] = f"{ptn}?hand={moment['hand']}"
    analyse = resolve_url("analyse_file", kept.number) if kept else f"{back}analyse"
    moment["analyse"] = f"{analyse}?at={moment['hand']}.{moment['step']}"
    if not request.accepts("text/html"):
        return _by_accept(JsonResponse(moment))
    context: dict[str, object] = {
        "headline": replays.headline(played),
        "facts": replays.facts(played),
        "notes": played.notes,
        "values": moment,
        "page": page.draw_moment(moment, cast_of(played.players)),
        "back": back,
        "back_label": back_label,
        "game": game,
        "at": at,
    }
    if kept is not None and kept.games > 1:
        context |= {"number": kept.number, "games": range(1, kept.games + 1)}
    response = render(request, "games/records/replay.html", context)
    say_no_secret(response)
    return _by_accept(response)


def _by_accept(response: HttpResponse) -> HttpResponse:
    """Let caches keep the page and the values for its script apart."""
    patch_vary_headers(response, ("Accept",))
    return response
