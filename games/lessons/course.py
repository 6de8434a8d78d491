"""The ten lessons, read from ``course.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from games.engine.actions import parse_action
from games.engine.cards import parse_card
from games.engine.rules import RULE_SETS
from games.lessons.steps import Lesson, LessonPosition, LessonStep, Reply

_DATA: Final = Path(__file__).with_name("course.toml")


def _lesson(data: Mapping[str, Any]) -> Lesson:
    cards = tuple(parse_card(card) for card in data["cards"])
    steps = tuple(_step(step) for step in data["step"])
    return Lesson(data["slug"], data["title"], data["about"], cards, steps)


def _step(data: Mapping[str, Any]) -> LessonStep:
    position = LessonPosition(
        RULE_SETS[data["rules"]],
        data["dealer"],
        tuple(data["hands"]),
        data["turn_up"],
        tuple(data.get("score", (0, 0))),
    )
    return LessonStep(
        data["say"],
        data["more"],
        data.get("ask", ""),
        data["learnt"],
        position,
        data.get("moves", ""),
        tuple(
            Reply(
                tuple(parse_action(text) for text in reply["to"]),
                reply["why"],
                reply.get("right", False),
                tuple(reply.get("facts", ())),
                reply.get("then", ""),
            )
            for reply in data["reply"]
        ),
        data.get("tagged", True),
    )


COURSE: Final = tuple(
    _lesson(data) for data in tomllib.loads(_DATA.read_text(encoding="utf-8"))["lesson"]
)
BY_SLUG: Final = {lesson.slug: lesson for lesson in COURSE}
