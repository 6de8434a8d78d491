"""Questions that come batcher are answered by one look at the database."""

import asyncio
from collections.abc import Callable, Collection, Mapping
from typing import Any

import pytest
from django.db import OperationalError

from games.sockets.batching import Batcher


class Looks:
    """Answers numbers by their doubles, and remembers how often it was asked for what.

    The first look goes on until `go` is set, so that others can ask meanwhile.
    """

    def __init__(self) -> None:
        self.asked: list[list[int]] = []
        self.began, self.go = asyncio.Event(), asyncio.Event()
        self.wrong: dict[int, Exception] = {}

    async def within(
        self, look: Callable[[Collection[int]], Mapping[int, Any]], asked: Collection[int]
    ) -> Any:
        self.began.set()
        await self.go.wait()
        return look(asked)

    def __call__(self, numbers: Collection[int]) -> dict[int, int | Exception]:
        self.asked.append([*numbers])
        for one in numbers:
            if one in self.wrong:
                raise self.wrong[one]
        return {one: 2 * one for one in numbers}


async def answers(looks: Looks, batcher: Batcher[int, int], *numbers: int) -> list[Any]:
    """Ask for all at the same time; return answers and errors in their order."""
    asking = [asyncio.create_task(batcher.ask(one)) for one in numbers]
    await asyncio.sleep(0)  # all have asked before the first look begins
    looks.go.set()
    return await asyncio.gather(*asking, return_exceptions=True)


async def test_concurrent_requests_share_one_query() -> None:
    looks = Looks()
    batcher = Batcher(looks, looks.within)
    assert await answers(looks, batcher, 1, 2, 3, 2) == [2, 4, 6, 4]
    assert looks.asked == [[1, 2, 3]]


async def test_a_full_batch_is_followed_by_the_next() -> None:
    looks = Looks()
    batcher = Batcher(looks, looks.within, most=2)
    assert await answers(looks, batcher, 1, 2, 3, 4, 5) == [2, 4, 6, 8, 10]
    assert looks.asked == [[1, 2], [3, 4], [5]]


async def test_request_during_a_query_joins_the_next_batch() -> None:
    looks = Looks()
    batcher = Batcher(looks, looks.within)
    first = asyncio.create_task(batcher.ask(1))
    await looks.began.wait()
    again = asyncio.create_task(batcher.ask(1))
    await asyncio.sleep(0)
    looks.go.set()
    assert [await first, await again] == [2, 2]
    assert looks.asked == [[1], [1]], "the second asker may know more than the first look saw"


async def test_a_failing_request_does_not_affect_its_batch() -> None:
    looks = Looks()
    looks.wrong[2] = KeyError("two")
    batcher = Batcher(looks, looks.within)
    one, two, three = await answers(looks, batcher, 1, 2, 3)
    assert (one, three) == (2, 6)
    assert isinstance(two, KeyError)


async def test_requests_are_not_retried_singly_without_a_database() -> None:
    looks = Looks()
    looks.wrong[1] = OperationalError("away")
    batcher = Batcher(looks, looks.within)
    found = await answers(looks, batcher, 1, 2, 3)
    assert all(isinstance(one, OperationalError) for one in found)
    assert looks.asked == [[1, 2, 3]]


async def test_a_cancelled_request_does_not_cancel_others() -> None:
    looks = Looks()
    batcher = Batcher(looks, looks.within)
    gone = asyncio.create_task(batcher.ask(1))
    stays = asyncio.create_task(batcher.ask(1))
    await asyncio.sleep(0)
    gone.cancel()
    looks.go.set()
    assert await stays == 2
    with pytest.raises(asyncio.CancelledError):
        await gone


def test_event_loops_do_not_share_batches() -> None:
    looked: list[Collection[int]] = []

    async def within(look: Any, asked: Collection[int]) -> Any:
        return look(asked)

    def look(numbers: Collection[int]) -> dict[int, int | Exception]:
        looked.append([*numbers])
        return {one: 2 * one for one in numbers}

    batcher = Batcher(look, within)
    assert asyncio.run(batcher.ask(4)) == 8
    assert asyncio.run(batcher.ask(4)) == 8
    assert looked == [[4], [4]]
