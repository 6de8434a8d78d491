"""One question to the database for what many ask at the same moment."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from itertools import islice
from typing import Any, Generic, NamedTuple, TypeVar

from django.db import OperationalError

from games.sockets import loop

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


class _Waiting(NamedTuple, Generic[Asked, Answer]):
    answers: dict[Asked, asyncio.Future[Answer]]
    task: asyncio.Task[None]


class Together(Generic[Asked, Answer]):
    """Answers on the event loop, by one look for all who ask while another is under way.

    What a look finds was so after it was asked for.

    Args:
        look: finds the answers to some questions, on a thread of `loop`; an exception among them is
            raised to whoever asked that.
        within: how it is called, such as `loop.in_database`.
        most: how many questions one look answers; whoever asks more waits for the next.
        pause: seconds between two looks, in which more may ask; the first never waits.
    """

    def __init__(
        self,
        look: Callable[[Collection[Asked]], Mapping[Asked, Answer | Exception]],
        within: Callable[..., Awaitable[Any]] = loop.in_database,
        most: int = 100,
        pause: float = 0.0,
    ) -> None:
        self._look = look
        self._within = within
        self._most = most
        self._pause = pause
        #: Of each loop, what is still to be looked for, and the task that does.
        self._waiting: dict[asyncio.AbstractEventLoop, _Waiting[Asked, Answer]] = {}

    async def ask(self, asked: Asked) -> Answer:
        """Return the answer, with those to all who ask meanwhile."""
        running = asyncio.get_running_loop()
        waiting = self._waiting.get(running)
        if waiting is None:
            answers: dict[Asked, asyncio.Future[Answer]] = {}
            task = running.create_task(self._answer_all(running, answers))
            waiting = self._waiting[running] = _Waiting(answers, task)
        answer = waiting.answers.get(asked)
        if answer is None:
            answer = waiting.answers[asked] = running.create_future()
        return await asyncio.shield(answer)

    async def _answer_all(
        self, running: asyncio.AbstractEventLoop, answers: dict[Asked, asyncio.Future[Answer]]
    ) -> None:
        try:
            while answers:
                asked = {one: answers.pop(one) for one in [*islice(answers, self._most)]}
                found = await self._found(asked.keys())
                for one, answer in asked.items():
                    if isinstance(found[one], Exception):
                        answer.set_exception(found[one])
                        answer.exception()  # nobody may be waiting any more, which is no fault
                    else:
                        answer.set_result(found[one])
                if self._pause:
                    await asyncio.sleep(self._pause)
        finally:
            del self._waiting[running]

    async def _found(self, asked: Collection[Asked]) -> Mapping[Asked, Any]:
        try:
            found: Mapping[Asked, Any] = await self._within(self._look, asked)
        except Exception as error:  # noqa: BLE001 - whoever waits for it is told
            if len(asked) == 1 or isinstance(error, OperationalError):
                return dict.fromkeys(asked, error)
        else:
            return found
        alone: dict[Asked, Any] = {}
        for one in asked:  # one that is at fault spoils no other
            alone |= await self._found([one])
        return alone
