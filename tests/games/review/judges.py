"""A judge that costs no time, and games it has judged."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import nullcontext
from typing import Any

import pytest

from games.engine.rules import CLASSIC_24, RuleSet
from games.files.played import PlayedDeal
from games.models import Game, GameEvent, Player
from games.review import reviewing
from games.review.decisions import SeatDecision, decisions_in
from games.review.judging import BLUNDER, Judgement, Option
from games.review.reports import Judged, to_data
from tests.factories import cast, play_out, table


class Died(BaseException):
    """The worker is killed."""


class Judge:
    """Takes every decision for a blunder, the last other option for the best.

    Attributes:
        hands: the hands judged so far.
        dies_at: the hand before which the worker is killed, or 0.
        fails: whether judging fails.
    """

    def __init__(self) -> None:
        self.hands: list[int] = []
        self.dies_at = 0
        self.fails = False

    def ask(
        self, _seconds: float, played: PlayedDeal, _seed: str, stood_in: Collection[int] = ()
    ) -> list[dict[str, Any]]:
        """Stand for a worker process."""
        if played.number == self.dies_at:
            raise Died
        if self.fails:
            raise RuntimeError("no worlds")
        self.hands.append(played.number)
        return to_data([blunder(one, one.step in stood_in) for one in decisions_in(played)])

    def instead(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(reviewing, "Worker", lambda *_called: nullcontext(self))


def blunder(one: SeatDecision, stood_in: bool) -> Judged:
    others = [option for option in one.seen.legal if option != one.taken]
    options = [Option(others[-1], 1.0), Option(one.taken, -0.5)]
    options += [Option(other, -0.75) for other in others[:-1]]
    verdict = Judgement(BLUNDER, others[-1], 1.5, 0.1, 100, tuple(options))
    return Judged(one.hand, one.step, one.seat, one.taken, stood_in, verdict)


def played(
    rules: RuleSet = CLASSIC_24,
    *,
    open_to_all: bool = True,
    by: str = GameEvent.By.PERSON,
    people: tuple[Player, ...] = (),
) -> Game:
    """Return a game that has been played out by chance."""
    players = people or cast()[: rules.players]
    return play_out(table(*players, rules=rules, open=open_to_all), by=by)


def reviewed(monkeypatch: pytest.MonkeyPatch, game: Game) -> Game:
    """Review a game with such a judge."""
    Judge().instead(monkeypatch)
    assert reviewing.ask(game) is not None
    assert reviewing.review_due() == 1
    return game
