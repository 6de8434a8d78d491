"""Which steps of the lessons a browser's learner has solved, kept in the session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from django.contrib.sessions.backends.base import SessionBase

from games.lessons.course import COURSE
from games.lessons.steps import Lesson

#: In the session: the numbers of the steps solved, by lesson, the latest lesson last.
SESSION_KEY: Final = "lessons"


class Progress(NamedTuple):
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


def progress_in(session: SessionBase) -> Progress:
    known = session.get(SESSION_KEY, {})
    return Progress({slug: frozenset(numbers) for slug, numbers in known.items()})


def solve(session: SessionBase, lesson: Lesson, number: int) -> None:
    """Store that a step has been solved."""
    known = dict(session.get(SESSION_KEY, {}))
    solved = {*known.pop(lesson.slug, ()), number}
    session[SESSION_KEY] = {**known, lesson.slug: sorted(solved)}
