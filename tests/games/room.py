"""A table with its game for the tests of live play: who is to move, and what they may do."""

import itertools
import random

from asgiref.sync import sync_to_async
from django.utils import timezone

from games.engine.rules import CLASSIC_24, RuleSet
from games.live import state
from games.live.journal import GameHead, JournalEntry
from games.models import Game, GameEvent, Player
from games.play import play
from games.play.play import ActAnswer, Decision
from tests import factories


class Room:
    """A table in play.

    Attributes:
        table_id: which.
        players: who sits, by position.
    """

    def __init__(self, table_id: int, players: list[Player]) -> None:
        self.table_id = table_id
        self.players = players
        self.keys = (f"key-{number}" for number in itertools.count())
        self.chance = random.Random(5)

    async def live(self) -> state.Live:
        """The table as the server keeps it."""
        return await state.get(self.table_id)

    async def stamp(self) -> str:
        """The game number and version now."""
        return (await self.live()).stamp

    async def turn(self) -> int:
        """The seat that must act."""
        table = await self.live()
        assert table.playing
        return table.playing.engine.turn

    async def legal(self) -> list[str]:
        """What may be done now, as texts."""
        table = await self.live()
        assert table.playing
        return [str(action) for action in table.playing.engine.legal_actions()]

    async def act(
        self, seat: int, text: str, *, stamp: str | None = None, key: str | None = None
    ) -> ActAnswer:
        """Do something as the person in a seat."""
        stamp = stamp or await self.stamp()
        decision = Decision(text, stamp, key or next(self.keys))
        return await play.act(self.table_id, self.players[seat].pk, decision)

    async def step(self) -> ActAnswer:
        """Do something legal as whoever must act; anybody deals the next hand."""
        return await self.act(max(await self.turn(), 0), self.chance.choice(await self.legal()))

    async def play_out(self) -> None:
        """Play to the end of the game."""
        while not await self.over():
            answer = await self.step()
            assert answer.kind == play.DONE, answer

    async def passing(self, player_id: int | None = None) -> JournalEntry:
        """A pass that opens the game, as the journal takes it."""
        game, turn = await self.row(), await self.turn()
        head = GameHead(Game.State.PLAYING, (turn + 1) % 4, 1, (0, 0), -1, None, None)
        player_id = player_id or self.players[turn].pk
        by, now = GameEvent.By.PERSON, timezone.now()
        return JournalEntry(game.id, 0, turn, player_id, by, "pass", "key", now, head)

    async def over(self) -> bool:
        """Whether the game has ended."""
        table = await self.live()
        return bool(table.playing and table.playing.engine.standing.over)

    async def row(self) -> Game:
        """The game's row."""
        return await Game.objects.filter(table=self.table_id).alatest("number")

    async def events(self) -> list[GameEvent]:
        """What is stored of the game, in order."""
        game = await self.row()
        return [event async for event in GameEvent.objects.filter(game=game).order_by("seq")]


async def room(rules: RuleSet = CLASSIC_24, house_seats: tuple[int, ...] = ()) -> Room:
    """A table of the cast in play, some seats held by house players; nobody is cut for."""
    return await sync_to_async(_room)(rules, house_seats)


def _room(rules: RuleSet, house_seats: tuple[int, ...]) -> Room:
    people = factories.cast()[: rules.players - len(house_seats)]
    Player.objects.filter(pk__in=[person.pk for person in people]).update(cut_for_me=False)
    table = factories.table(*people, rules=rules, house_seats=house_seats)
    seats = table.seats.select_related("player").order_by("position")
    return Room(table.pk, [seat.player for seat in seats if seat.player])
