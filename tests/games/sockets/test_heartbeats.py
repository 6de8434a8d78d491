"""When each part of the site was last at work."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from games import tasks
from games.sockets import heartbeats
from games.sockets.heartbeats import LATE_AFTER, Health

NOON = datetime(2026, 3, 5, 12, tzinfo=UTC)

pytestmark = pytest.mark.django_db


def test_a_part_that_never_was_at_work_has_no_last_beat() -> None:
    heartbeats.beat("schedule", NOON)
    assert heartbeats.last("web") is None


def test_the_last_beat_takes_the_place_of_the_one_before() -> None:
    for second in (0, 1, 2):
        heartbeats.beat("web", NOON + timedelta(seconds=second))
    heartbeats.beat("schedule", NOON)
    assert heartbeats.last("web") == NOON + timedelta(seconds=2)
    assert heartbeats.last("schedule") == NOON


def test_a_part_is_fine_then_late_and_before_all_that_never_seen() -> None:
    heartbeats.beat("schedule", NOON - LATE_AFTER - timedelta(seconds=1))
    heartbeats.beat("ticks", NOON - LATE_AFTER)
    assert heartbeats.health(NOON) == {
        "schedule": Health.LATE,
        "ticks": Health.FINE,
        "work": Health.NEVER,
    }


def test_every_queue_gives_its_sign_by_a_task_of_its_own(settings: Any) -> None:
    beats = {
        each["options"]["queue"]: each
        for each in settings.CELERY_BEAT_SCHEDULE.values()
        if each["task"] == tasks.beat.name
    }
    assert set(beats) == {queue.name for queue in settings.CELERY_TASK_QUEUES}
    for queue, each in beats.items():
        assert timedelta(seconds=each["schedule"]) < LATE_AFTER / 2
        tasks.beat(*each["args"])
        assert heartbeats.last(queue) is not None
    assert set(beats) < set(heartbeats.PARTS)
