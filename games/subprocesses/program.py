"""A worker process: ``python -m games.subprocesses.program MODULE FUNCTION NICENESS``.

It imports the function and writes an empty line. Then it reads pickled tuples of arguments from its
standard input, and answers each with a line of JSON: the function's result, or where it failed,
without the error's message, which could name a card.

It ends with its input, even during a call, so it never outlives the process that started it. SIGINT
and SIGTERM are ignored, because a terminal or systemd sends them to all processes of a site at
once, and that process may still need its answer.
"""

from __future__ import annotations

import importlib
import json
import os
import pickle
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any


def serve(function: Callable[..., Any], requests: IO[bytes], answers: IO[str]) -> None:
    answers.write("\n")
    answers.flush()
    calls: SimpleQueue[tuple[Any, ...]] = SimpleQueue()
    threading.Thread(target=_read, args=(requests, calls), daemon=True).start()
    while True:
        answers.write(f"{json.dumps(_answer(function, calls.get()))}\n")
        answers.flush()


def _answer(function: Callable[..., Any], arguments: tuple[Any, ...]) -> dict[str, Any]:
    try:
        return {"result": function(*arguments)}
    except Exception as error:  # noqa: BLE001 - the process that asked decides what to do
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(last.filename).name}, line {last.lineno}"
        return {"failed": f"{type(error).__name__} in {place}"}


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
