"""When each part of the site was last at work."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from celery import Celery, Task, current_app

from games import exclusive_tasks
from games.exclusive_tasks import ExclusiveTask
from games.models import Heartbeat
from games.sockets import heartbeats
from games.sockets.heartbeats import LATE_AFTER, Health

NOON = datetime(2026, 3, 5, 12, tzinfo=UTC)

pytestmark = pytest.mark.django_db


def test_a_component_that_never_ran_has_no_last_beat() -> None:
    heartbeats.beat("schedule", NOON)
    assert heartbeats.last("web") is None


def test_only_the_latest_beat_is_kept() -> None:
    for second in (0, 1, 2):
        heartbeats.beat("web", NOON + timedelta(seconds=second))
    heartbeats.beat("schedule", NOON)
    assert heartbeats.last("web") == NOON + timedelta(seconds=2)
    assert heartbeats.last("schedule") == NOON


def test_health_is_fine_late_or_never() -> None:
    heartbeats.beat("schedule", NOON - LATE_AFTER - timedelta(seconds=1))
    heartbeats.beat("ticks", NOON - LATE_AFTER)
    assert heartbeats.health(NOON) == {
        "schedule": Health.LATE,
        "ticks": Health.FINE,
        "work": Health.NEVER,
    }


def by(task: Task[Any, Any], queue: str | None) -> None:
    """Do a task as a worker does that took it from a queue; None: as it is called."""
    info = {"routing_key": queue} if queue else None
    task.push_request(delivery_info=info)
    try:
        task()
    finally:
        task.pop_request()


@pytest.fixture
def nothing(monkeypatch: pytest.MonkeyPatch) -> Task[Any, Any]:
    """A task that finds nothing to do, in a process that has not done any."""
    monkeypatch.setattr(exclusive_tasks, "_next_beats", {})

    def do_nothing() -> None:
        pass

    app = Celery("one", set_as_current=False)
    task: Task[Any, Any] = app.task(base=ExclusiveTask, shared=False)(do_nothing)
    return task


def test_a_task_counts_as_a_heartbeat_of_its_queue(nothing: Task[Any, Any]) -> None:
    by(nothing, "work")
    assert heartbeats.last("work") is not None
    assert heartbeats.last("ticks") is None
    by(nothing, "ticks")
    assert heartbeats.last("ticks") is not None


def test_heartbeats_of_a_queue_are_throttled(
    nothing: Task[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    noted: list[str] = []
    monkeypatch.setattr(heartbeats, "beat", lambda name, _now: noted.append(name))
    clock = [100.0]
    monkeypatch.setattr(exclusive_tasks, "monotonic", lambda: clock[0])
    for _second in range(12):
        by(nothing, "ticks")
        clock[0] += 1
    assert noted == ["ticks"] * 3


def test_a_task_called_directly_is_no_heartbeat(nothing: Task[Any, Any]) -> None:
    by(nothing, None)
    assert not Heartbeat.objects.exists()


def test_every_queue_is_sent_a_task_often_enough(settings: Any) -> None:
    """Also where nothing is due: the schedule sends its tasks all the same."""
    current_app.loader.import_default_modules()
    pauses: dict[str, float] = {}
    for each in settings.CELERY_BEAT_SCHEDULE.values():
        assert isinstance(current_app.tasks[each["task"]], ExclusiveTask)
        queue = current_app.amqp.router.route({}, each["task"])["queue"].routing_key
        if isinstance(each["schedule"], float):
            pauses[queue] = min(each["schedule"], pauses.get(queue, each["schedule"]))
    assert set(pauses) == set(heartbeats.PARTS) - {"schedule"}
    for pause in pauses.values():
        assert timedelta(seconds=pause + exclusive_tasks.EVERY) < LATE_AFTER / 2
