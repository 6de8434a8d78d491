"""A server's database file, looked into and changed from outside: time passes, packs are known."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

from cryptography.fernet import Fernet

from games.engine import shuffle
from games.engine.game import Game
from games.engine.rules import RuleSet
from tests.served import Server

SECRET = bytes(32)


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
