"""Strong house players' decisions, made in processes of their own so that no page waits for them.

``HOUSE_PROCESSES`` workers (``games.bots.worker``) at most are started, the first when it is first
needed. If all are busy or one fails, the decision is made in a thread of this process, with fewer
guesses of the hidden hands. A worker that fails is replaced at the next decision. Neither logs nor
metrics say anything of a deal.

`concurrent.futures` is not used: its processes inherit the server's memory or environment with its
keys, one that dies breaks the pool for all, and one that hangs cannot be ended alone.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import secrets
import selectors
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Final

import structlog
from django.conf import settings

import games
from games.bots import levels
from games.bots.strong import WORLDS
from games.engine.actions import Action, parse_action
from games.engine.observation import Observation
from games.sockets import metrics

log = structlog.get_logger(__name__)

#: Guesses of the hidden hands where no worker makes the decision.
FEWER_WORLDS: Final = 10
#: Seconds to wait for a free worker, and for an answer.
WAIT: Final = 0.5
ANSWER: Final = 10.0
#: Seconds without a new attempt after a worker could not be started.
REST: Final = 30.0


class WorkerLostError(Exception):
    """A worker did not start, ended, or gave no answer in time."""


async def choose(level: str, observation: Observation) -> Action:
    """Return the action of a house player of this level."""
    return await asyncio.to_thread(_choose, level, observation, secrets.randbits(64))


def _choose(level: str, observation: Observation, seed: int) -> Action:
    rng = Random(seed)  # noqa: S311 (chance of a player, not of the cards)
    if level != levels.STRONG or len(observation.legal) < 2:
        return levels.choose(level, observation, rng)
    action = pool.ask(level, observation, seed) if settings.HOUSE_PROCESSES else None
    metrics.house_choices.labels("here" if action is None else "worker").inc()
    if action is None:
        return levels.choose(level, observation, rng, FEWER_WORLDS)
    return action


class _Worker:
    """One process and its pipes, used by one thread at a time."""

    def __init__(self) -> None:
        root = str(Path(games.__file__).parents[1])
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "games.bots.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={"PYTHONPATH": root, "PATH": os.environ.get("PATH", "")},
            )
        except OSError as error:
            raise WorkerLostError from error

    def ask(self, request: bytes) -> str:
        asked, answered = self.process.stdin, self.process.stdout
        if asked is None or answered is None:
            raise WorkerLostError
        try:
            asked.write(request)
            asked.flush()
            with selectors.DefaultSelector() as selector:  # works with any number of open files
                selector.register(answered, selectors.EVENT_READ)
                line = answered.readline() if selector.select(ANSWER) else b""
        except OSError as error:
            raise WorkerLostError from error
        if not line.endswith(b"\n"):
            raise WorkerLostError
        return line.decode().strip()

    def end(self) -> int:
        """Kill the process, and return its exit code."""
        self.process.kill()
        code = self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(OSError):  # bytes left for a process that has gone
                    pipe.close()
        return code


class WorkerPool:
    """Workers by need, ``HOUSE_PROCESSES`` at most."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._free: list[_Worker] = []
        self._running = 0
        self._not_before = 0.0

    def ask(self, level: str, observation: Observation, seed: int) -> Action | None:
        """Return a worker's choice; None if all are busy or it failed."""
        request = pickle.dumps((level, observation, seed, WORLDS))
        worker = None
        try:
            worker = self._take()
            if worker is None:
                return None
            action = parse_action(worker.ask(request))
        except Exception as error:  # noqa: BLE001 - whatever it is, the slot must not be lost
            self._lose(worker, error)
            return None
        with self._changed:
            self._free.append(worker)
            self._changed.notify()
        return action

    def close(self) -> None:
        """End the free workers; for tests and for the end of the process."""
        with self._changed:
            free, self._free = self._free, []
            self._running -= len(free)
        for worker in free:
            worker.end()

    def _take(self) -> _Worker | None:
        with self._changed:
            if not self._free and self._running < settings.HOUSE_PROCESSES:
                if time.monotonic() < self._not_before:
                    return None
                self._running += 1
            elif self._changed.wait_for(lambda: self._free, WAIT):
                return self._free.pop()
            else:
                return None
        return _Worker()

    def _lose(self, worker: _Worker | None, error: Exception) -> None:
        """Stop a worker, or note that none could be started, so that another may start."""
        code = None if worker is None else worker.end()
        with self._changed:
            self._running -= 1
            if worker is None:
                self._not_before = time.monotonic() + REST
        metrics.house_workers_lost.inc()
        unexpected = None if isinstance(error, WorkerLostError) else error
        log.warning("house player's worker lost", exit_code=code, exc_info=unexpected)


pool: Final = WorkerPool()
