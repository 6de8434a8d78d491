"""Which steps of the lessons a learner has solved: kept with the account, or in the session.

What a visitor or guest has solved moves from the session to the account at the next login.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from django.contrib.sessions.backends.base import SessionBase
from django.http import HttpRequest
from django.utils import timezone

from games.lessons.course import BY_SLUG, COURSE
from games.lessons.steps import Lesson
from games.models import SolvedStep, User

#: In the session: the numbers of the steps solved, by lesson, the latest lesson last.
SESSION_KEY: Final = "lessons"


class LessonProgress(NamedTuple):
    """`solved` are the numbers of steps by lesson, from 1, the latest lesson last."""

    solved: Mapping[str, frozenset[int]]

    def is_done(self, lesson: Lesson) -> bool:
        return not self.open_steps(lesson)

    def open_steps(self, lesson: Lesson) -> list[int]:
        """Return the numbers of the steps that are not solved yet."""
        solved = self.solved.get(lesson.slug, frozenset())
        return [number for number in range(1, len(lesson.steps) + 1) if number not in solved]

    def next_step(self, lesson: Lesson) -> int:
        """Return the step to go on with; the first one of a lesson that is done."""
        return min(self.open_steps(lesson), default=1)

    @property
    def done(self) -> int:
        return sum(self.is_done(lesson) for lesson in COURSE)

    @property
    def current(self) -> Lesson | None:
        """The lesson to go on with: the latest begun, else the first; None if all are done."""
        open_ = {lesson.slug: lesson for lesson in COURSE if not self.is_done(lesson)}
        begun = [slug for slug in self.solved if slug in open_]
        return open_[begun[-1]] if begun else next(iter(open_.values()), None)


def progress_of(request: HttpRequest) -> LessonProgress:
    """Return the progress of the account, or of the browser where nobody has logged in."""
    solved = {slug: set(numbers) for slug, numbers in in_session(request.session).items()}
    if isinstance(request.user, User):
        rows = SolvedStep.objects.filter(user=request.user)
        for slug, number in rows.values_list("lesson", "number"):
            solved[slug] = {*solved.pop(slug, ()), number}
    return LessonProgress({slug: frozenset(numbers) for slug, numbers in solved.items()})


def solve(request: HttpRequest, lesson: Lesson, number: int) -> None:
    """Store that a step has been solved; repeating it is harmless."""
    if not isinstance(request.user, User):
        known = dict(in_session(request.session))
        solved = {*known.pop(lesson.slug, ()), number}
        request.session[SESSION_KEY] = {**known, lesson.slug: sorted(solved)}
        return
    keep(request.session, request.user)
    step = SolvedStep(user=request.user, lesson=lesson.slug, number=number, at=timezone.now())
    SolvedStep.objects.bulk_create(
        [step],
        update_conflicts=True,
        unique_fields=["user", "lesson", "number"],
        update_fields=["at"],
    )


def keep(session: SessionBase, user: User) -> None:
    """Move what the session has to the account, beside what is there; repeating it is harmless."""
    known = in_session(session)
    if not known:
        return
    now = timezone.now()
    SolvedStep.objects.bulk_create(
        [
            SolvedStep(user=user, lesson=slug, number=number, at=now)
            for slug, numbers in known.items()
            if slug in BY_SLUG  # the course has changed since
            for number in numbers
        ],
        ignore_conflicts=True,
    )
    del session[SESSION_KEY]


def in_session(session: SessionBase) -> Mapping[str, list[int]]:
    known: Mapping[str, list[int]] = session.get(SESSION_KEY, {})
    return known
