"""Read a file of games in any of the supported formats."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from games.files import egn
from games.files.played import PlayedGame
from games.files.reading import FileError, load
from games.files.record import FORMAT, play, read_record


def games_in(data: bytes) -> list[Callable[[], PlayedGame]]:
    """Return a function for each game of a file, which reads that game when called.

    The file is Bower's own record, Euchre Game Notation or Euchre Match Notation; a match usually
    has several games. Both steps raise FileError.
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
    return [read() for read in games_in(data)]
