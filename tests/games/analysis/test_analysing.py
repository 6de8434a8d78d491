"""Positions are valued once, for everybody who asks, in turns, and survive a worker that dies."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from euchre_site.office import overview
from games import tasks
from games.analysis import analysing
from games.analysis.analysing import (
    FAILED,
    KEPT,
    LEASE,
    MAX_TRIES,
    analyse_due,
    ask,
    find,
    stop,
    worth_of,
)
from games.analysis.positions import BoardPosition
from games.analysis.valuing import STEPS, key_of, value_as_data
from games.models import Analysis
from games.subprocesses.client import Worker, WorkerLostError, WorkerTimeoutError
from tests.counted import value
from tests.factories import Clock
from tests.games.analysis.boards import Valuer, choices, game

pytestmark = pytest.mark.django_db


@pytest.fixture
def valuer(monkeypatch: pytest.MonkeyPatch) -> Valuer:
    return Valuer(monkeypatch)


def positions(number: int) -> list[BoardPosition]:
    played = game(hands=2 if number < 20 else 8)
    found = [(hand, step) for hand, step, _ in choices(played)]
    return [BoardPosition.of_decision(played, *one) for one in found[:number]]


def asked(position: BoardPosition, who: str = "account-1") -> Analysis:
    return ask(position, position.seen(), who)


def test_the_task_values_what_was_asked_for(valuer: Valuer) -> None:
    (position,) = positions(1)
    seen = position.seen()
    assert find(seen) is None
    made, seconds = (
        value("bower_analyses_total", state="made"),
        value("bower_analysis_seconds_count"),
    )
    asked(position)
    tasks.analyse()
    found = worth_of(seen, find(seen))
    assert found is not None
    assert found.complete
    assert {one.action for one in found.choices} == {*seen.legal}
    assert value("bower_analyses_total", state="made") == made + 1
    assert value("bower_analysis_seconds_count") == seconds + 1


def test_equal_questions_share_the_work(valuer: Valuer) -> None:
    (position,) = positions(1)
    for who in ("account-1", "guest-2"):
        asked(position, who)
        analyse_due()
    assert valuer.asked == [0, 1, 2, 3]
    assert Analysis.objects.count() == 1


def test_sixty_who_ask_at_once_have_a_turn_each(valuer: Valuer) -> None:
    """All have their first values before anybody has more, and nobody waits for all of another."""
    clock = Clock(timezone.now())
    for number, position in enumerate(positions(60)):
        asked(position, f"account-{number}")
    Analysis.objects.update(due=clock())
    valuer.meanwhile = lambda: clock.advance(1)
    valuer.quick = True
    assert analyse_due(clock) == 240
    assert valuer.asked == [step for step in range(4) for _ in range(60)]


def test_one_position_is_at_work_for_each_person(valuer: Valuer) -> None:
    first, second, third = positions(3)
    for one in (first, second, third):
        asked(one)
    due = {row.key: row.due is not None for row in Analysis.objects.all()}
    # Each was stopped when its asker went on; asking again goes on with it.
    assert due == {
        key_of(first.seen()): False,
        key_of(second.seen()): False,
        key_of(third.seen()): True,
    }
    asked(second, "guest-2")
    assert Analysis.objects.filter(due__isnull=False).count() == 2


@pytest.mark.parametrize("order", [("account-1", "guest-2"), ("guest-2", "account-1")])
def test_what_somebody_else_asked_for_is_not_stopped(
    valuer: Valuer, order: tuple[str, str]
) -> None:
    first, second = positions(2)
    for who in order:
        asked(first, who)
    asked(second)
    assert Analysis.objects.filter(due__isnull=False).count() == 2
    key = key_of(first.seen())
    assert not stop(key, "account-1")  # who asks no longer
    assert not stop(key, "10.0.0.3")
    assert Analysis.objects.get(key=key).due is not None
    assert stop(key, "guest-2")
    assert Analysis.objects.get(key=key).due is None


def test_stop_keeps_what_is_there_and_asking_goes_on(valuer: Valuer) -> None:
    (position,) = positions(1)
    seen = position.seen()
    row = asked(position)

    def stop_during_the_second_step() -> None:
        if valuer.asked == [0, 1]:
            stop(row.key, "account-1")

    valuer.meanwhile = stop_during_the_second_step
    assert analyse_due() == 1
    found = worth_of(seen, find(seen))
    assert found is not None
    assert found.worlds == STEPS[0]
    assert analyse_due() == 0
    asked(position)
    assert analyse_due() == 3
    assert valuer.asked == [0, 1, 1, 2, 3]


def test_another_worker_goes_on_after_one_that_died(valuer: Valuer) -> None:
    class Died(BaseException):
        pass

    (position,) = positions(1)
    asked(position)
    clock = Clock(timezone.now())

    def die() -> None:
        if len(valuer.asked) == 2:
            raise Died

    valuer.meanwhile = die
    with pytest.raises(Died):
        analyse_due(clock)
    assert analyse_due(clock) == 0
    clock.advance(LEASE.total_seconds())
    assert analyse_due(clock) == 3
    row = Analysis.objects.get()
    assert (row.worlds, row.tries, row.due) == (STEPS[-1], 0, None)


def test_a_slow_worker_stores_nothing_over_another(valuer: Valuer) -> None:
    (position,) = positions(1)
    asked(position)
    later = timezone.now() + timedelta(hours=1)

    def claim_too() -> None:
        Analysis.objects.update(due=later)

    valuer.meanwhile = claim_too
    assert analyse_due() == 0
    assert Analysis.objects.get().sums is None


@pytest.mark.parametrize(
    "error", [WorkerLostError("ended"), WorkerTimeoutError("no answer"), RuntimeError("no worlds")]
)
def test_what_fails_is_tried_again_and_then_said(valuer: Valuer, error: Exception) -> None:
    (position,) = positions(1)
    asked(position)
    valuer.fails = [error] * MAX_TRIES
    analyse_due()
    row = Analysis.objects.get()
    assert (row.error, row.due, row.made) == (FAILED, None, None)
    asked(position)
    assert analyse_due() == len(STEPS)
    assert Analysis.objects.get().error == ""


def test_values_come_from_a_process_of_their_own() -> None:
    (position,) = positions(1)
    with Worker(value_as_data, analysing.NICENESS) as worker:
        data = worker.ask(analysing.STEP_LIMIT, position.seen(), 0)
    here = value_as_data(position.seen(), 0)
    assert data["points"] == [*here["points"]]
    assert analysing.NICENESS > 10  # reviews of games go first


def test_positions_are_kept_for_a_day(valuer: Valuer) -> None:
    for position in positions(2):
        asked(position)
    old = Analysis.objects.first()
    assert old is not None
    Analysis.objects.filter(pk=old.pk).update(asked=timezone.now() - KEPT)
    tasks.forget_analyses()
    assert Analysis.objects.count() == 1


def test_staff_see_when_nobody_works() -> None:
    (position,) = positions(1)
    asked(position)

    def said(minutes: int) -> tuple[str, str]:
        found = overview.overview(timezone.now() + timedelta(minutes=minutes)).waiting
        line = next(one for one in found if one.title == "Positions to be worked out")
        return line.level, line.details

    assert said(0)[1] == "1 position waiting."
    assert "the oldest since" in said(3)[1]
    assert said(0)[0] != said(3)[0]
