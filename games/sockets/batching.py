"""Batching of concurrent database lookups."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from itertools import islice
from typing import Any, Generic, NamedTuple, TypeVar

from django.db import OperationalError

from games.sockets import loop

Key = TypeVar("Key")
Answer = TypeVar("Answer")


class _Waiting(NamedTuple, Generic[Key, Answer]):
    answers: dict[Key, asyncio.Future[Answer]]
    task: asyncio.Task[None]


class Batcher(Generic[Key, Answer]):
    """Batches lookups on the event loop: requests made during one query share the next.

    An answer is never older than its request. `look` finds the answers to a batch, on a thread of
    `loop`; an Exception as an answer is raised to its caller. `within` runs it, such as
    `loop.in_database`. `pause` are the seconds between batches, to collect more requests.
    """

    def __init__(
        self,
        look: Callable[[Collection[Key]], Mapping[Key, Answer | Exception]],
        within: Callable[..., Awaitable[Any]] = loop.in_database,
        most: int = 100,
        pause: float = 0.0,
    ) -> None:
        self._look = look
        self._within = within
        self._most = most
        self._pause = pause
        #: Pending requests and the task that answers them, by event loop.
        self._waiting: dict[asyncio.AbstractEventLoop, _Waiting[Key, Answer]] = {}

    async def ask(self, asked: Key) -> Answer:
        running = asyncio.get_running_loop()
        waiting = self._waiting.get(running)
        if waiting is None:
            answers: dict[Key, asyncio.Future[Answer]] = {}
            task = running.create_task(self._answer_all(running, answers))
            waiting = self._waiting[running] = _Waiting(answers, task)
        answer = waiting.answers.get(asked)
        if answer is None:
            answer = waiting.answers[asked] = running.create_future()
        return await asyncio.shield(answer)

    async def _answer_all(
        self, running: asyncio.AbstractEventLoop, answers: dict[Key, asyncio.Future[Answer]]
    ) -> None:
        try:
            while answers:
                asked = {one: answers.pop(one) for one in [*islice(answers, self._most)]}
                found = await self._found(asked.keys())
                for one, answer in asked.items():
                    if isinstance(found[one], Exception):
                        answer.set_exception(found[one])
                        answer.exception()  # marks it as retrieved: the caller may have gone
                    else:
                        answer.set_result(found[one])
                if self._pause:
                    await asyncio.sleep(self._pause)
        finally:
            del self._waiting[running]

    async def _found(self, asked: Collection[Key]) -> Mapping[Key, Any]:
        try:
            found: Mapping[Key, Any] = await self._within(self._look, asked)
        except Exception as error:  # noqa: BLE001 - raised to the callers
            if len(asked) == 1 or isinstance(error, OperationalError):
                return dict.fromkeys(asked, error)
        else:
            return found
        alone: dict[Key, Any] = {}
        for one in asked:  # so that one bad request does not fail the others
            alone |= await self._found([one])
        return alone
