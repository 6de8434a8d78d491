"""Positions of played games, for the tests of the analysis board."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from games.analysis import analysing
from games.analysis.lines import Board, Line
from games.analysis.positions import BoardPosition
from games.analysis.valuing import STEPS, Sums, has_choices, value_as_data
from games.engine.observation import PLAYING, Observation
from games.engine.rules import CLASSIC_24, RuleSet
from games.files.played import PlayedGame
from tests.games.review.games import play


def game(rules: RuleSet = CLASSIC_24, seed: int = 5, hands: int = 2) -> PlayedGame:
    return play(rules, Random(seed), hands)


def choices(
    played: PlayedGame, which: Callable[[Observation], bool] = lambda _seen: True
) -> Iterator[tuple[int, int, Observation]]:
    """Yield hand, step and what the player saw, wherever there is something to choose."""
    for one in played.deals:
        for step in range(one.steps):
            deal = one.at(step)
            if deal.turn < 0 or not deal.start[0]:
                continue
            seen = deal.observe(deal.turn, one.before)
            if has_choices(seen) and which(seen):
                yield one.number, step, seen


def second_to_play(*, open_hands: bool = True) -> Board:
    """Return the board before a card of the first trick, with what was played as a line."""
    played = game()
    hand, step, seen = next(
        choices(played, lambda seen: seen.phase == PLAYING and len(seen.plays) == 2)
    )
    position = BoardPosition.of_decision(played, hand, step, open_hands=open_hands)
    line = Line(tuple(played.deals[hand - 1].deal.actions[step:]))
    return Board(position, seen.turn, (line,) if open_hands else (), as_played=open_hands)


class Valuer:
    """Values in this process, in place of a worker.

    Attributes:
        asked: the steps that were asked for.
        fails: what the next asks raise.
        meanwhile: is called during each step.
        quick: whether all choices count as worth nothing, which takes no time.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[int] = []
        self.fails: list[BaseException] = []
        self.quick = False
        self.meanwhile: Callable[[], None] = lambda: None
        monkeypatch.setattr(analysing, "Worker", lambda *_called: self)

    def ask(self, _seconds: float, seen: Observation, step: int) -> dict[str, Any]:
        """Stand for a worker process."""
        self.asked.append(step)
        if self.fails:
            raise self.fails.pop(0)
        self.meanwhile()
        if self.quick:
            before = STEPS[step - 1] if step else 0
            return Sums.none(len(seen.legal))._replace(worlds=STEPS[step] - before).to_data()
        return value_as_data(seen, step)

    def end(self) -> None:
        """Do nothing: there is no process."""
