"""Read a file of games in any of the supported formats."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Final

from games.files import egn
from games.files.played import PlayedGame
from games.files.ptn import BEGINS, read_ptn
from games.files.record import FORMAT, play, read_record
from games.files.strict_json import FileError, decoded, load_text

#: How Protocol Buffers of EGN begin, after a byte that says of which kind they are.
_BINARY: Final = re.compile(rb"[\x00-\x0f]?\n[\x14\x15]Euchre (Game|Match) Notation")


def games_in(data: bytes) -> list[Callable[[], PlayedGame]]:
    """Return a function for each game of a file, which reads that game when called.

    The file is Bower's own record, Euchre Game Notation, Euchre Match Notation or PTN; the last two
    may have several games. Both steps raise FileError.
    """
    if _BINARY.match(data):
        raise FileError("", "This is binary EGN (.egnb); only EGN as JSON (.egn) is read.")
    text = decoded(data)
    if BEGINS.match(text):
        return [partial(PlayedGame, *game) for game in read_ptn(text)]
    file = load_text(text)
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
        "(fileType) nor PTN.",
    )


def read_games(data: bytes) -> list[PlayedGame]:
    return [read() for read in games_in(data)]
