"""Euchre Match Notation (EMN): the games of one match in one file, each in Euchre Game Notation.

The people of the match are listed once, and each game says by their ids who sits where. The form of
the match and its result are read over: what a match comes to is for its reader to say.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Final

from games.files.egn import read_egn, read_player
from games.files.played import PlayedGame
from games.files.reading import FileNode

FILE_TYPE: Final = "Euchre Match Notation"
MOST_GAMES: Final = 50
MOST_PLAYERS: Final = 400
_SEATS: Final = 4
_VERSIONS: Final = re.compile(r"1\.0(\.[0-9]{1,4})?")
_SAID: Final = ("matchId", "title", "description", "date", "matchFormat", "result")


def read_match(file: FileNode) -> list[Callable[[], PlayedGame]]:
    """Read what a file says of a match.

    Args:
        file: the whole file, from ``reading.load``.

    Returns:
        Its games in order, each read, and perhaps refused with FileError, when it is called.

    Raises:
        FileError: it is not EMN.
    """
    said = file.fields(("fileType", "version", "metadata", "games"))
    said["fileType"].choice((FILE_TYPE,))
    if not _VERSIONS.fullmatch(said["version"].text(20)):
        said["version"].refuse("EMN 1.0 is read.")
    about = said["metadata"].fields(("players",), _SAID)
    title = about["title"].words(2000) if "title" in about else ""
    names: dict[str, str] = {}
    for node in about["players"].items(1, MOST_PLAYERS):
        key = node.fields(("id", "name"), ("playerIds",))["id"]
        if key.text(64) in names:
            key.refuse("Another player has this id.")
        names[key.text(64)] = read_player(node)
    return [
        _game(node, number, names, title)
        for number, node in enumerate(said["games"].items(1, MOST_GAMES))
    ]


def _game(
    node: FileNode, number: int, names: dict[str, str], title: str
) -> Callable[[], PlayedGame]:
    said = node.fields(("gameIndex", "players", "gameData"))
    said["gameIndex"].number(number, number)
    seats = said["players"].items(_SEATS, _SEATS)
    taken: list[str] = []
    for seat in seats:
        if seat.text(64) not in names:
            seat.refuse("No player of metadata.players has this id.")
        if seat.value in taken:
            seat.refuse("This player has another seat in this game.")
        taken.append(seat.value)
    return partial(read_egn, said["gameData"], tuple(names[key] for key in taken), title)
