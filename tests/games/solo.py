"""Solo tables: one person plays shared deals alone with three house players."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Final

from asgiref.sync import sync_to_async
from django.utils import timezone

from games.engine.game import Game
from games.engine.rules import STICK_THE_DEALER, RuleSet
from games.models import Player, SharedDeals, Table
from games.people.house_players import house_players
from games.play import play
from games.play.play import ActAnswer
from games.seats import reserved
from games.seats.reserved import ReservedTable
from games.shuffle import shared
from tests.factories import Room

RULES: Final = replace(STICK_THE_DEALER, target=None, deals=4, thrown_in_counts=True)
SOUTH: Final = 2

Chooses = Callable[[list[str], int], str]


def day() -> SharedDeals:
    """Deals that open when tomorrow is over."""
    midnight = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    return shared.make_for_solo_tables(midnight + timedelta(days=2))


def solo_table(deals: SharedDeals, player: Player, rules: RuleSet = RULES) -> Table:
    """A table at which somebody, in the South, has begun to play the deals."""
    north, east, west = house_players(3)
    place = ReservedTable([north, east, player, west], "Daily deal", "/")
    table = reserved.open_tables([place], rules, player, open=False, solo_deals=deals)[0]
    reserved.begin(table.pk, 1, rules)
    table.refresh_from_db()
    return table


def first(legal: list[str], _version: int) -> str:
    return legal[0]


def by_chance(seed: int) -> Chooses:
    """Choose by chance, the same for the same seed and version."""
    return lambda legal, version: Random(f"{seed} {version}").choice(legal)


class SoloRoom(Room):
    """A solo table in live play; its person chooses by `chooses`."""

    def __init__(self, table_id: int, players: list[Player], chooses: Chooses = first) -> None:
        super().__init__(table_id, players)
        self.chooses = chooses

    async def move(self) -> ActAnswer | None:
        """Let whoever is next do something: the person, or the house by itself."""
        live = await self.live()
        assert live.playing is not None
        engine = live.playing.engine
        if engine.turn not in (SOUTH, -1):
            await play.act_by_itself(self.table_id)
            return None
        return await self.act(SOUTH, self.chooses(await self.legal(), engine.version))

    async def to_the_end_of_a_deal(self) -> None:
        """Play until a deal is over."""
        await self.move()
        while not (await self.engine()).deal.result:
            await self.move()

    async def engine(self) -> Game:
        """The game as the server keeps it."""
        live = await self.live()
        assert live.playing is not None
        return live.playing.engine

    async def to_the_end(self) -> None:
        """Play to the end of the four deals."""
        while not await self.over():
            await self.move()

    async def log(self) -> list[tuple[int, str]]:
        """What has been done, by seat."""
        return [(event.seat, event.action) for event in await self.events()]


async def solo_room(
    deals: SharedDeals, player: Player, chooses: Chooses = first, rules: RuleSet = RULES
) -> SoloRoom:
    """A solo table in live play."""
    table = await sync_to_async(solo_table)(deals, player, rules)
    return SoloRoom(table.pk, [player] * 4, chooses)
