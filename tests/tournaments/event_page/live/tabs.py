"""Open pages of events, drawers that count drawings, and pauses that the test ends."""

import asyncio
from collections.abc import Collection, Mapping
from typing import Any

import pytest

from games.models import Player
from tests.tabs import Tab, new_tab
from tournaments.changes import live
from tournaments.changes.live import Drawers, Drawing, Parts
from tournaments.models import Event


async def watch(event: Event, player: Player | None = None) -> Tab:
    """A tab that shows an event and has been told the time."""
    tab = await new_tab(f"/ws/events/{event.pk}/", player)
    assert await tab.connect() is None
    return tab


async def listen(player: Player, at: str = "/") -> Tab:
    """A tab that listens for its player's calls, and has been told the present ones."""
    tab = await new_tab(f"/ws/calls/?at={at}", player)
    assert await tab.connect() is None
    return tab


class Plain:
    """Draws an event as its version and state, and for those in `inside` a part of their own.

    Attributes:
        drawn: the events drawn, in order.
        inside: players who have a part of their own.
        scores: what else of an event may change.
        failing: how many drawings fail from now on.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.drawn: list[int] = []
        self.inside: set[int] = set()
        self.scores = 0
        self.failing = 0
        drawers = Drawers(self.event, self.pulses, self.calls)
        monkeypatch.setattr(live._State, "drawers", drawers)

    def event(self, event_id: int, player_ids: Collection[int]) -> Drawing | None:
        """Draw an event."""
        self.drawn.append(event_id)
        if self.failing:
            self.failing -= 1
            raise RuntimeError("the database is being started anew")
        found = Event.objects.filter(pk=event_id).first()
        if found is None:
            return None
        parts = {
            "name": f'<p id="name">{found.name}</p>',
            "score": f'<p id="score">{self.scores}</p>',
            "mine": '<p id="mine"></p>',
        }
        mine = {
            player_id: {"mine": f'<p id="mine">for {player_id} alone</p>'}
            for player_id in self.inside & set(player_ids)
        }
        return Drawing(str(found.version), parts, mine, self._pulse(found))

    def pulses(self, event_ids: Collection[int]) -> Mapping[int, object]:
        """The pulses of some events."""
        return {one.pk: self._pulse(one) for one in Event.objects.filter(pk__in=event_ids)}

    def _pulse(self, event: Event) -> tuple[int, int]:
        return event.version, self.scores

    def calls(self, player_ids: Collection[int]) -> Mapping[int, Parts]:
        """Nobody is called."""
        return {player_id: {} for player_id in player_ids}


class Pace:
    """The rests of everything paced; each lasts until the test ends it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.resting: list[asyncio.Future[None]] = []
        self.somebody_rests = asyncio.Event()
        monkeypatch.setattr(live, "rest", self._rest)

    async def _rest(self, seconds: float) -> None:
        assert seconds >= live.CONSOLE_PACE
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
