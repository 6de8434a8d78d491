"""Reads a file of a game, whichever of the two kinds it is."""

from __future__ import annotations

from games.files.egn import FILE_TYPE, read_egn
from games.files.played import PlayedGame
from games.files.problems import FileError
from games.files.reading import load
from games.files.record import FORMAT, play
from games.files.record_reading import read_record


def read_game(data: bytes) -> PlayedGame:
    """Read a game from Bower's own record or from Euchre Game Notation.

    Raises:
        FileError: it is neither, or something in it cannot be so.
    """
    file = load(data)
    keys = file.value if isinstance(file.value, dict) else {}
    if "format" in keys:
        return play(read_record(data))
    if "fileType" in keys:
        return read_egn(file)
    raise FileError("", f"This is neither a {FORMAT} (format) nor {FILE_TYPE} (fileType).")
