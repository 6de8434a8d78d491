"""Open pages of events, and drawers that count what they are asked to draw."""

from collections.abc import Collection, Mapping

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
