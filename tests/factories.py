"""The cast and their tables: Maeve, Ben, Iris and Jonah play, Otto watches."""

import random
from collections.abc import Collection
from copy import copy

from django.test import Client
from django.utils import timezone

from games.engine.actions import PASSED, action_text
from games.engine.game import Game as Play
from games.engine.observation import START, Standing
from games.engine.rules import CLASSIC_24, RuleSet
from games.models import Game, GameEvent, Player, Table, User
from games.people.identity import PLAYER_KEY
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


def play_out(at: Table, *, thrown_in: int = 0, by: str = GameEvent.By.HOUSE) -> Game:
    """Play a table's running game to its end by chance, after so many deals that all pass."""
    game = at.games.get(state=Game.State.PLAYING)
    sitting = dict(at.seats.values_list("position", "player"))
    engine, chance = Play(game.rules, game.first_dealer, packs_of(game)), random.Random(5)
    while not engine.standing.over:
        seat = engine.turn
        legal = engine.legal_actions()
        passing = PASSED in legal and engine.standing.deal_number <= thrown_in
        action = PASSED if passing else chance.choice(legal)
        engine.push(action)
        GameEvent.objects.create(
            game=game,
            seq=engine.version,
            seat=seat,
            player_id=sitting.get(seat) if by == GameEvent.By.PERSON else None,
            by=by if seat >= 0 else GameEvent.By.CLOCK,
            action=action_text(action),
            at=timezone.now(),
        )
    return finish(at, engine.standing)


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
