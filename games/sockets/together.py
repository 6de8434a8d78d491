"""One question to the database for what many ask at the same moment."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from itertools import islice
from typing import Any, Final, Generic, TypeVar

from django.db import OperationalError

from games.sockets import loop

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")

#: The most that one look answers: whoever comes meanwhile waits until it is over.
MOST: Final = 100


class Together(Generic[Asked, Answer]):
    """Answers on the event loop, by one look for all who ask while another is under way.

    What a look finds was so after it was asked for.

    Args:
        look: finds the answers to some questions, on a thread of `loop`; an exception among them is
            raised to whoever asked that.
        within: how it is called, such as `loop.in_database`.
    """

    def __init__(
        self,
        look: Callable[[Collection[Asked]], Mapping[Asked, Answer | Exception]],
        within: Callable[..., Awaitable[Any]] = loop.in_database,
    ) -> None:
        self._look = look
        self._within = within
        self._waiting: dict[Asked, asyncio.Future[Answer]] = {}
        self._looking: asyncio.Task[None] | None = None

    async def ask(self, asked: Asked) -> Answer:
        """Return the answer, with those to all who ask meanwhile."""
        if self._looking is None or self._looking.get_loop() is not asyncio.get_running_loop():
            self._waiting.clear()  # another loop's, which has ended
            self._looking = None
        answer = self._waiting.get(asked)
        if answer is None:
            answer = self._waiting[asked] = asyncio.get_running_loop().create_future()
            if self._looking is None or self._looking.done():
                self._looking = asyncio.create_task(self._answer_all())
        return await asyncio.shield(answer)

    async def _answer_all(self) -> None:
        while self._waiting:
            asked = {one: self._waiting.pop(one) for one in [*islice(self._waiting, MOST)]}
            found = await self._found(asked.keys())
            for one, answer in asked.items():
                if isinstance(found[one], Exception):
                    answer.set_exception(found[one])
                    answer.exception()  # nobody may be waiting any more, which is no fault
                else:
                    answer.set_result(found[one])

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
