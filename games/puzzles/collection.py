"""The set of puzzles that everybody is asked, read from ``puzzles.json``.

`tests/load/puzzle_set.py` makes the file. Progress is kept by the number of a puzzle, so a puzzle
that is replaced leaves its number, and its successor gets a new one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final

from games.analysis.positions import BoardPosition
from games.engine.actions import parse_action
from games.engine.cards import cards_in
from games.engine.observation import Standing
from games.engine.rules import RULE_SETS
from games.files.played import PlayedDeal, PlayedGame
from games.lessons.drawing import CASTS
from games.lessons.steps import LessonPosition
from games.review.decisions import SeatDecision
from games.review.judging import MISTAKE, Judgement, Option
from games.review.reports import Judged

#: Who sits at the table: Ben, Jonah, the reader at South, Iris.
CAST: Final = CASTS[4]
_DATA: Final = Path(__file__).with_name("puzzles.json")
#: By key in the file, in the order of the page.
THEMES: Final = {
    "first round": "The first round",
    "second round": "The second round",
    "alone": "Alone or not",
    "discard": "The discard",
    "lead": "Leading",
    "play": "Following",
    "defence": "Defending",
    "left bower": "The left bower",
}
STRENGTHS: Final = {1: "Easy", 2: "Medium", 3: "Hard"}
#: Worlds in which each was judged.
WORLDS: Final = 600


class SetPuzzle:
    """A puzzle of the set, asked of South."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.number: int = data["number"]
        self.theme: str = data["theme"]
        self.strength: int = data["strength"]
        self._data = data

    @property
    def theme_name(self) -> str:
        return THEMES[self.theme]

    @property
    def strength_name(self) -> str:
        return STRENGTHS[self.strength]

    @property
    def hand(self) -> tuple[int, ...]:
        return tuple(cards_in(self.decision.seen.hand))

    @cached_property
    def played(self) -> PlayedDeal:
        """The deal up to the question."""
        data = self._data
        position = LessonPosition(
            RULE_SETS[data["rules"]], data["dealer"], tuple(data["hands"]), data["turn_up"]
        )
        standing = Standing(tuple(data["score"]))
        return PlayedDeal(position.after(data["moves"]), standing, standing)

    @cached_property
    def decision(self) -> SeatDecision:
        deal = self.played.deal
        seen = deal.observe(deal.turn, self.played.before)
        return SeatDecision(1, len(deal.actions), seen, parse_action(self._data["tempting"]))

    @cached_property
    def board(self) -> BoardPosition:
        """The question on the analysis board, as far as South knows it."""
        rules = self.played.deal.rules
        game = PlayedGame(rules, tuple(person.name for person in CAST), (self.played,))
        return BoardPosition.of_decision(game, 1, self.decision.step)

    @cached_property
    def judged(self) -> Judged:
        """The judgement of the answer that is most likely to tempt."""
        options = tuple(
            Option(parse_action(text), value) for text, value in self._data["values"].items()
        )
        taken, best = self.decision.taken, options[0]
        loss = best.value - dict(options)[taken]
        verdict = Judgement(MISTAKE, best.action, loss, self._data["error"], WORLDS, options)
        return Judged(1, self.decision.step, self.decision.seat, taken, False, verdict)


@lru_cache(maxsize=1)
def collection() -> Mapping[int, SetPuzzle]:
    """Return the puzzles by number, in order."""
    puzzles = [SetPuzzle(data) for data in json.loads(_DATA.read_text(encoding="utf-8"))]
    return {one.number: one for one in puzzles}
