"""The list of lessons, and the page of each step."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.views.decorators.http import require_http_methods, require_safe

from games.answers import SeeOther, refused
from games.engine.actions import action_text
from games.lessons import drawing, progress, steps
from games.lessons.course import BY_SLUG, COURSE
from games.lessons.steps import Lesson
from games.picture import page


@require_safe
def lessons(request: HttpRequest) -> HttpResponse:
    known = progress.progress_in(request.session)
    current = known.current
    rows = [
        {
            "lesson": lesson,
            "number": number,
            "done": known.is_done(lesson),
            "now": lesson is current,
            "step": known.next_step(lesson),
        }
        for number, lesson in enumerate(COURSE, 1)
    ]
    context = {
        "rows": rows,
        "current": next((row for row in rows if row["now"]), None),
        "done": known.done,
        "begun": bool(known.solved),
    }
    return render(request, "games/lessons/lessons.html", context)


@require_safe
def lesson(request: HttpRequest, slug: str) -> HttpResponse:
    """Lead to the step of a lesson to go on with."""
    found = _lesson(slug)
    number = progress.progress_in(request.session).next_step(found)
    return redirect(_address(found, number))


@require_http_methods(["GET", "HEAD", "POST"])
def step(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Ask a step; take an answer (`action`, `alone`) by POST.

    What was answered stays in the address (`said`), with the number of wrong answers (`wrong`).
    """
    found = _lesson(slug)
    if not 1 <= number <= len(found.steps):
        raise Http404("This lesson has no such step.")
    if request.method == "POST":
        return _answer(request, found, number)
    asked = found.steps[number - 1]
    given = steps.answer(asked, request.GET.get("said", ""))
    wrong = _count(request.GET.get("wrong", ""))
    if given is not None and given.reply.right:
        question = drawing.solved(asked, given)
    else:
        question = drawing.ask(asked, given, wrong)
    context: dict[str, Any] = {
        "lesson": found,
        "place": COURSE.index(found) + 1,
        "places": len(COURSE),
        "number": number,
        "here": _address(found, number),
        "wrong": wrong,
        "is_wrong": given is not None and not given.reply.right,
        "is_right": given is not None and given.reply.right,
        "near": asked.position.learner % 2,
        "wants": "card" if asked.ask else "call",
        "table": question.table,
        "said": page.words(question.said),
        "more": page.words(question.more),
        "hint": page.words(question.hint),
        "back": _address(found, number - 1) if number > 1 else resolve_url("lessons"),
        **_next(found, number),
    }
    return render(request, "games/lessons/step.html", context)


def _answer(request: HttpRequest, found: Lesson, number: int) -> HttpResponse:
    here, asked = _address(found, number), found.steps[number - 1]
    text = request.POST.get("action", "")
    if text.startswith("make ") and request.POST.get("alone"):
        text += " alone"
    given = steps.answer(asked, text)
    if given is None:
        return refused(request, "Choose one of the cards or calls shown.", 422, here)
    if given.reply.right:
        progress.solve(request.session, found, number)
        query = urlencode({"said": action_text(given.action)})
        return SeeOther(f"{here}?{query}#next")
    wrong = _count(request.POST.get("wrong", "")) + 1
    query = urlencode({"said": action_text(given.action), "wrong": wrong})
    return SeeOther(f"{here}?{query}#prompt")


def _next(found: Lesson, number: int) -> dict[str, str]:
    """Return where a solved step leads: on, to the next lesson, or back to the list."""
    if number < len(found.steps):
        return {"next": f"{_address(found, number + 1)}#prompt", "next_words": "Next"}
    place = COURSE.index(found) + 1
    if place < len(COURSE):
        to = f"{_address(COURSE[place], 1)}#prompt"
        return {"next": to, "next_words": f"Next lesson: {COURSE[place].title}"}
    return {"next": resolve_url("lessons"), "next_words": "To all lessons"}


def _lesson(slug: str) -> Lesson:
    if slug not in BY_SLUG:
        raise Http404("There is no such lesson.")
    return BY_SLUG[slug]


def _address(lesson: Lesson, number: int) -> str:
    return resolve_url("lesson_step", lesson.slug, number)


def _count(text: str) -> int:
    return min(int(text), 99) if text.isascii() and text.isdecimal() and len(text) < 4 else 0
