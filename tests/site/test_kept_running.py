"""Services that end by themselves are restarted, and the log says why."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from structlog.testing import capture_logs

from euchre_site.run.server import ServiceThread

PATIENCE = 60  # seconds before a hanging thread fails a test


class Parts:
    """Makes services that end as given, one after the other, and then one that runs on."""

    def __init__(self, *ends: Callable[[], object]) -> None:
        self.ends = iter(ends)
        self.made = 0
        self.well, self.stop = threading.Event(), threading.Event()

    def __call__(self) -> "Parts":
        self.made += 1
        return self

    def start(self) -> None:
        if how := next(self.ends, None):
            how()
        else:
            self.well.set()
            self.stop.wait(PATIENCE)


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ServiceThread, "FIRST_WAIT", 0.0)


@pytest.fixture
def lines() -> Iterator[list[Any]]:
    with capture_logs() as logged:
        yield logged


def ends_by(error: BaseException) -> Callable[[], object]:
    def end() -> None:
        raise error

    return end


def test_a_service_that_ends_is_restarted(lines: list[Any]) -> None:
    parts = Parts(ends_by(ValueError("no such queue")), ends_by(SystemExit(1)), lambda: None)
    thread = ServiceThread("worker", parts)
    thread.start()
    assert parts.well.wait(PATIENCE)
    assert parts.made == 4
    assert [(line["log_level"], line["part"], line["reason"]) for line in lines] == [
        ("error", "worker", "ValueError: no such queue"),
        ("error", "worker", "SystemExit: 1"),
        ("error", "worker", "stopped unexpectedly"),
    ]
    thread.request_stop()
    parts.stop.set()
    thread.join(PATIENCE)
    assert not thread.is_alive()
    assert parts.made == 4


def test_restarts_are_delayed_increasingly(
    lines: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ServiceThread, "FIRST_WAIT", 0.001)
    monkeypatch.setattr(ServiceThread, "LONGEST_WAIT", 0.004)
    parts, left = Parts(), iter(range(4))

    def make() -> Parts:
        if next(left, None) is not None:
            raise OSError("too many open files")
        return parts

    thread = ServiceThread("schedule", make)
    thread.start()
    assert parts.well.wait(PATIENCE)
    assert [line["seconds"] for line in lines] == [0.001, 0.002, 0.004, 0.004]
    thread.request_stop()
    parts.stop.set()
    thread.join(PATIENCE)


def test_a_stopped_service_is_not_restarted(
    lines: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ServiceThread, "FIRST_WAIT", float(PATIENCE))
    ended = threading.Event()
    parts = Parts(ended.set)
    thread = ServiceThread("worker", parts)
    thread.start()
    assert ended.wait(PATIENCE)
    thread.request_stop()
    thread.join(PATIENCE / 2)
    assert not thread.is_alive()
    assert parts.made == 1
