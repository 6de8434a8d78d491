"""Strong house players' decisions, made in processes of their own so that no page waits for them.

``HOUSE_PROCESSES`` workers (``games.subprocesses``) at most are started, the first when it is first
needed. If all are busy or one fails, the decision is made in a thread of this process, with fewer
guesses of the hidden hands. A worker that fails is replaced at the next decision. Neither logs nor
metrics say anything of a deal.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
import time
from random import Random
from typing import Final

import structlog
from django.conf import settings

from games.bots import levels
from games.bots.strong import WORLDS
from games.engine.actions import Action, parse_action
from games.engine.observation import Observation
from games.sockets import metrics
from games.subprocesses.client import Worker, WorkerLostError

log = structlog.get_logger(__name__)

#: Guesses of the hidden hands where no worker makes the decision.
FEWER_WORLDS: Final = 10
#: Seconds to wait for a free worker, and for an answer.
WAIT: Final = 0.5
ANSWER: Final = 10.0
#: Seconds without a new attempt after a worker could not be started.
REST: Final = 30.0
#: How far the workers stand back for the process that serves pages.
NICENESS: Final = 5


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


class WorkerPool:
    """Workers by need, ``HOUSE_PROCESSES`` at most."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._free: list[Worker] = []
        self._running = 0
        self._not_before = 0.0

    def ask(self, level: str, observation: Observation, seed: int) -> Action | None:
        """Return a worker's choice; None if all are busy or it failed."""
        worker = None
        try:
            worker = self._take()
            if worker is None:
                return None
            action = parse_action(worker.ask(ANSWER, level, observation, seed, WORLDS))
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

    def _take(self) -> Worker | None:
        with self._changed:
            if not self._free and self._running < settings.HOUSE_PROCESSES:
                if time.monotonic() < self._not_before:
                    return None
                self._running += 1
            elif self._changed.wait_for(lambda: self._free, WAIT):
                return self._free.pop()
            else:
                return None
        return Worker(levels.choose_by_seed, NICENESS)

    def _lose(self, worker: Worker | None, error: Exception) -> None:
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
