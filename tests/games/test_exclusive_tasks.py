"""A task of which one runs at a time in a process."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from celery import Celery
from django.db import OperationalError

from games.exclusive_tasks import DailyTask, ExclusiveTask

PATIENCE = 60  # seconds before a hanging thread fails a test
app = Celery("test", set_as_current=False, broker="memory://")


class Job:
    """Work that goes on until it may end."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.at_it, self.may_end = threading.Event(), threading.Event()

    def __call__(self, what: str) -> str:
        """Work."""
        self.begun.append(what)
        self.at_it.set()
        self.may_end.wait(PATIENCE)
        return "done"


def task_of(job: Job, name: str) -> ExclusiveTask:
    """A job as a task of a worker."""

    @app.task(name=name, base=ExclusiveTask)
    def task(what: str) -> str:
        return job(what)

    return task


@pytest.fixture
def worker() -> Iterator[ThreadPoolExecutor]:
    """Another thread."""
    with ThreadPoolExecutor(1) as executor:
        yield executor


def test_a_second_one_does_nothing_until_the_first_has_ended(worker: ThreadPoolExecutor) -> None:
    job = Job()
    task = task_of(job, "first")
    running = worker.submit(task, "a")
    assert job.at_it.wait(PATIENCE)
    assert task("a") is None
    assert task.apply(args=("a",)).get() is None  # as a worker does it
    assert job.begun == ["a"]
    job.may_end.set()
    assert running.result(PATIENCE) == "done"
    assert task("a") == "done"


def test_other_tasks_and_the_same_one_of_something_else_go_on(worker: ThreadPoolExecutor) -> None:
    slow, quick = Job(), Job()
    task, other = task_of(slow, "slow"), task_of(quick, "quick")
    running = worker.submit(task, "a")
    assert slow.at_it.wait(PATIENCE)
    quick.may_end.set()
    assert other("a") == "done"
    slow.may_end.set()
    assert task("b") == "done"
    running.result(PATIENCE)


def test_one_that_fails_leaves_the_way_free() -> None:
    @app.task(name="failing", base=ExclusiveTask)
    def failing() -> None:
        raise ValueError("broken")

    for _time in range(2):
        with pytest.raises(ValueError, match="broken"):
            failing()


def test_a_daily_one_without_a_database_is_tried_again() -> None:
    tries: list[int] = []

    @app.task(name="daily", base=DailyTask)
    def daily() -> None:
        tries.append(daily.request.retries)
        if len(tries) < 3:
            raise OperationalError("the database is being started anew")

    daily.apply()
    assert tries == [0, 1, 2]
