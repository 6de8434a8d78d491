"""Files of stored games, and uploaded files kept in a visitor's session."""

import base64
import zlib
from typing import Final, NamedTuple

from django.contrib.sessions.backends.base import SessionBase

from games.engine.actions import parse_action
from games.files.importing import games_in, read_games
from games.files.played import PlayedGame
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
from games.files.strict_json import FileError
from games.models import Game
from games.shuffle.secret_box import secret_of

FILE_KEY: Final = "replayed_file"  # in the session: the file, compressed and in base64
#: The longest kept file, so that sessions stay small; a game of a hundred hands needs a tenth.
MAX_KEPT: Final = 200_000


def record_of(game: Game) -> RecordedGame:
    """Return the record of an ended game, with its secret and without undone actions."""
    commitments, contributions = game.commitments_and_contributions
    sitters = game.seats.select_related("player").order_by("position")
    shared = game.table.shared_deals
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
        secret=secret_of(game),
        events=tuple(
            RecordedEvent(seat, str(by), parse_action(action), at) for seat, by, action, at in rows
        ),
        resigned=game.resigned,
        shared=(shared.pk, game.table.number_in_deals) if shared else None,
    )


def state_of(game: Game) -> str:
    if game.resigned >= 0:
        return RESIGNED
    return ABANDONED if game.state == Game.State.ABANDONED else OVER


def record_file(game: Game) -> bytes:
    return write_record(record_of(game))


def seal_of(game: Game) -> bytes:
    """Return the seal of an ended game; later changes of names do not affect it."""
    record = record_of(game)
    return bytes.fromhex(record_data(record, *replay(record))["seal"])


def played_of(game: Game) -> PlayedGame:
    return play(record_of(game))


class KeptGame(NamedTuple):
    """A game of the file kept in a session; None if the file has none of this number."""

    game: PlayedGame | None
    number: int
    games: int


def keep(session: SessionBase, data: bytes) -> None:
    """Store a file in the session in place of an earlier one; raise FileError if it is invalid."""
    read_games(data)
    kept = base64.b64encode(zlib.compress(data, 9)).decode()
    if len(kept) > MAX_KEPT:
        raise FileError("", "This file is too long to be replayed here.")
    session[FILE_KEY] = kept


def kept(session: SessionBase, number: int) -> KeptGame | None:
    """Return a game, by its number from 1, of the session's file; None without a valid file."""
    data = session.get(FILE_KEY)
    if data is None:
        return None
    try:
        games = games_in(zlib.decompress(base64.b64decode(data)))
        known = 1 <= number <= len(games)
        return KeptGame(games[number - 1]() if known else None, number, len(games))
    except FileError:
        return None
