"""Reads a file of games, whichever kind it is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from games.files import egn
from games.files.played import PlayedGame
from games.files.reading import FileError, load
from games.files.record import FORMAT, play, read_record


def games_in(data: bytes) -> list[Callable[[], PlayedGame]]:
    """The games of a file, each read when it is called: of a match are usually several.

    The file is Bower's own record, Euchre Game Notation or Euchre Match Notation.

    Raises:
        FileError: it is none of these; or, from a call, something in a game cannot be so.
    """
    file = load(data)
    keys = file.value if isinstance(file.value, dict) else {}
    if "format" in keys:
        return [lambda: play(read_record(data))]
    if keys.get("fileType") == egn.MATCH_FILE_TYPE:
        return egn.read_match(file)
    if "fileType" in keys:
        return [partial(egn.read_egn, file)]
    raise FileError(
        "",
        f"This is neither a {FORMAT} (format) nor {egn.FILE_TYPE} or {egn.MATCH_FILE_TYPE} "
        "(fileType).",
    )


def read_games(data: bytes) -> list[PlayedGame]:
    """Read all games of a file.

    Raises:
        FileError: it is no file of games, or something in it cannot be so.
    """
    return [read() for read in games_in(data)]
