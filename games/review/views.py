"""The page of a review."""

from __future__ import annotations

from typing import NamedTuple
from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render, resolve_url
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import HttpResponseClientRefresh

from games.access import game_for, invitations, played_in, sees_marks
from games.answers import SeeOther, refused, say_no_secret
from games.models import Game, Player, Review
from games.people import identity, limits
from games.people.old_words import wants_old_words
from games.picture import page
from games.picture.cast import bottom_seat, cast_of
from games.records import replays
from games.records.game_files import played_of
from games.records.outcomes import outcome_of
from games.review import reviewing, showing, wording
from games.review.embargo import embargo_on
from games.review.judging import MARKS, MIN_LOSS
from games.review.reports import GameReport
from games.review.showing import Viewing
from games.review.summary import summary

NOT_YET = "This game is still being played. Its review can be made once it has ended."
NOT_YOURS = "This game was played by invitation, so only its players see what it says about them."
TOO_OFTEN = "Many reviews have been asked for from your address; try again in ten minutes."
#: Seconds after which whoever waits for a review may look again.
LOOK_AGAIN = 15
YOU_TOO_OFTEN = "You have asked for many reviews; try again in ten minutes."


@require_http_methods(["GET", "HEAD", "POST"])
def review(request: HttpRequest, game_id: UUID) -> HttpResponse:
    """Show a moment of a game's review; ask for the review by POST, or as one of its players."""
    player = identity.player_of(request)
    game = game_for(player, game_id, invited=invitations(request.session))[1]
    refusal = _refusal(request, player, game)
    if refusal is not None:
        return refusal
    starts = reviewing.may_start(game)
    own = starts and played_in(player, game)
    account = player.user_id if own and player is not None else None
    if request.method == "POST":
        if starts and not limits.may_review(request, account):
            why = TOO_OFTEN if account is None else YOU_TOO_OFTEN
            return refused(request, why, 429, resolve_url("review", game.pk))
        reviewing.ask(game)
        return SeeOther(resolve_url("review", game.pk))
    known = Review.objects.filter(game=game).exists()
    if own and not known and limits.may_review(request, account):
        reviewing.ask(game)
    return _moment(request, player, game)


class InBrief(NamedTuple):
    """What a review has found for a player, in `words`.

    again: in how many seconds to look again, or 0. worst: the moment of the largest mistake, as in
    a replay's address, or empty.
    """

    words: str
    again: int = 0
    worst: str = ""


def in_brief(request: HttpRequest, player: Player, game: Game, seat: int) -> InBrief:
    """Return what the review has found for one of its players; ask for it if it can be made."""
    embargo = embargo_on(game)
    if embargo:
        return InBrief(embargo)
    if reviewing.may_start(game) and limits.may_review(request, player.user_id):
        reviewing.ask(game)
    report = reviewing.report_of(game)
    if report is None:
        made = Review.objects.filter(game=game).first()
        being_made = made is not None and not made.failed
        return InBrief("Ready in about a minute", LOOK_AGAIN) if being_made else InBrief("")
    mine = report.of(seat)
    marked = [one for one in mine if one.mark]
    if not marked:
        return InBrief("No mistakes")
    worst = max(marked, key=lambda one: one.judgement.loss)
    words = f"{len(marked)} of your {len(mine)} decisions could be better"
    return InBrief(words, worst=f"{worst.hand}.{worst.step}")


@require_safe
def review_progress(request: HttpRequest, game_id: UUID) -> HttpResponse:
    """Show how far a review has got; let the page be loaded again once it is made."""
    player = identity.player_of(request)
    game = game_for(player, game_id, invited=invitations(request.session))[1]
    refusal = _refusal(request, player, game)
    if refusal is not None:
        return refusal
    if reviewing.report_of(game) is not None:
        return HttpResponseClientRefresh()
    return HttpResponse(_waiting(request, game))


def _refusal(request: HttpRequest, player: Player | None, game: Game) -> HttpResponse | None:
    if game.ended is None:
        return refused(request, NOT_YET, 404)
    if not sees_marks(player, game):
        return refused(request, NOT_YOURS, 403, resolve_url("game", game.pk))
    return None


def _moment(request: HttpRequest, player: Player | None, game: Game) -> HttpResponse:
    played, report = played_of(game), reviewing.report_of(game)
    seats = dict(game.seats.values_list("player", "position"))
    you = seats.get(player.pk) if player is not None else None
    at = request.GET.get("at", "1.0")
    try:
        seat = bottom_seat(you, played.rules.players)
        if "seat" in request.GET:
            seat = showing.seat_named(played, request.GET["seat"])
        viewing = Viewing(seat, you)
        old_words = wants_old_words(request.user, request.COOKIES)
        moment = showing.moment(played, report, at, viewing, old_words=old_words)
    except replays.NoMomentError as why:
        return refused(request, str(why), 404, request.path)
    moment["analyse"] = (
        f"{resolve_url('analyse_game', game.pk)}?at={moment['hand']}.{moment['step']}"
    )
    if not request.accepts("text/html"):
        return _by_accept(JsonResponse(moment))
    cast = cast_of(played.players)
    drawn = page.draw_review(
        moment, cast, is_made=report is not None, **_of_page(request, game, report, viewing)
    )
    said = outcome_of(game).said
    context = {
        "game": game,
        "at": at,
        "headline": replays.headline(played),
        "facts": replays.facts(played),
        "notes": [f"The result that counts: {said}."] if said else [],
        "values": moment,
        "page": drawn,
        "report": report,
        "sums": summary(played, report, viewing) if report is not None else None,
    }
    response = render(request, "games/review/review.html", context)
    say_no_secret(response)  # all hands of a finished game, and names
    return _by_accept(response)


def _of_page(
    request: HttpRequest, game: Game, report: GameReport | None, viewing: Viewing
) -> dict[str, object]:
    """Return what of the drawing does not change from moment to moment."""
    if report is None:
        return {"waiting": _waiting(request, game)}
    mine = report.of(viewing.seat)
    is_you = viewing.seat == viewing.you
    players = [seat.player.name for seat in game.seats.select_related("player")]
    short = cast_of(tuple(players))[viewing.seat].short
    key = [
        (wording.MARK_LETTERS[mark], number, wording.MARK_WORDS[mark], MIN_LOSS[mark])
        for number, mark in enumerate(MARKS, start=1)
    ]
    return {
        "expect": "Points you could expect" if is_you else f"Points {short} could expect",
        "doubts": "Your mistakes" if is_you else f"{short}’s mistakes",
        "count": _count(sum(bool(one.mark) for one in mine), len(mine)),
        "none": _no_doubts(is_you=is_you, decided=bool(mine)),
        "key": key,
    }


def _count(marked: int, decisions: int) -> str:
    """Return how many decisions are marked, or how many of those the list shows."""
    if marked > showing.MAX_LISTED:
        return f"the largest {showing.MAX_LISTED} of {marked}"
    return f"{marked} of {decisions} decisions"


def _no_doubts(*, is_you: bool, decided: bool) -> str:
    if decided:
        return "No mistakes. Well played."
    return f"No decisions were {'yours' if is_you else 'theirs'} to make."


def _waiting(request: HttpRequest, game: Game) -> str:
    context = {
        "game": game,
        "review": Review.objects.filter(game=game).first(),
        "embargo": embargo_on(game),
    }
    return render_to_string("games/review/_waiting.html", context, request)


def _by_accept(response: HttpResponse) -> HttpResponse:
    """Let caches keep the page and the values for its script apart."""
    patch_vary_headers(response, ("Accept",))
    return response
