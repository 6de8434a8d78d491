"""Strong house players' decisions, made in processes of their own so that no page waits for them.

``HOUSE_PROCESSES`` workers (``games.subprocesses``) at most are started, the first when it is first
needed. A worker stops guessing the hidden hands when its time is over. If its answer is late all
the same, or all are busy, or one fails, the decision is made in a thread of this process, with
fewer guesses. A late answer is dropped and its worker goes on: starting another would only add to
the load that made it late. One that fails, or hangs, is replaced by a later decision, after growing
pauses while none gives an answer. Neither logs nor metrics say anything of a deal.

Where many people play the same deals alone, a choice follows from the deal and the position only
(`choose_alike`): it makes all its guesses, however long they take, and never fewer.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from math import inf
from random import Random, SystemRandom
from typing import Final

import structlog
from django.conf import settings

from games.bots import levels
from games.bots.strong import WORLDS
from games.engine.actions import Action, parse_action
from games.engine.observation import (
    DEFENDING,
    FIRST_ROUND,
    FOLDING,
    SECOND_ROUND,
    SWAPPING,
    Observation,
)
from games.engine.rules import RuleSet
from games.sockets import metrics
from games.subprocesses.client import Worker, WorkerLostError, WorkerTimeoutError

log = structlog.get_logger(__name__)

#: Guesses of the hidden hands where no worker makes the decision.
FEWER_WORLDS: Final = 10
#: Seconds to wait for a free worker, for guessing, and for an answer.
WAIT: Final = 0.5
GUESSING: Final = 1.2
ANSWER: Final = 2.0
#: Seconds that a choice which must be the same for everybody waits for a free worker, and then for
#: its answer, before it is made here; and the time for a choice that is reported as slow, which is
#: remembered for so long.
PATIENCE: Final = 20.0
SLOW: Final = 5.0
SLOW_REMEMBERED: Final = 600.0
#: Latest of these choices that are kept: most who play the same deals meet the same positions.
ALIKE_KEPT: Final = 20000
#: Seconds after which a worker whose answer is late hangs.
HANGS: Final = 60.0
#: Seconds for guessing where no worker makes the decision.
FEWER_SECONDS: Final = 0.5
#: Seconds until another worker may be started after one was lost; doubled each time until one
#: gives an answer, up to the longest.
FIRST_PAUSE: Final = 1.0
LONGEST_PAUSE: Final = 64.0
#: Workers lost in a row, without an answer between them, that are more than bad luck.
FAILING: Final = 2
#: Seconds within which advice must come, and the seed of its guesses.
ADVICE_WITHIN: Final = 3.0
ADVICE_SEED: Final = 1
#: How far the workers stand back for the process that serves pages.
NICENESS: Final = 5
_chance: Final = SystemRandom()


def takes_fixed_time(rules: RuleSet, phase: str) -> bool:
    """Return True if the time for a decision must not tell whether the hand left a choice."""
    calling = phase in (FIRST_ROUND, SECOND_ROUND)
    return phase in (SWAPPING, FOLDING, DEFENDING) or (rules.own_trump and calling)


async def choose(level: str, observation: Observation) -> Action:
    """Return the action of a house player of this level."""
    thinking = asyncio.to_thread(_choose, level, observation, _chance.getrandbits(64))
    if takes_fixed_time(observation.rules, observation.phase):
        action, _ = await asyncio.gather(thinking, asyncio.sleep(settings.HOUSE_PAUSE[0]))
        return action
    return await thinking


def _choose(level: str, observation: Observation, seed: int) -> Action:
    rng = Random(seed)  # noqa: S311 (chance of a player, not of the cards)
    if takes_fixed_time(observation.rules, observation.phase):
        seconds = min(FEWER_SECONDS, settings.HOUSE_PAUSE[0] / 2)
        return levels.choose(level, observation, rng, FEWER_WORLDS, seconds)
    if level != levels.STRONG or len(observation.legal) < 2:
        return levels.choose(level, observation, rng)
    action = pool.ask(level, observation, seed) if settings.HOUSE_PROCESSES else None
    metrics.house_choices.labels("here" if action is None else "worker").inc()
    if action is None:
        return levels.choose(level, observation, rng, FEWER_WORLDS, FEWER_SECONDS)
    return action


async def choose_alike(position: bytes, observation: Observation) -> Action:
    """Return a strong house player's action, the same for the same position.

    position: a digest of the deal and what the player has seen of it, which is all chance there is.
    On a busy site the action comes later: `PATIENCE` bounds the wait for a worker, after which the
    same choice is made here, one at a time.
    """
    running, now = asyncio.get_running_loop(), time.monotonic()
    thinking = running.run_in_executor(_alike, _choose_alike, position, observation, now)
    if takes_fixed_time(observation.rules, observation.phase):
        await asyncio.sleep(settings.HOUSE_PAUSE[0])
    return await thinking


def _choose_alike(position: bytes, observation: Observation, asked: float) -> Action:
    if len(observation.legal) < 2:
        return observation.legal[0]
    action = _known.get(position)
    if action is None:
        seed, worlds = int.from_bytes(position[:8], "big"), WORLDS
        if takes_fixed_time(observation.rules, observation.phase):
            worlds = FEWER_WORLDS  # in much less than the time that it takes in any case
        elif settings.HOUSE_PROCESSES:
            action = pool.ask(levels.STRONG, observation, seed, waits=True)
        metrics.house_choices.labels("alike here" if action is None else "alike").inc()
        if action is None:
            with _one_here:
                rng = Random(seed)  # noqa: S311 (as above)
                action = levels.choose(levels.STRONG, observation, rng, worlds)
        _known[position] = action
        if len(_known) > ALIKE_KEPT:
            _known.popitem(last=False)
    slowness.note(time.monotonic() - asked)
    return action


_known: Final[OrderedDict[bytes, Action]] = OrderedDict()
_one_here: Final = threading.Lock()
_alike: Final = ThreadPoolExecutor(max(2, settings.HOUSE_PROCESSES), "alike")


class Slowness:
    """The latest choice at a solo table that took long, for the operator."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seconds, self._at = 0.0, -inf

    def note(self, seconds: float) -> None:
        metrics.house_alike_seconds.observe(seconds)
        if seconds >= SLOW:
            self._seconds, self._at = seconds, self._clock()

    @property
    def seconds(self) -> float:
        """How long that choice took, 0 if there was none lately."""
        return self._seconds if self._clock() - self._at < SLOW_REMEMBERED else 0.0


slowness: Final = Slowness()


async def advise(level: str, observation: Observation) -> Action | None:
    """Return what a house player of this level would do, the same each time if there is time.

    None if no worker was free or gave an answer within ``ADVICE_WITHIN`` seconds. Advice has its
    own few threads, so that many who ask for it at once do not delay the house players.
    """
    loop = asyncio.get_running_loop()
    asked = loop.run_in_executor(_advisers, _advise, level, observation)
    try:
        return await asyncio.wait_for(asked, ADVICE_WITHIN)
    except TimeoutError:
        return None


def _advise(level: str, observation: Observation) -> Action | None:
    if level == levels.STRONG and settings.HOUSE_PROCESSES:
        return pool.ask(level, observation, ADVICE_SEED)
    rng = Random(ADVICE_SEED)  # noqa: S311 (no secret)
    return levels.choose(level, observation, rng, FEWER_WORLDS, FEWER_SECONDS)


_advisers: Final = ThreadPoolExecutor(2, "advice")


class WorkerPool:
    """Workers by need, ``HOUSE_PROCESSES`` at most.

    Attributes:
        why_failing: the reason why the last worker was lost if none works; else empty.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._free: list[Worker] = []
        self._running = 0
        self._lost_in_a_row = 0
        self._not_before = 0.0
        self.why_failing = ""

    def ask(
        self, level: str, observation: Observation, seed: int, *, waits: bool = False
    ) -> Action | None:
        """Return a worker's choice; None if all are busy or it failed.

        waits: for much longer, and the worker makes all its guesses.
        """
        wait, guessing, answer = (PATIENCE, inf, PATIENCE) if waits else (WAIT, GUESSING, ANSWER)
        worker = self._take(wait)
        if worker is None:
            return None
        try:
            action = parse_action(worker.ask(answer, level, observation, seed, WORLDS, guessing))
        except WorkerTimeoutError:
            metrics.house_answers_late.inc()
            threading.Thread(target=self._wait_for, args=(worker,), daemon=True).start()
            return None
        except Exception as error:  # noqa: BLE001 - whatever it is, the slot must not be lost
            self._lose(error, worker.end())
            return None
        self._works(worker)
        return action

    def close(self) -> None:
        """End the free workers; for tests and for the end of the process."""
        with self._changed:
            free, self._free = self._free, []
            self._running -= len(free)
        for worker in free:
            worker.end()

    def _take(self, wait: float) -> Worker | None:
        with self._changed:
            may_start = self._running < settings.HOUSE_PROCESSES
            if may_start and not self._free and self._clock() >= self._not_before:
                threading.Thread(target=self._start, daemon=True).start()
                self._running += 1
            self._changed.wait_for(lambda: self._free or not self._running, wait)
            return self._free.pop() if self._free else None

    def _wait_for(self, worker: Worker) -> None:
        """Make a worker free again once it has given its late answer."""
        try:
            worker.drop_late(HANGS)
        except Exception as error:  # noqa: BLE001 - whatever it is, the slot must not be lost
            self._lose(error, worker.end())
            return
        self._works(worker)

    def _works(self, worker: Worker) -> None:
        with self._changed:
            self._lost_in_a_row, self.why_failing = 0, ""
            self._free.append(worker)
            self._changed.notify()

    def _start(self) -> None:
        try:
            worker = Worker(levels.choose_by_seed, NICENESS)
        except Exception as error:  # noqa: BLE001 - whatever it is, the slot must not be lost
            self._lose(error, None)
            return
        with self._changed:
            self._free.append(worker)
            self._changed.notify()

    def _lose(self, error: Exception, exit_code: int | None) -> None:
        """Give back the slot of a worker that has ended or was never started."""
        expected = isinstance(error, WorkerLostError)
        reason = str(error) if expected else type(error).__name__
        with self._changed:
            pause = min(FIRST_PAUSE * 2 ** min(self._lost_in_a_row, 10), LONGEST_PAUSE)
            self._running -= 1
            self._lost_in_a_row += 1
            self._not_before = self._clock() + pause
            self.why_failing = reason if self._lost_in_a_row >= FAILING else ""
            self._changed.notify_all()
        metrics.house_workers_lost.inc()
        log.warning(
            "house player's worker lost", reason=reason, exit_code=exit_code, seconds=pause,
            exc_info=None if expected else error,
        )  # fmt: skip


pool: Final = WorkerPool()
