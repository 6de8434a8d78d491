"""The fault tests undo what they did to a disk, also if a step fails."""

import asyncio
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.faults import disk


@pytest.mark.parametrize("step", ["making it", "looking"])
def test_a_fault_is_undone_if_a_step_fails(step: str) -> None:
    done: list[str] = []

    def make() -> None:
        done.append("made in part")
        if step == "making it":
            raise OSError("disk quota exceeded")

    with (
        pytest.raises((OSError, RuntimeError)),
        disk.made(make, lambda: done.append("undone")),
    ):
        raise RuntimeError("a page that never came")
    assert done == ["made in part", "undone"]


def test_partly_read_only_files_become_writable_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[str] = []

    def chattr(command: list[str], **_options: object) -> Any:
        asked.append(command[1])
        return SimpleNamespace(returncode=1)  # the second file is not there

    monkeypatch.setattr(subprocess, "run", chattr)
    server: Any = SimpleNamespace(data=tmp_path)
    assert list(disk._read_only(server)) == []
    assert asked == ["+i", "-i"]


class Gone:
    """A crowd that can no longer be counted once the fault is there."""

    failed = 0

    def __init__(self, *_args: object) -> None:
        self.looks = iter([0])

    @property
    def acknowledged(self) -> int:
        """Return the number of actions; the second call fails."""
        return next(self.looks)

    async def come(self) -> None:
        """Do nothing."""

    async def all_right(self) -> None:
        """Do nothing."""


async def test_a_failing_scenario_undoes_its_fault(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ended: list[str] = []
    pages = SimpleNamespace(open_until=lambda _over: asyncio.sleep(0))
    monkeypatch.setattr(disk, "Crowd", Gone)
    monkeypatch.setattr(disk, "Pages", lambda *_args: pages)
    (tmp_path / "server.log").touch()
    log = SimpleNamespace(name=str(tmp_path / "server.log"))
    server: Any = SimpleNamespace(port=1, data=tmp_path, log=log)
    seated: Any = SimpleNamespace(table_id=1, cookies=["a"])
    fault = ("disk full", lambda: None, lambda: ended.append("undone"))
    asked: Any = SimpleNamespace(seconds=0, pace=1)
    with pytest.raises(RuntimeError, match="StopIteration"):
        await disk.story(server, [seated], [fault], asked)
    assert ended == ["undone"]
