"""A pace that goes by the test's clock."""

import asyncio
from typing import Any

import pytest

from tests.tabs import Tab
from tournaments.changes import live


class Pace:
    """The rests of everything paced; each lasts until the test ends it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.resting: list[asyncio.Future[None]] = []
        self.somebody_rests = asyncio.Event()
        monkeypatch.setattr(live, "rest", self._rest)

    async def _rest(self, seconds: float) -> None:
        assert seconds >= 1
        future = asyncio.get_running_loop().create_future()
        self.resting.append(future)
        self.somebody_rests.set()
        await future

    async def second_passes(self) -> None:
        """Wait until something rests, as it does when it has been done, and end the rest."""
        async with asyncio.timeout(5):
            await self.somebody_rests.wait()
        self._end()
        await settle()

    def _end(self) -> None:
        for future in self.resting:
            if not future.done():
                future.set_result(None)
        self.resting.clear()
        self.somebody_rests.clear()

    async def frame(self, tab: Tab) -> dict[str, Any]:
        """The next frame of a tab, after as many seconds as it takes."""
        coming = asyncio.ensure_future(tab.frame())
        while not coming.done():
            self._end()
            await asyncio.sleep(0.001)
        return await coming


async def settle() -> None:
    """Let everything go on that waits for nothing but its turn."""
    for _turn in range(20):
        await asyncio.sleep(0)
