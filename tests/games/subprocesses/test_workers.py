"""Worker processes: what they answer, and that none outlives the process that started it."""

from __future__ import annotations

import signal

import pytest

from games.subprocesses.client import Worker, WorkerLostError, WorkerTimeoutError
from tests.games.subprocesses import functions

PATIENCE = 60.0


def test_a_worker_answers_one_request_after_another() -> None:
    with Worker(functions.double, 0) as worker:
        assert [worker.ask(PATIENCE, number) for number in range(3)] == [0, 2, 4]
    assert worker.process.poll() is not None


def test_a_worker_that_is_busy_ends_with_its_input() -> None:
    with Worker(functions.never_done, 0) as worker:
        with pytest.raises(WorkerTimeoutError):
            worker.ask(0.0)
        assert worker.process.stdin is not None
        worker.process.stdin.close()  # as the kernel does when the server is killed
        assert worker.process.wait(PATIENCE) == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_to_all_processes_of_a_site_do_not_end_a_worker(number: signal.Signals) -> None:
    with Worker(functions.double, 0) as worker:
        assert worker.ask(PATIENCE, 1) == 2
        worker.process.send_signal(number)
        assert worker.ask(PATIENCE, 2) == 4


def test_a_worker_that_dies_is_lost() -> None:
    with Worker(functions.double, 0) as worker, pytest.raises(WorkerLostError):
        worker.ask(PATIENCE, "two", "arguments")
