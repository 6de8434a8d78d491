"""The pages of puzzles: the list, those of the set, and those from one's own games."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from games.analysis.links import board_address
from games.answers import SeeOther, refused
from games.engine.actions import action_text
from games.engine.observation import ASKING, DISCARDING, GIVING, PLAYING
from games.engine.seats import COMPASS
from games.files.played import PlayedDeal
from games.models import Player, PuzzleProgress
from games.numbers import parse_number
from games.people import identity
from games.people.old_words import wants_old_words
from games.picture import page, phrases
from games.picture.cast import Cast, cast_of
from games.puzzles import daily, own, progress, questions
from games.puzzles.attempts import TRIES, Attempt, PuzzleSet
from games.puzzles.collection import CAST, THEMES, collection
from games.records.game_files import played_of
from games.review import reviewing
from games.review.decisions import SeatDecision, decisions_in
from games.review.reports import Judged

Note = Callable[[Attempt], None]


@require_safe
def puzzles(request: HttpRequest) -> HttpResponse:
    """List the puzzles of the set by theme, with what somebody has solved of them."""
    row, now = progress.progress_of(request), timezone.now()
    among, player = progress.set_of(row), identity.player_of(request)
    themes = [
        {
            "name": name,
            "puzzles": [
                {"puzzle": one, "attempt": among.attempt(one.number)}
                for one in among.puzzles.values()
                if one.theme == theme
            ],
        }
        for theme, name in THEMES.items()
    ]
    context = {
        "asked": among,
        "begun": bool(among.attempts),
        "themes": themes,
        "best": row.best,
        **today(row),
    }
    if player is not None and player.user_id is not None:
        mine = own.own_set(player, now)
        context |= {"mine": mine, "waiting": mine.after(0), "due": own.next_due(player, now)}
    return render(request, "games/puzzles/puzzles.html", context)


def today(row: PuzzleProgress) -> dict[str, Any]:
    """Return what a page says of the puzzle of the day."""
    puzzle = daily.puzzle_of(daily.today(timezone.now()))
    asked, more = questions.in_words(puzzle.decision.seen, CAST)
    return {
        "today": puzzle,
        "today_asked": asked,
        "today_more": more,
        "today_attempt": progress.set_of(row).attempt(puzzle.number),
    }


@require_safe
def next_puzzle(request: HttpRequest) -> HttpResponse:
    """Lead to the next puzzle of the set."""
    among = progress.set_of(progress.progress_of(request))
    return _lead_on(request, among, "set_puzzle", own=False)


@require_safe
def next_own(request: HttpRequest) -> HttpResponse:
    """Lead to the next puzzle from one's own games."""
    return _lead_on(request, _own_set(identity.player_of(request)), "puzzle", own=True)


def _lead_on(
    request: HttpRequest, among: PuzzleSet[Any], page_name: str, *, own: bool
) -> HttpResponse:
    following = among.after(parse_number(request.GET.get("after", "")) or 0)
    if following is None:
        return render(request, "games/puzzles/no_puzzle.html", {"asked": among, "own": own})
    return redirect(page_name, following)


def _own_set(player: Player | None) -> PuzzleSet[Any]:
    return PuzzleSet({}, {}) if player is None else own.own_set(player, timezone.now())


@require_http_methods(["GET", "HEAD", "POST"])
def set_puzzle(request: HttpRequest, number: int) -> HttpResponse:
    """Ask a puzzle of the set; take an answer (`action`, `alone`) or `show` the best by POST."""
    puzzle = collection().get(number)
    if puzzle is None:
        raise Http404("There is no such puzzle.")

    def note(attempt: Attempt) -> None:
        with progress.changing(request) as row:
            if not Attempt(*row.attempts.get(str(number), ())).answered:
                row.attempts[str(number)] = list(attempt)

    among = progress.set_of(progress.progress_of(request))
    context = {
        "asked": among,
        "number": among.number(number),
        "puzzle": puzzle,
        "analyse": board_address(puzzle.board),
        "next": f"{resolve_url('next_puzzle')}?after={number}#prompt",
    }
    attempt = among.attempt(number)
    this = _Asked(CAST, puzzle.played, puzzle.decision, puzzle.judged, attempt)
    return _page(request, this, note, context)


@require_http_methods(["GET", "HEAD", "POST"])
def puzzle(request: HttpRequest, puzzle_id: int) -> HttpResponse:
    """Ask a puzzle from one's own games, as `set_puzzle` does one of the set."""
    among = _own_set(identity.player_of(request))
    found = among.puzzles.get(puzzle_id)
    report = reviewing.report_of(found.game) if found is not None else None
    if found is None or report is None:
        raise Http404
    game = played_of(found.game)
    deal = game.deals[found.hand - 1]
    judged = report.at(found.hand, found.step)
    decision = next((one for one in decisions_in(deal) if one.step == found.step), None)
    if judged is None or decision is None:
        raise Http404

    def note(attempt: Attempt) -> None:
        own.note(found, attempt)

    view = COMPASS[game.rules.players][found.position].lower()
    context = {
        "asked": among,
        "own": found,
        "number": among.number(puzzle_id),
        "next": f"{resolve_url('next_own')}?after={puzzle_id}#prompt",
        "analyse": f"{resolve_url('analyse_game', found.game_id)}?at={found.hand}.{found.step}",
        "hand": f"{resolve_url('review', found.game_id)}?at={found.hand}.{found.step}&seat={view}",
    }
    attempt = among.attempt(puzzle_id)
    this = _Asked(cast_of(game.players), deal, decision, judged, attempt)
    return _page(request, this, note, context)


class _Asked(NamedTuple):
    """A puzzle that is shown to somebody, and how they have fared with it."""

    cast: Cast
    played: PlayedDeal
    decision: SeatDecision
    judged: Judged
    attempt: Attempt


def _page(request: HttpRequest, this: _Asked, note: Note, context: dict[str, Any]) -> HttpResponse:
    """Take an answer to a puzzle, or show the question, after the answer what it was worth."""
    cast, played, decision, judged, attempt = this
    decision = in_reader_words(request, decision)
    if request.method == "POST" and not attempt.answered:
        return _answered(request, this, note)
    if attempt.answered:
        question = questions.answer(cast, played, decision, judged, attempt.in_words)
    else:
        wrong = questions.parse(decision, request.GET.get("wrong", ""))
        refusal = "Not the best. Try again." if wrong is not None else ""
        question = questions.ask(cast, decision, refusal)
    context |= {
        "attempt": attempt,
        "question": question,
        "near": decision.seat % 2,
        "offers_answer": attempt.tries >= TRIES,
        "here": request.path,
        "said": page.words(question.said),
        "more": page.words(question.more),
        "options": [row | {"said": page.words(row["words"])} for row in question.options],
        "calls": asks_for_call(decision),
    }
    return render(request, "games/puzzles/puzzle.html", context)


def _answered(request: HttpRequest, this: _Asked, note: Note) -> HttpResponse:
    here, attempt = request.path, this.attempt
    if "show" in request.POST:
        note(attempt._replace(shown=True))
        return SeeOther(f"{here}#next")
    action = questions.given(this.decision, request.POST)
    if action is None:
        return refused(request, questions.CHOOSE, 422, here)
    right = action == this.judged.judgement.best
    note(attempt._replace(tries=attempt.tries + 1, solved=right))
    query = "" if right else f"?{urlencode({'wrong': action_text(action)})}"
    return SeeOther(f"{here}{query}{'#next' if right else '#prompt'}")


def in_reader_words(request: HttpRequest, decision: SeatDecision) -> SeatDecision:
    """Return a decision whose calls are in the words that the reader has chosen."""
    old_words = wants_old_words(request.user, request.COOKIES)
    return decision._replace(seen=phrases.worded(decision.seen, old=old_words))


def asks_for_call(decision: SeatDecision) -> bool:
    return decision.seen.phase not in (PLAYING, DISCARDING, ASKING, GIVING)
