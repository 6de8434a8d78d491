"""What is done at a pace: at once, then not too often, and the last time for sure."""

import pytest

from tests.tournaments.event_page.live.tabs import Pace, settle
from tournaments.changes.live import Paced


class Work:
    """Counts how often it was done; the first `failing` times fail."""

    def __init__(self, failing: int = 0) -> None:
        self.times = 0
        self.failing = failing

    async def do(self) -> None:
        """Do it once."""
        self.times += 1
        if self.times <= self.failing:
            raise RuntimeError("it failed")


async def test_first_request_runs_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    Pace(monkeypatch)
    work = Work()
    Paced(work.do, 1).ask()
    await settle()
    assert work.times == 1


async def test_requests_within_a_pause_run_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pace, work = Pace(monkeypatch), Work()
    paced = Paced(work.do, 1)
    for _second in range(3):
        for _time in range(50):
            paced.ask()
            await settle()
        await pace.second_passes()
    assert work.times == 4  # at once, and after each of three seconds


async def test_last_request_is_never_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pace, work = Pace(monkeypatch), Work()
    paced = Paced(work.do, 1)
    paced.ask()
    await settle()
    paced.ask()
    await settle()
    assert work.times == 1
    await pace.second_passes()
    assert work.times == 2
    await pace.second_passes()
    assert work.times == 2  # nobody asked again


async def test_request_during_a_run_causes_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pace = Pace(monkeypatch)
    times = 0

    async def do() -> None:
        nonlocal times
        times += 1
        if times == 1:
            paced.ask()

    paced = Paced(do, 1)
    paced.ask()
    await settle()
    await pace.second_passes()
    assert times == 2


async def test_failure_does_not_stop_later_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    pace, work = Pace(monkeypatch), Work(failing=1)
    paced = Paced(work.do, 1)
    paced.ask()
    await settle()
    paced.ask()
    await pace.second_passes()
    assert work.times == 2


async def test_throttling_can_be_ended_and_restarted(monkeypatch: pytest.MonkeyPatch) -> None:
    pace, work = Pace(monkeypatch), Work()
    paced = Paced(work.do, 1)
    paced.ask()
    await settle()
    paced.ask()
    paced.end()
    await settle()
    await pace.second_passes()
    assert work.times == 1
    paced.ask()
    await settle()
    assert work.times == 2
