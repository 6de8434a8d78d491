"""A worker process: ``python -m games.subprocesses.program MODULE FUNCTION NICENESS``.

It reads pickled tuples of arguments from its standard input, and answers each with a line of JSON,
the function's result. It ends with its input, even during a call, so it never outlives the process
that started it. SIGINT and SIGTERM are ignored, because a terminal or systemd sends them to all
processes of a site at once, and that process may still need its answer.
"""

from __future__ import annotations

import importlib
import json
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import IO, Any


def serve(function: Callable[..., Any], requests: IO[bytes], answers: IO[str]) -> None:
    calls: SimpleQueue[tuple[Any, ...]] = SimpleQueue()
    threading.Thread(target=_read, args=(requests, calls), daemon=True).start()
    while True:
        answers.write(f"{json.dumps(function(*calls.get()))}\n")
        answers.flush()


def _read(requests: IO[bytes], calls: SimpleQueue[tuple[Any, ...]]) -> None:
    try:
        while True:
            # Only the process that started this one can write here.
            calls.put(pickle.load(requests))  # noqa: S301
    finally:
        os._exit(0)


if __name__ == "__main__":
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, signal.SIG_IGN)
    module, name, niceness = sys.argv[1:]
    os.nice(int(niceness))
    serve(getattr(importlib.import_module(module), name), sys.stdin.buffer, sys.stdout)
