"""A server's database: rows read and changed, known packs, games stored for reading."""

from __future__ import annotations

import itertools
import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import cache
from random import Random
from typing import NamedTuple

from cryptography.fernet import Fernet

from games.engine import shuffle
from games.engine.game import Game
from games.engine.rules import RuleSet
from tests.served import ROOT, Server

SECRET = bytes(32)
#: With `SECRET`, what the packs of a game follow from in which Maeve goes astray.
MISTAKEN = bytes(31) + b"\1"
#: How often an action of that game is replaced by chance.
ASTRAY = 0.4


def rows(server: Server, statement: str, *values: object) -> list[tuple[object, ...]]:
    """Run a statement on the database and return its rows."""
    with closing(sqlite3.connect(server.data / "db.sqlite3", timeout=60)) as connection:
        found = connection.execute(statement, values).fetchall()
        connection.commit()
        return found


def actions(server: Server, table_id: int) -> list[tuple[int, str]]:
    """All that has been stored of a table's games: seat and action, in order."""
    found = rows(
        server,
        "SELECT seat, action FROM games_gameevent JOIN games_game ON games_game.id = game_id "
        "WHERE table_id = ? ORDER BY number, seq",
        table_id,
    )
    return [(int(str(seat)), str(action)) for seat, action in found]


def cut_themselves(server: Server) -> None:
    """Let everybody known to the server cut the pack themselves."""
    rows(server, "UPDATE games_player SET cut_for_me = 0 WHERE kind = 'person'")


def confirm_addresses(server: Server) -> None:
    """Let everybody have opened the link in the letter that confirms their address."""
    rows(server, "UPDATE account_emailaddress SET verified = 1")


def usual_looks(server: Server) -> None:
    """Let nobody have chosen anything for their pages and tables."""
    rows(server, "UPDATE games_user SET look = '' WHERE look <> ''")


@contextmanager
def stacked(server: Server, rules: RuleSet, wish: Callable[[Game], bool]) -> Iterator[Game]:
    """While this holds, every new game begins with a pack that grants a wish.

    Args:
        server: the server.
        rules: the rule set of the games begun meanwhile.
        wish: whether a game with a certain dealer and packs will do; it may play in it.

    Yields:
        The game as it will be, before anything has happened in it.
    """
    mixed = next(one for one in map(_mixed, itertools.count()) if wish(_game(rules, one)))
    game = _game(rules, mixed)
    change = (
        f"secret = x'{_sealed(server).hex()}', mixed = x'{mixed.hex()}', "
        f"first_dealer = {game.deal.dealer}, turn = {game.turn}"
    )
    change = f"UPDATE games_game SET {change} WHERE id = NEW.id"  # noqa: S608 - all our own
    rows(server, f"CREATE TRIGGER stacked AFTER INSERT ON games_game BEGIN {change}; END")
    try:
        yield game
    finally:
        rows(server, "DROP TRIGGER stacked")


def _mixed(number: int) -> bytes:
    return number.to_bytes(32, "big")


def _game(rules: RuleSet, mixed: bytes) -> Game:
    dealer = shuffle.first_dealer(SECRET, mixed, rules.players)
    return Game(rules, dealer, lambda deal: shuffle.shuffled(rules, SECRET, mixed, deal)[0])


def _sealed(server: Server) -> bytes:
    lines = (server.data / "secrets.env").read_text().splitlines()
    key = next(line.partition("=")[2] for line in lines if line.startswith("DEAL_KEY"))
    return Fernet(key.strip("'\"")).encrypt(SECRET)


class RatedGame(NamedTuple):
    """A rated game, and the pages that show it, by name."""

    game_id: str
    paths: dict[str, str]


@cache
def rated_game(server: Server) -> RatedGame:
    """Store a finished rated event of four people and other games of theirs, once per server."""
    return RatedGame(**json.loads(_stored(server, "rated")))


@cache
def game_with_mistakes(server: Server) -> str:
    """Return the id of a game that Maeve has played four days ago, once for each server."""
    return _stored(server, "with-mistakes")


def _stored(server: Server, what: str) -> str:
    """Store it in a process of its own, since Django can be set up only once in each."""
    made = subprocess.run(
        [sys.executable, "-m", "tests.browser.store", what],
        cwd=ROOT,
        env={**server.env, "BOWER_DATA": str(server.data)},
        check=True,
        capture_output=True,
        text=True,
    )
    return made.stdout.splitlines()[-1]


def open_day(server: Server) -> str:
    """Return the page of the site's daily deal that is open, which is made if it is not there."""
    return f"/daily/{_stored(server, 'open-day')}/"


def close_day(server: Server) -> str:
    """Let the hour have come at which the open day closes; return its page."""
    return f"/daily/{_stored(server, 'close-day')}/"


def store_open_day() -> None:
    """Make a day of the daily deal, and print which it is."""
    from tests.tournaments.daily.days_for_tests import today

    print(today().day)


def store_close_day() -> None:
    """Do what the worker does of itself until a day has closed, and print which day that is."""
    from django.utils import timezone

    from tests.tournaments.daily.days_for_tests import closed, today
    from tournaments.daily import closing

    daily = today()
    closing.play_house(daily, timezone.now())
    print(closed(daily).day)


def store_rated() -> None:
    """Store the event, and print the fields of its `RatedGame` as JSON."""
    from django.db import transaction

    from games.models import Game
    from tests.factories import cast
    from tests.tournaments.build import noted_game, rated

    people = cast()
    with transaction.atomic():  # the server notes and rates by itself what is there half done
        event = rated(*people, rounds=3)
        for winner in (0, 0, 1):
            noted_game(*people, winner=winner, called=4, called_1=4, trumps_1=11, made=3, euchred=1)
    game = Game.objects.filter(table__pairing__round__event=event).earliest("number", "table")
    paths = {
        "pools": "/ratings/",
        "leaderboard": "/ratings/classic-online/",
        "player": f"/players/{people[0].pk}/ratings/classic-online/",
        "how": "/ratings/how/",
        "event ratings": f"/events/{event.pk}/ratings/",
        "event": f"/events/{event.pk}/",
    }
    print(json.dumps({"game_id": str(game.pk), "paths": paths}))


def store_with_mistakes() -> None:
    """Store a game in which Maeve goes astray, and print its id."""
    from datetime import timedelta

    from django.db import transaction
    from django.utils import timezone

    from games.bots import house
    from games.engine.game import Game as Play
    from games.models import Game, GameEvent, Player
    from games.seats.house_rules import HOUSE_RULES
    from games.shuffle.dealing import packs_of
    from games.shuffle.secret_box import seal
    from tests.factories import finish, player, push, table

    # To few points: each hand takes seconds to review.
    rules = RuleSet(key=HOUSE_RULES, name="House rules", stick_the_dealer=True, target=4)
    with transaction.atomic():
        maeve = Player.objects.get(name="Maeve", user__isnull=False)
        at = table(maeve, *(player(name) for name in ("Iris", "Ben", "Jonah")), rules=rules)
        game = at.games.get(state=Game.State.PLAYING)
        game.secret, game.mixed = seal(SECRET), MISTAKEN
        game.first_dealer = shuffle.first_dealer(SECRET, MISTAKEN, game.rules.players)
        game.save(update_fields=["secret", "mixed", "first_dealer"])
        sitting = dict(at.seats.values_list("position", "player"))
        engine, chance = Play(game.rules, game.first_dealer, packs_of(game)), Random(7)
        events = []
        while not engine.standing.over:
            legal = engine.legal_actions()
            action = legal[0]
            if engine.turn >= 0:
                action = house.choose(engine.observe(engine.turn), chance)
                if chance.random() < ASTRAY:
                    action = chance.choice(legal)
            who = sitting.get(engine.turn)
            events.append(push(game, engine, action, GameEvent.By.PERSON, who))
        GameEvent.objects.bulk_create(events)
        finish(at, engine.standing)
        ended = timezone.now() - timedelta(days=4)
        Game.objects.filter(pk=game.pk).update(ended=ended, published=True)
    print(game.pk)


if __name__ == "__main__":
    import django

    django.setup()
    stores: dict[str, Callable[[], None]] = {
        "rated": store_rated, "with-mistakes": store_with_mistakes,
        "open-day": store_open_day, "close-day": store_close_day,
    }  # fmt: skip
    stores[sys.argv[1]]()
