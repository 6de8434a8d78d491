"""Strong house players' decisions in processes of their own, and what happens without them."""

from __future__ import annotations

import os
import resource
import signal
import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from prometheus_client import Counter
from structlog.testing import capture_logs

from games.bots import levels
from games.engine.actions import Action
from games.engine.deal import Deal
from games.engine.observation import Observation
from games.engine.rules import CLASSIC_24
from games.live import thinking
from games.live.thinking import FEWER_WORLDS, FIRST_PAUSE, LONGEST_PAUSE, WorkerPool
from games.sockets import metrics
from games.subprocesses.client import Worker, WorkerLostError
from tests.chance import shuffled_pack

#: Highest file number, and one more, that ``select`` can wait for.
FD_SETSIZE = 1024
#: Seconds to wait for a process that starts.
PATIENCE = 60.0


class Time:
    """A clock that stands still."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def workers(settings: Any, monkeypatch: pytest.MonkeyPatch, time: Time) -> Iterator[WorkerPool]:
    settings.HOUSE_PROCESSES = 1
    for name in ("WAIT", "GUESSING", "ANSWER"):
        monkeypatch.setattr(thinking, name, PATIENCE)
    pool = WorkerPool(time)
    monkeypatch.setattr(thinking, "pool", pool)
    yield pool
    pool.close()


def positions(count: int) -> Iterator[Observation]:
    """Yield what seats see at their turns in a deal, where they have a choice."""
    rng = Random(1)
    while True:
        deal = Deal.from_pack(CLASSIC_24, 0, shuffled_pack(CLASSIC_24, rng))
        while deal.result is None:
            seen = deal.observe(deal.turn)
            if len(seen.legal) > 1:
                yield seen
                count -= 1
                if not count:
                    return
            deal.apply(levels.choose(levels.STEADY, seen, rng))


def counted(metric: Counter, *labels: str) -> float:
    child = metric.labels(*labels) if labels else metric
    return child._value.get()  # type: ignore[no-any-return]


def test_a_worker_chooses_what_this_process_would(workers: WorkerPool) -> None:
    for seed, seen in enumerate(positions(8)):
        here = levels.choose(levels.STRONG, seen, Random(seed))
        assert workers.ask(levels.STRONG, seen, seed) == here
    assert len(workers._free) == 1


def test_a_worker_that_is_killed_is_replaced(workers: WorkerPool, time: Time) -> None:
    first, second, third = positions(3)
    assert workers.ask(levels.STRONG, first, 1) in first.legal
    lost = counted(metrics.house_workers_lost)
    (worker,) = workers._free
    os.kill(worker.process.pid, signal.SIGKILL)
    worker.process.wait()
    assert workers.ask(levels.STRONG, second, 1) is None
    assert counted(metrics.house_workers_lost) == lost + 1
    time.now += FIRST_PAUSE
    assert workers.ask(levels.STRONG, third, 1) in third.legal
    assert workers._free[0].process.pid != worker.process.pid


def test_a_worker_answers_where_very_many_files_are_open(workers: WorkerPool) -> None:
    few, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    first, second = positions(2)
    opened: list[int] = []
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    try:
        while not opened or opened[-1] <= FD_SETSIZE:
            opened.append(os.open(os.devnull, os.O_RDONLY))
        assert workers.ask(levels.STRONG, first, 1) in first.legal
        assert workers.ask(levels.STRONG, second, 1) in second.legal
    finally:
        for number in opened:
            os.close(number)
        resource.setrlimit(resource.RLIMIT_NOFILE, (few, most))


def test_a_worker_whose_answer_is_no_action_is_replaced(
    workers: WorkerPool, monkeypatch: pytest.MonkeyPatch, time: Time
) -> None:
    first, second, third = positions(3)
    assert workers.ask(levels.STRONG, first, 1) in first.legal
    (worker,) = workers._free
    with monkeypatch.context() as patched, capture_logs() as lines:
        patched.setattr(worker, "ask", lambda *_request: "trump the sun")
        assert workers.ask(levels.STRONG, second, 1) is None
    assert worker.process.poll() is not None
    assert [line["event"] for line in lines] == ["house player's worker lost"]
    time.now += FIRST_PAUSE
    assert workers.ask(levels.STRONG, third, 1) in third.legal


async def test_while_no_worker_is_free_the_choice_is_made_here(
    workers: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    (seen,) = positions(1)
    assert workers.ask(levels.STRONG, seen, 1) in seen.legal
    monkeypatch.setattr(thinking, "WAIT", 0.0)
    here = counted(metrics.house_choices, "here")
    busy = workers._free.pop()
    asked: list[int] = []
    choose = levels.choose

    def noting(level: str, seen: Observation, rng: Random, worlds: int, seconds: float) -> Action:
        asked.append(worlds)
        return choose(level, seen, rng, worlds, seconds)

    monkeypatch.setattr(levels, "choose", noting)
    assert await thinking.choose(levels.STRONG, seen) in seen.legal
    assert asked == [FEWER_WORLDS]
    assert counted(metrics.house_choices, "here") == here + 1
    workers._free.append(busy)


def test_workers_that_do_not_start_are_tried_again_after_growing_pauses(
    workers: WorkerPool, monkeypatch: pytest.MonkeyPatch, time: Time
) -> None:
    started: list[float] = []

    def fail(*_called: object) -> None:
        started.append(time.now)
        raise WorkerLostError("ModuleNotFoundError: No module named 'games.bots'")

    (seen,) = positions(1)
    with monkeypatch.context() as patched, capture_logs() as lines:
        patched.setattr(thinking, "Worker", fail)
        for _ in range(300):
            assert workers.ask(levels.STRONG, seen, 1) is None
            time.now += 0.5
    pauses = [later - earlier for earlier, later in pairwise(started)]
    assert pauses == [1, 2, 4, 8, 16, 32, LONGEST_PAUSE]
    assert {line["reason"] for line in lines} == {workers.why_failing}
    assert workers.why_failing == "ModuleNotFoundError: No module named 'games.bots'"
    time.now += LONGEST_PAUSE
    assert workers.ask(levels.STRONG, seen, 1) in seen.legal
    assert workers.why_failing == ""


def test_no_table_waits_for_a_worker_to_start(
    workers: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thinking, "WAIT", 0.0)
    may_start = threading.Event()

    def slowly(*called: Any) -> Worker:
        may_start.wait()
        return Worker(*called)

    monkeypatch.setattr(thinking, "Worker", slowly)
    first, second = positions(2)
    assert workers.ask(levels.STRONG, first, 1) is None
    may_start.set()
    monkeypatch.setattr(thinking, "WAIT", PATIENCE)
    assert workers.ask(levels.STRONG, second, 1) in second.legal


def test_a_late_answer_is_dropped_and_its_worker_goes_on(
    workers: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third = positions(3)
    assert workers.ask(levels.STRONG, first, 1) in first.legal
    (worker,) = workers._free
    late, lost = counted(metrics.house_answers_late), counted(metrics.house_workers_lost)
    worker.process.send_signal(signal.SIGSTOP)  # as a busy machine does
    with monkeypatch.context() as patched:
        patched.setattr(thinking, "ANSWER", 0.0)
        assert workers.ask(levels.STRONG, second, 1) is None
    worker.process.send_signal(signal.SIGCONT)
    assert workers.ask(levels.STRONG, third, 1) == levels.choose(levels.STRONG, third, Random(1))
    assert workers._free == [worker]
    assert counted(metrics.house_answers_late) == late + 1
    assert counted(metrics.house_workers_lost) == lost


def test_a_worker_that_hangs_is_replaced(
    workers: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = positions(2)
    assert workers.ask(levels.STRONG, first, 1) in first.legal
    (worker,) = workers._free
    worker.process.send_signal(signal.SIGSTOP)
    monkeypatch.setattr(thinking, "ANSWER", 0.0)
    monkeypatch.setattr(thinking, "HANGS", 0.0)
    assert workers.ask(levels.STRONG, second, 1) is None
    with workers._changed:
        assert workers._changed.wait_for(lambda: not workers._running, PATIENCE)
    assert worker.process.poll() == -signal.SIGKILL


def test_a_worker_guesses_no_longer_than_it_has_time(
    workers: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thinking, "GUESSING", 0.0)
    for seed, seen in enumerate(positions(8)):
        one_guess = levels.choose(levels.STRONG, seen, Random(seed), seconds=0.0)
        assert workers.ask(levels.STRONG, seen, seed) == one_guess


def test_a_waiting_decision_gets_the_next_free_worker(workers: WorkerPool) -> None:
    answers: list[object] = []
    threads = [
        threading.Thread(target=lambda seen=seen: answers.append(workers.ask("strong", seen, 1)))
        for seen in positions(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 3
    assert None not in answers
    assert workers._running == 1


async def test_a_steady_player_needs_no_worker(
    workers: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(thinking, "Worker")
    for seen in positions(3):
        assert await thinking.choose(levels.STEADY, seen) in seen.legal


def test_a_worker_gets_no_keys_and_imports_nothing_of_the_site(workers: WorkerPool) -> None:
    (seen,) = positions(1)
    workers.ask(levels.STRONG, seen, 1)
    (worker,) = workers._free
    process = Path(f"/proc/{worker.process.pid}")
    assert b"KEY" not in (process / "environ").read_bytes()
    assert "_ssl" not in (process / "maps").read_text()
