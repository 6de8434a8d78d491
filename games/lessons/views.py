"""The list of lessons, and the page of each step."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.views.decorators.http import require_http_methods, require_safe

from games.lessons import asking, progress
from games.lessons.course import BY_SLUG, COURSE
from games.lessons.steps import Lesson


@require_safe
def lessons(request: HttpRequest) -> HttpResponse:
    known = progress.progress_of(request)
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
    number = progress.progress_of(request).next_step(found)
    return redirect(_address(found, number))


@require_http_methods(["GET", "HEAD", "POST"])
def step(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Ask a step; take an answer (`action`, `alone`) by POST."""
    found = _lesson(slug)
    if not 1 <= number <= len(found.steps):
        raise Http404("This lesson has no such step.")
    step, here = found.steps[number - 1], _address(found, number)
    if request.method == "POST":
        answer = asking.given(request, step)
        if answer is not None and answer.reply.right:
            progress.solve(request, found, number)
        return asking.reply(request, answer, here)
    context: dict[str, Any] = {
        "lesson": found,
        "place": COURSE.index(found) + 1,
        "places": len(COURSE),
        "number": number,
        "back": _address(found, number - 1) if number > 1 else resolve_url("lessons"),
        **asking.asked(request, step, here),
        **_next(found, number),
    }
    return render(request, "games/lessons/step.html", context)


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
