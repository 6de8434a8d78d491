"""The site's end of a worker process.

`concurrent.futures` is not used: its processes inherit the server's memory or environment with its
keys, one that dies breaks the pool for all, one that hangs cannot be ended alone, and they outlive
a server that is killed.
"""

from __future__ import annotations

import json
import os
import pickle
import selectors
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final, Self, cast

import games

#: Seconds within which a process must have started.
START: Final = 30.0
ENDED: Final = "ended"


class WorkerLostError(Exception):
    """A worker did not start, ended, failed, or gave no answer in time.

    Its message names no card and no key, so that it can be logged.
    """


class WorkerTimeoutError(WorkerLostError):
    """A worker gave no answer in time."""


class Worker:
    """A process that calls one function, and its pipes; used by one thread at a time.

    The function is a module's own. Its module must import nothing of the site that needs settings:
    the process is given no keys. As a context manager, the process ends with the block.

    niceness: how much the process yields to others, as for the program ``nice``.

    Raise WorkerLostError, with the last line of the process's errors, if it does not start. What it
    writes there later could name cards, and is not read.
    """

    def __init__(self, function: Callable[..., Any], niceness: int) -> None:
        called = (function.__module__, function.__name__, str(niceness))
        try:
            self.process = subprocess.Popen(  # noqa: S603 (this site's own program)
                [sys.executable, "-P", "-m", "games.subprocesses.program", *called],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={
                    "PYTHONPATH": str(Path(games.__file__).parents[1]),
                    "PATH": os.environ.get("PATH", ""),
                },
            )
        except OSError as error:
            raise WorkerLostError(error.strerror) from error
        self._requests = cast("IO[bytes]", self.process.stdin)
        self._answers = cast("IO[bytes]", self.process.stdout)
        self._errors = cast("IO[bytes]", self.process.stderr)
        try:
            self._line(START)
        except WorkerLostError as error:
            self.process.kill()
            self.process.wait()
            why = self._last_error() or str(error)
            self.end()
            raise WorkerLostError(why) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.end()

    def ask(self, seconds: float, *arguments: object) -> Any:
        """Return the function's result for these arguments, after its way through JSON.

        Raise WorkerTimeoutError if there is none within so many seconds: then drop the late answer
        (`drop_late`) or end the worker, as that answer would be taken for that to the next request.
        Raise WorkerLostError if the function failed or the worker has ended.
        """
        try:
            self._requests.write(pickle.dumps(arguments))
            self._requests.flush()
        except OSError as error:
            raise WorkerLostError(ENDED) from error
        answer = json.loads(self._line(seconds))
        if "failed" in answer:
            raise WorkerLostError(answer["failed"])
        return answer["result"]

    def drop_late(self, seconds: float) -> None:
        """Wait for the answer that came too late, and forget it; raise as `ask`."""
        self._line(seconds)

    def _line(self, seconds: float) -> bytes:
        end, line = time.monotonic() + seconds, b""
        with selectors.DefaultSelector() as selector:  # works with any number of open files
            selector.register(self._answers, selectors.EVENT_READ)
            while not line.endswith(b"\n"):
                if not selector.select(max(0.0, end - time.monotonic())):
                    raise WorkerTimeoutError(f"no answer within {seconds:g} seconds")
                read = os.read(self._answers.fileno(), 65536)
                if not read:
                    raise WorkerLostError(ENDED)
                line += read
        return line

    def _last_error(self) -> str:
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1].strip() if lines else ""

    def end(self) -> int:
        """Kill the process, and return its exit code."""
        self.process.kill()
        code = self.process.wait()
        for file in (self._requests, self._answers, self._errors):
            with suppress(OSError):  # bytes left for a process that has gone
                file.close()
        return code
