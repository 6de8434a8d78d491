"""Judging in a process of its own, so that a server's tables are not held up.

The process imports this module and the judging, but no framework.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Final

#: How much the judging process yields to others, as for the program ``nice``.
NICENESS: Final = 10


@contextmanager
def judging_process() -> Iterator[ProcessPoolExecutor]:
    """Yield an executor of one process of low priority, which ends with the block."""
    with ProcessPoolExecutor(1, get_context("spawn"), initializer=_yield_to_others) as process:
        yield process


def _yield_to_others() -> None:
    os.nice(NICENESS)
