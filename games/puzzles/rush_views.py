"""The pages of a rush. The server keeps its clock and what it asks; pages say neither answer."""

from __future__ import annotations

from math import ceil
from random import SystemRandom
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from games.answers import SeeOther, number_in, refused
from games.picture import page
from games.puzzles import progress, questions
from games.puzzles.collection import CAST, SetPuzzle, collection
from games.puzzles.rush import MISTAKES, SECONDS, Rush
from games.puzzles.views import asks_for_call, in_reader_words


@require_POST
def start_rush(request: HttpRequest) -> HttpResponse:
    """Begin a rush; one that is under way goes on, whatever page it is asked from."""
    now = timezone.now().timestamp()
    with progress.changing(request) as row:
        known = Rush.from_data(row.rush)
        if _next(known, now) is None:
            order = SystemRandom().sample([*collection()], len(collection()))
            row.rush = Rush(now, tuple(order))._asdict()
    return SeeOther(f"{resolve_url('rush')}#prompt")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def rush(request: HttpRequest) -> HttpResponse:
    """Ask the puzzle that is next; take an answer (`action`, `alone`) to puzzle `number` by POST.

    An answer to another puzzle than the one that is next, or after the end, counts for nothing.
    """
    if request.method == "POST":
        return _answered(request)
    row, now = progress.progress_of(request), timezone.now().timestamp()
    known = Rush.from_data(row.rush)
    puzzle = _next(known, now)
    context: dict[str, Any] = {
        "rush": known,
        "best": row.best,
        "most": MISTAKES,
        "minutes": SECONDS // 60,
    }
    if known is None or puzzle is None:
        results = zip(known.order, known.results, strict=False) if known is not None else ()
        context["results"] = [(collection().get(key), right) for key, right in results]
        return render(request, "games/puzzles/rush_over.html", context)
    decision = in_reader_words(request, puzzle.decision)
    question = questions.ask(CAST, decision)
    context |= {
        "here": request.path,
        "puzzle": puzzle,
        "place": len(known.results) + 1,
        "left": ceil(known.left(now)),
        "question": question,
        "near": decision.seat % 2,
        "said": page.words(question.said),
        "more": page.words(question.more),
        "calls": asks_for_call(decision),
    }
    return render(request, "games/puzzles/rush.html", context)


def _answered(request: HttpRequest) -> HttpResponse:
    here = f"{resolve_url('rush')}#prompt"
    with progress.changing(request) as row:
        known, now = Rush.from_data(row.rush), timezone.now().timestamp()
        puzzle = _next(known, now)
        if known is None or puzzle is None or number_in(request, "number") != puzzle.number:
            return SeeOther(here)
        action = questions.given(puzzle.decision, request.POST)
        if action is None:
            return refused(request, questions.CHOOSE, 422, resolve_url("rush"))
        known = known.answered(right=action == puzzle.judged.judgement.best)
        row.rush, row.best = known._asdict(), max(row.best, known.solved)
    return SeeOther(here)


def _next(known: Rush | None, now: float) -> SetPuzzle | None:
    """Return the puzzle that is to be answered; None if no rush is under way."""
    number = known.asked(now) if known is not None else None
    return None if number is None else collection().get(number)
