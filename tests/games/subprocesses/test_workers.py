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


def test_a_failure_says_where_and_names_no_value() -> None:
    with Worker(functions.double, 0) as worker:
        with pytest.raises(WorkerLostError, match=r"^TypeError in program.py, line \d+$"):
            worker.ask(PATIENCE, "two", "arguments")
        with pytest.raises(WorkerLostError, match=r"^KeyError in functions.py, line \d+$"):
            worker.ask(PATIENCE, "JH")


def test_a_worker_that_does_not_start_says_why() -> None:
    def missing() -> None:
        """Be in no module."""

    with pytest.raises(WorkerLostError, match=r"has no attribute 'missing'$"):
        Worker(missing, 0)


def test_a_worker_that_dies_is_lost() -> None:
    with Worker(functions.double, 0) as worker:
        worker.process.kill()
        with pytest.raises(WorkerLostError, match="ended"):
            worker.ask(PATIENCE, 1)
