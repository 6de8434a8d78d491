"""The pages of puzzles."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from games.answers import SeeOther, refused
from games.engine.actions import Action
from games.engine.observation import ASKING, DISCARDING, GIVING, PLAYING
from games.engine.seats import COMPASS
from games.files.played import PlayedGame
from games.models import Puzzle
from games.numbers import parse_number
from games.people import identity
from games.people.old_words import wants_old_words
from games.picture import page, phrases
from games.records.game_files import played_of
from games.review import puzzles, questions, reviewing
from games.review.decisions import SeatDecision, decisions_in
from games.review.reports import Judged


@require_safe
def next_puzzle(request: HttpRequest) -> HttpResponse:
    """Lead to the next puzzle: of one's own games, or (``?set=open``) of the set for visitors."""
    asked = _set_of(request)
    puzzle = asked.after(parse_number(request.GET.get("after", "")) or 0)
    if puzzle is None:
        context = {"asked": asked, "is_member": identity.player_of(request) is not None}
        return render(request, "games/review/no_puzzle.html", context)
    return redirect(_address(puzzle, asked))


@require_http_methods(["GET", "HEAD", "POST"])
def puzzle(request: HttpRequest, puzzle_id: int) -> HttpResponse:
    """Ask a puzzle; take an answer (`action`, `alone`), or show the best one (`show`), by POST."""
    asked = _set_of(request)
    found = asked.find(puzzle_id)
    report = reviewing.report_of(found.game) if found is not None else None
    if found is None or report is None:
        raise Http404
    played = played_of(found.game)
    judged = report.at(found.hand, found.step)
    decision = next(
        (one for one in decisions_in(played.deals[found.hand - 1]) if one.step == found.step), None
    )
    if judged is None or decision is None:
        raise Http404
    old_words = wants_old_words(request.user, request.COOKIES)
    decision = decision._replace(seen=phrases.worded(decision.seen, old=old_words))
    attempt = asked.attempts[found.pk]
    if request.method != "POST" or attempt.answered:
        wrong = questions.parse(decision, request.GET.get("wrong", ""))
        return _puzzle(request, _Asked(asked, found, played, decision, judged, attempt), wrong)
    here = _address(found, asked)
    if "show" in request.POST:
        puzzles.note(request.session, asked, found, attempt._replace(shown=True))
        return SeeOther(here)
    text = request.POST.get("action", "")
    if text.startswith("make ") and request.POST.get("alone"):
        text += " alone"
    action = questions.parse(decision, text)
    if action is None:
        return refused(request, "Choose one of the cards or calls shown.", 422, here)
    right = action == judged.judgement.best
    puzzles.note(
        request.session, asked, found, attempt._replace(tries=attempt.tries + 1, solved=right)
    )
    query = "" if right else f"{'&' if '?' in here else '?'}{urlencode({'wrong': text})}"
    return SeeOther(here + query)


class _Asked(NamedTuple):
    """A puzzle that is shown to somebody."""

    among: puzzles.PuzzleSet
    puzzle: Puzzle
    played: PlayedGame
    decision: SeatDecision
    judged: Judged
    attempt: puzzles.Attempt


def _puzzle(request: HttpRequest, this: _Asked, wrong: Action | None) -> HttpResponse:
    attempt, found = this.attempt, this.puzzle
    if attempt.answered:
        tries = (
            "Found at the first try." if attempt.tries == 1 else f"Found at try {attempt.tries}."
        )
        head, more = ("Yes", tries) if attempt.solved else ("Best", "Looked up.")
        question = questions.answer(this.played, this.decision, this.judged, head, more)
    else:
        refusal = "Not the best. Try again." if wrong is not None else ""
        question = questions.ask(this.played, this.decision, refusal)
    view = COMPASS[this.played.rules.players][found.position].lower()
    context = {
        "asked": this.among,
        "puzzle": found,
        "number": this.among.number(found),
        "attempt": attempt,
        "offers_answer": attempt.tries >= puzzles.TRIES,
        "question": question,
        "here": _address(found, this.among),
        "next": f"{resolve_url('puzzles')}?after={found.pk}{'' if this.among.own else '&set=open'}",
        "hand": f"{resolve_url('review', found.game_id)}?at={found.hand}.{found.step}&seat={view}",
        "said": page.words(question.said),
        "more": page.words(question.more),
        "options": [row | {"said": page.words(row["words"])} for row in question.options],
        "calls": this.decision.seen.phase not in (PLAYING, DISCARDING, ASKING, GIVING),
    }
    return render(request, "games/review/puzzle.html", context)


def _set_of(request: HttpRequest) -> puzzles.PuzzleSet:
    player, now = identity.player_of(request), timezone.now()
    if player is None or request.GET.get("set") == "open":
        return puzzles.visitors_set(request.session, now)
    return puzzles.own_set(player, now)


def _address(puzzle: Puzzle, asked: puzzles.PuzzleSet) -> str:
    return f"{resolve_url('puzzle', puzzle.pk)}{'' if asked.own else '?set=open'}"
