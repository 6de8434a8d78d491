"""The page on which a record is pasted and one of its hands is opened."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from games.analysis import links, showing
from games.analysis.completing import PositionError
from games.analysis.pasting import Pasted, WrongHand, read, where
from games.analysis.positions import BoardPosition
from games.answers import refused
from games.engine.cards import TRUMP_NAMES
from games.engine.observation import PLAYING, SECOND_ROUND, Observation
from games.files.played import PlayedDeal, PlayedGame
from games.files.strict_json import MAX_BYTES, FileError
from games.people import limits
from games.picture import phrases
from games.picture.cast import Cast, cast_of
from games.review.decisions import decisions_in

TOO_OFTEN: Final = "Many records have come from your address; try again in ten minutes."
NOTHING: Final = "Paste a record or choose a file first."


@require_http_methods(["GET", "HEAD", "POST"])
def paste(request: HttpRequest) -> HttpResponse:
    """Show the hands of a pasted text or of a file; nothing of it is kept."""
    page = "games/analysis/paste.html"
    if request.method != "POST":
        return render(request, page)
    if not limits.may_make_table(request):
        return refused(request, TOO_OFTEN, 429, request.path)
    upload, text = request.FILES.get("file"), request.POST.get("text", "")
    data = upload.read(MAX_BYTES + 1) if isinstance(upload, UploadedFile) else text.encode()
    shown = text if not isinstance(upload, UploadedFile) else data.decode(errors="replace")
    try:
        if not data.strip():
            raise FileError("", NOTHING)
        found = read(data)
    except FileError as why:
        context = {"problem": why, "where": where(why), "text": shown}
        return render(request, page, context, status=422)
    rows = list(_rows(found))
    return render(request, page, {"text": shown, "kind": found.kind, "hands": rows})


def _rows(found: Pasted) -> Iterator[dict[str, Any]]:
    numbers = {number: (game, index) for number, game, index in found.hands()}
    for number in sorted(numbers.keys() | found.wrong.keys()):
        game, index = numbers.get(number, (None, 0))
        row = _row(game, game.deals[index - 1]) if game else {"said": "This hand is not read"}
        wrong: WrongHand | None = found.wrong.get(number)
        yield {"number": number, "wrong": wrong, **row}


def _row(game: PlayedGame, played: PlayedDeal) -> dict[str, Any]:
    """Return what a hand was, with its decisions and their addresses."""
    cast, deal = cast_of(game.players), played.deal
    if deal.maker < 0:
        said = "Everybody passed" if deal.result is not None else "Nobody made trump"
    else:
        how = "orders up" if len(deal.calls) <= deal.rules.players else "calls"
        alone = ", alone" if deal.alone else ""
        said = f"{cast[deal.maker].short} {how} {TRUMP_NAMES[deal.trump]}{alone}"
    about = (f"{cast[deal.dealer].short} deals", showing.result_of(deal, cast))
    decisions = list(_decisions(game, played, cast))
    return {
        "said": said,
        "about": " · ".join(filter(None, about)),
        "decisions": decisions,
        "address": decisions[0]["address"] if decisions else "",
    }


def _decisions(game: PlayedGame, played: PlayedDeal, cast: Cast) -> Iterator[dict[str, str]]:
    try:
        whole = BoardPosition.of_decision(game, played.number, played.steps, open_hands=True)
    except PositionError:  # nothing was dealt
        return
    cuts = played.steps - len(whole.actions)
    for one in decisions_in(played):
        address = links.address_of_line(whole, one.step - cuts)
        yield {"words": _moment(one.seen, cast), "address": address}


def _moment(seen: Observation, cast: Cast) -> str:
    if seen.phase == PLAYING:
        when = phrases.trick_name(len(seen.tricks))
    else:
        when = "Second round" if seen.phase == SECOND_ROUND else seen.phase.capitalize()
    return f"{when}: {cast[seen.turn].short}"
