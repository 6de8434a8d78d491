"""A question on a page of its own: what was answered, and what the page then shows.

What was answered stays in the address (`said`), with the number of wrong answers (`wrong`).
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse

from games.answers import SeeOther, refused
from games.engine.actions import action_text
from games.lessons import drawing, steps
from games.lessons.steps import Answer, LessonStep
from games.people.old_words import wants_old_words
from games.picture import page


def asked(request: HttpRequest, step: LessonStep, here: str) -> dict[str, Any]:
    """Return what the page of a step shows, after the answer in its address; `here` is its path."""
    given = steps.answer(step, request.GET.get("said", ""))
    wrong = _count(request.GET.get("wrong", ""))
    right = given is not None and given.reply.right
    old_words = wants_old_words(request.user, request.COOKIES)
    if given and right:
        question = drawing.solved(step, given, old_words=old_words)
    else:
        question = drawing.ask(step, given, wrong, old_words=old_words)
    return {
        "here": here,
        "wrong": wrong,
        "is_wrong": given is not None and not right,
        "is_right": right,
        "near": step.position.learner % 2,
        "wants": "card" if step.ask else "call",
        "table": question.table,
        "said": page.words(question.said),
        "more": page.words(question.more),
        "hint": page.words(question.hint),
    }


def given(request: HttpRequest, step: LessonStep) -> Answer | None:
    """Return the answer that was posted (`action`, `alone`), or None if the step has no such."""
    text = request.POST.get("action", "")
    if text.startswith("make ") and request.POST.get("alone"):
        text += " alone"
    return steps.answer(step, text)


def reply(request: HttpRequest, answer: Answer | None, here: str) -> HttpResponse:
    """Lead to the page with the reason of an answer; refuse what the step does not offer."""
    if answer is None:
        return refused(request, "Choose one of the cards or calls shown.", 422, here)
    said: dict[str, Any] = {"said": action_text(answer.action)}
    if answer.reply.right:
        return SeeOther(f"{here}?{urlencode(said)}#next")
    said["wrong"] = _count(request.POST.get("wrong", "")) + 1
    return SeeOther(f"{here}?{urlencode(said)}#prompt")


def _count(text: str) -> int:
    return min(int(text), 99) if text.isascii() and text.isdecimal() and len(text) < 4 else 0
