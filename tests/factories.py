"""The cast, their tables and what is played there: Maeve, Ben, Iris and Jonah; Otto watches."""

import itertools
import random
import sys
from collections.abc import Collection
from copy import copy
from datetime import datetime, timedelta

from allauth.account.models import EmailAddress
from asgiref.sync import sync_to_async
from django.test import Client
from django.utils import timezone

from games.engine.actions import PASSED, Action, action_text
from games.engine.game import Game as Play
from games.engine.observation import START, Standing
from games.engine.rules import CLASSIC_24, RuleSet
from games.live import state
from games.live.journal import GameHead, JournalEntry
from games.models import Game, GameEvent, Player, Table, User
from games.people.identity import PLAYER_KEY
from games.play import play
from games.play.play import ActAnswer, Decision
from games.seats import seating
from games.shuffle.dealing import packs_of

PASSWORD = "a quiet bower"


def player(name: str = "Maeve") -> Player:
    """A person without an account."""
    return Player.objects.create(name=name)


def member(name: str = "Maeve") -> Player:
    """A person with an account at ``<name>@example.com``."""
    user = User.objects.create_user(f"{name.lower()}@example.com", PASSWORD)
    return Player.objects.create(name=name, user=user)


def confirmed(who: Player) -> Player:
    """The same person, who has confirmed the address of their account."""
    assert who.user is not None
    EmailAddress.objects.create(user=who.user, email=who.user.email, verified=True, primary=True)
    return who


def people(number: int) -> list[Player]:
    """So many persons without accounts, called "1", "2" and so on."""
    return Player.objects.bulk_create(
        (Player(name=f"{n + 1}") for n in range(number)), batch_size=1000
    )


def logged_in(who: Player) -> Client:
    """A browser whose session is this player's: logged in, or a guest's."""
    client = Client()
    if who.user is not None:
        client.force_login(who.user)
        return client
    session = client.session
    session[PLAYER_KEY] = who.pk
    session.save()
    return client


def again(browser: Client) -> Client:
    """Another browser with the same cookies: what is answered to it changes only its own."""
    twin = Client()
    twin.handler = browser.handler  # which has loaded the middleware
    twin.cookies = copy(browser.cookies)
    return twin


def cast() -> tuple[Player, Player, Player, Player]:
    """Maeve, Ben, Iris and Jonah, without accounts."""
    return player("Maeve"), player("Ben"), player("Iris"), player("Jonah")


def table(
    host: Player,
    *others: Player,
    rules: RuleSet = CLASSIC_24,
    open: bool = True,  # noqa: A002
    house_seats: Collection[int] = (),
) -> Table:
    """A table with its host and then the others in the first seats that are not the house's."""
    made = seating.make_table(host, rules, open=open, house_seats=house_seats)
    free = (position for position in range(rules.players) if position not in house_seats)
    for person, position in zip((host, *others), free, strict=False):
        seating.sit(made, person, position)
    made.refresh_from_db()
    return made


def push(
    game: Game, engine: Play, action: Action, by: str = GameEvent.By.HOUSE, who: int | None = None
) -> GameEvent:
    """Do an action; the event that tells of it, not saved. What is nobody's turn, the clock does.

    who: the key of the player who does it.
    """
    seat = engine.turn
    engine.push(action)
    return GameEvent(
        game=game,
        seq=engine.version,
        seat=seat,
        player_id=who,
        by=by if seat >= 0 else GameEvent.By.CLOCK,
        action=action_text(action),
        at=timezone.now(),
    )


def play_out(at: Table, *, thrown_in: int = 0, by: str = GameEvent.By.HOUSE) -> Game:
    """Play a table's running game to its end by chance, after so many deals that all pass."""
    return finish(at, play_on(at, thrown_in=thrown_in, by=by))


def play_on(
    at: Table, deals: int | None = None, *, thrown_in: int = 0, by: str = GameEvent.By.HOUSE
) -> Standing:
    """Play a table's running game from its start by chance, for so many deals, or to its end."""
    game = at.games.get(state=Game.State.PLAYING)
    sitting = dict(at.seats.values_list("position", "player"))
    engine, chance = Play(game.rules, game.first_dealer, packs_of(game)), random.Random(5)
    events = []
    while not engine.standing.over and engine.standing.deal_number <= (deals or sys.maxsize):
        legal = engine.legal_actions()
        passing = PASSED in legal and engine.standing.deal_number <= thrown_in
        action = PASSED if passing else chance.choice(legal)
        who = sitting.get(engine.turn) if by == GameEvent.By.PERSON else None
        events.append(push(game, engine, action, by, who))
    GameEvent.objects.bulk_create(events)
    at.games.filter(pk=game.pk).update(version=engine.version)
    return engine.standing


def finish(at: Table, standing: Standing = START) -> Game:
    """Store that the running game of a table is over, as the journal does."""
    game = at.games.get(state=Game.State.PLAYING)
    game.state, game.ended, game.winner = Game.State.OVER, timezone.now(), standing.winner
    game.score_0, game.score_1 = standing.score
    game.deal_number, game.turn, game.version = standing.deal_number, -1, game.events.count()
    game.save()
    at.state = Table.State.FINISHED
    at.save()
    return game


class Room:
    """A table in live play: who is to move, and what they may do.

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
    sitting = cast()[: rules.players - len(house_seats)]
    Player.objects.filter(pk__in=[person.pk for person in sitting]).update(cut_for_me=False)
    at = table(*sitting, rules=rules, house_seats=house_seats)
    seats = at.seats.select_related("player").order_by("position")
    return Room(at.pk, [seat.player for seat in seats if seat.player])


class Clock:
    """A clock that only the test moves on."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        """Return the time."""
        return self.now

    def advance(self, seconds: float) -> None:
        """Move on by some seconds."""
        self.now += timedelta(seconds=seconds)
