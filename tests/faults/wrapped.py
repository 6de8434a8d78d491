"""Runs a module of Python's with something broken in it that no process outside can break.

``python -m tests.faults.wrapped uvicorn …`` runs uvicorn in a process that, by its environment,

- does not hear a share of the other processes' news: ``FAULTS_DEAF``, from 0 to 1;
- has a clock that is wrong by the seconds in the file that ``FAULTS_CLOCK`` names; they may change.

The product knows nothing of this.
"""

from __future__ import annotations

import os
import random
import runpy
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

#: Seconds for which what the file says is taken to be true.
LOOK_EVERY = 0.05


def main() -> None:
    """Break what the environment says, and run the module that is named."""
    if share := os.environ.get("FAULTS_DEAF"):
        make_deaf(float(share))
    if file := os.environ.get("FAULTS_CLOCK"):
        shift_clock(Path(file))
    del sys.argv[0]
    sys.path.insert(0, "")
    if sys.argv[0].endswith(".py"):
        runpy.run_path(sys.argv[0], run_name="__main__")
    else:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


def make_deaf(share: float) -> None:
    """Let this process not hear such a share of what others say."""
    from games.sockets import news

    take, chance = news._take, random.Random()

    async def heard(message: dict[str, Any]) -> None:
        if message["type"] != "message" or chance.random() >= share:
            await take(message)

    news._take = heard


def shift_clock(file: Path) -> None:
    """Let this process take the time to be later by the seconds in a file."""
    true_now, known = time.time, [0.0, -1.0]

    def offset() -> float:
        if true_now() - known[1] > LOOK_EVERY:
            known[:] = [float(file.read_text() or 0), true_now()]
        return known[0]

    from django.utils import timezone

    def now() -> datetime:
        return datetime.now(UTC) + timedelta(seconds=offset())

    timezone.now = now
    time.time = lambda: true_now() + offset()


if __name__ == "__main__":
    main()
