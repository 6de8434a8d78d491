"""Stored games as files to take away, and files of games kept for a visitor's session."""

import base64
import zlib
from typing import Final, NamedTuple

from django.contrib.sessions.backends.base import SessionBase

from games.engine.actions import parse_action
from games.files.egn import write_egn
from games.files.importing import games_in, read_games
from games.files.played import PlayedGame
from games.files.reading import FileError
from games.files.record import (
    ABANDONED,
    OVER,
    RESIGNED,
    RecordedEvent,
    RecordedGame,
    RecordedSitter,
    play,
    record_data,
    replay,
    write_record,
)
from games.models import Game
from games.shuffle.secret_box import unseal

FILE_KEY: Final = "replayed_file"  # in the session: the file, compressed and in base64
#: How long that may be, so that a session stays small; a game of a hundred hands needs a tenth.
MOST_KEPT: Final = 200_000


def record_of(game: Game) -> RecordedGame:
    """Return a game that has ended, as it was played; its secret is no secret any more.

    What was undone is not in it: the table's log tells that.
    """
    commitments, contributions = game.thrown_in
    sitters = game.seats.select_related("player").order_by("position")
    rows = game.line_of_play("seat", "by", "action", "at")
    return RecordedGame(
        game_id=game.pk,
        title=game.table.title,
        number=game.number,
        state=state_of(game),
        started=game.started,
        ended=game.ended or game.moved,
        rules=game.rules,
        sitters=tuple(RecordedSitter(seat.player.name, seat.player.kind) for seat in sitters),
        commitment=bytes(game.commitment),
        commitments=commitments,
        contributions=contributions,
        mixed=bytes(game.mixed),
        secret=unseal(game.secret),
        events=tuple(
            RecordedEvent(seat, str(by), parse_action(action), at) for seat, by, action, at in rows
        ),
        resigned=game.resigned,
    )


def state_of(game: Game) -> str:
    """Return how a game that has ended did so, as its record and the public log say it."""
    if game.resigned >= 0:
        return RESIGNED
    return ABANDONED if game.state == Game.State.ABANDONED else OVER


def record_file(game: Game) -> bytes:
    """Return a game that has ended as Bower's own record."""
    return write_record(record_of(game))


def seal_of(game: Game) -> bytes:
    """Return the seal of a game that has ended; it stays the same when names change later."""
    record = record_of(game)
    return bytes.fromhex(record_data(record, *replay(record))["seal"])


def egn_file(game: Game) -> bytes:
    """Return a game that has ended in Euchre Game Notation; raise CannotHoldError if that cannot
    tell what happened."""
    return write_egn(played_of(game))


def played_of(game: Game) -> PlayedGame:
    """Return a game that has ended, to be replayed."""
    return play(record_of(game))


class KeptGame(NamedTuple):
    """A game of the file that a session keeps.

    game: None if there is none of this number. games: how many the file has.
    """

    game: PlayedGame | None
    number: int
    games: int


def keep(session: SessionBase, data: bytes) -> None:
    """Check a file and keep it for the visitor's session, in place of an earlier one.

    Raises FileError when it has a game that cannot be replayed.
    """
    read_games(data)
    kept = base64.b64encode(zlib.compress(data, 9)).decode()
    if len(kept) > MOST_KEPT:
        raise FileError("", "This file is too long to be replayed here.")
    session[FILE_KEY] = kept


def kept(session: SessionBase, number: int) -> KeptGame | None:
    """Return a game, by its number from 1, of the file that a session keeps, or None if it keeps
    none; a file that was read by an earlier version of this program and is refused by this one
    counts as none."""
    data = session.get(FILE_KEY)
    if data is None:
        return None
    try:
        games = games_in(zlib.decompress(base64.b64decode(data)))
        known = 1 <= number <= len(games)
        return KeptGame(games[number - 1]() if known else None, number, len(games))
    except FileError:
        return None
