"""Reviews are made once, in any number of workers, and survive a worker that dies."""

from __future__ import annotations

import signal
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from games import tasks
from games.engine.rules import HEADS_UP
from games.files.played import PlayedDeal
from games.models import GameEvent, Puzzle, Review
from games.records.game_files import played_of
from games.review import puzzles, reviewing
from games.review.decisions import decisions
from games.review.reports import VERSION, Judged, from_data, judge_as_data
from games.review.reviewing import (
    HAND_LIMIT,
    LEASE,
    MAX_TRIES,
    NICENESS,
    TOO_LONG,
    ask,
    report_of,
    review_due,
)
from games.subprocesses.client import Worker
from tests.counted import value
from tests.factories import Clock, cast, play_out, player, table
from tests.games.review.judges import Died, Judge, played, reviewed
from tests.games.subprocesses import functions

pytestmark = pytest.mark.django_db


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Judge:
    made = Judge()
    made.instead(monkeypatch)
    return made


def seen(report: list[Judged] | tuple[Judged, ...]) -> list[tuple[int, int, int]]:
    return [(one.hand, one.step, one.seat) for one in report]


def test_the_task_reviews_every_decision_of_every_seat(judge: Judge) -> None:
    game = played()
    assert report_of(game) is None
    ask(game)
    tasks.review()
    report = report_of(game)
    assert report is not None
    expected = [(one.hand, one.step, one.seat) for one in decisions(played_of(game))]
    assert seen(report.decisions) == expected
    review = Review.objects.get()
    assert (review.done, review.hands) == (len(judge.hands), len(played_of(game).deals))
    assert review.due is None
    assert not review.failed


def test_a_review_is_made_once(judge: Judge) -> None:
    game = played()
    for _ in range(2):
        ask(game)
        review_due()
    assert len(judge.hands) == len(set(judge.hands))
    assert Review.objects.count() == 1


def test_a_running_game_is_not_reviewed() -> None:
    game = table(*cast()).games.get()
    assert ask(game) is None
    assert not Review.objects.exists()


def test_another_worker_goes_on_where_one_was_killed(judge: Judge) -> None:
    game, clock = played(), Clock(timezone.now() + timedelta(seconds=1))
    ask(game)
    judge.dies_at = 3
    with pytest.raises(Died):
        review_due(clock)
    judge.dies_at = 0
    assert review_due(clock) == 0  # the dead worker still has it
    assert Review.objects.get().done == 2
    clock.advance(LEASE.total_seconds())
    assert review_due(clock) == 1
    hands = [deal.number for deal in played_of(game).deals]
    assert judge.hands == hands
    report = report_of(game)
    assert report is not None
    assert seen(report.decisions) == seen(
        [one for deal in played_of(game).deals for one in _judged(judge, deal)]
    )


def _judged(judge: Judge, deal: PlayedDeal) -> list[Judged]:
    return list(from_data(judge.ask(0.0, deal, "")).decisions)


def test_a_slow_worker_stops_when_another_has_taken_over(
    judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = played()
    ask(game)
    plain = judge.ask

    def overtaken(*args: Any) -> list[dict[str, Any]]:
        Review.objects.update(due=timezone.now() + timedelta(hours=1))
        return plain(*args)

    monkeypatch.setattr(judge, "ask", overtaken)
    assert review_due() == 0
    assert judge.hands == [1]
    assert Review.objects.get().done == 0


def test_a_review_that_fails_again_and_again_can_be_tried_again(judge: Judge) -> None:
    game = played()
    ask(game)
    judge.fails = True
    assert review_due() == 0
    review = Review.objects.get()
    assert review.failed
    assert review.error
    assert review.tries == MAX_TRIES
    assert review_due() == 0
    judge.fails = False
    ask(game)
    assert review_due() == 1
    assert not Review.objects.get().failed


def test_restarts_of_the_site_are_no_failed_tries(judge: Judge) -> None:
    clock = Clock(timezone.now() + timedelta(seconds=1))
    ask(played())
    judge.dies_at = 1
    for _ in range(MAX_TRIES + 1):
        with pytest.raises(Died):
            review_due(clock)
        clock.advance(LEASE.total_seconds())
    judge.dies_at = 0
    assert review_due(clock) == 1


def test_a_review_whose_puzzles_cannot_be_made_fails(
    judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(played())
    monkeypatch.delattr(puzzles, "make")
    assert review_due() == 0
    assert Review.objects.get().failed


def test_a_judge_that_hangs_is_stopped_and_holds_up_no_other_review(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    workers: list[Worker] = []

    def hanging(_function: object, niceness: int) -> Worker:
        workers.append(Worker(functions.never_done, niceness))
        return workers[-1]

    monkeypatch.setattr(reviewing, "Worker", hanging)
    monkeypatch.setattr(reviewing, "HAND_LIMIT", 0.0)
    first, second = played(), played(HEADS_UP)
    for game in (first, second):
        ask(game)
    assert review_due() == 0
    assert [one.process.poll() for one in workers] == [-signal.SIGKILL] * 2
    assert {review.error for review in Review.objects.all()} == {TOO_LONG}
    page = Client().get(f"/games/{first.pk}/review/").content.decode()
    assert TOO_LONG in page
    assert "Try again" in page
    Judge().instead(monkeypatch)
    ask(first)
    assert review_due() == 1


def test_reviews_are_counted(judge: Judge) -> None:
    def counts() -> list[float]:
        states = ("asked", "made", "failed")
        told = [value("bower_reviews_total", state=state) for state in states]
        return [*told, value("bower_review_seconds_count")]

    before = counts()
    first, second = played(), played(HEADS_UP)
    ask(first)
    ask(first)
    review_due()
    judge.fails = True
    ask(second)
    review_due()
    judge.fails = False
    ask(second)
    review_due()
    assert [now - then for now, then in zip(counts(), before, strict=True)] == [3, 2, 1, 2]


def test_a_review_of_an_older_version_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    game = reviewed(monkeypatch, played())
    Review.objects.update(version=VERSION - 1)
    ask(game)
    assert report_of(game) is None
    assert review_due() == 1
    assert Review.objects.get().version == VERSION


def test_what_a_house_player_did_for_somebody_is_not_theirs(judge: Judge) -> None:
    game = played(by=GameEvent.By.HOUSE)
    ask(game)
    review_due()
    report = report_of(game)
    assert report is not None
    assert all(one.stood_in for one in report.decisions)
    assert [report.of(seat) for seat in range(4)] == [[], [], [], []]
    assert not Puzzle.objects.exists()


def test_house_players_answer_for_their_own_seats(judge: Judge) -> None:
    game = play_out(table(player("Maeve"), house_seats=(1, 2, 3)), by=GameEvent.By.HOUSE)
    ask(game)
    review_due()
    report = report_of(game)
    assert report is not None
    assert all(one.stood_in == (one.seat == 0) for one in report.decisions)


def test_judging_in_a_process_of_its_own_gives_the_same() -> None:
    deal = played_of(played(HEADS_UP)).deals[0]
    with Worker(judge_as_data, NICENESS) as judge:
        there = judge.ask(HAND_LIMIT, deal, "seed", frozenset({2}))
        process = Path(f"/proc/{judge.process.pid}")
        assert b"KEY" not in (process / "environ").read_bytes()
        assert "_ssl" not in (process / "maps").read_text()  # nothing of the site is imported
    assert there == judge_as_data(deal, "seed", {2})
