"""Reading a pasted record as far as it is right."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import count, islice, pairwise
from typing import Any, Final, NamedTuple

from games.files.importing import read_games
from games.files.played import PlayedGame
from games.files.ptn import BEGINS
from games.files.strict_json import FileError, decoded

#: The answer to a text in none of the formats.
NONE_OF_THREE: Final = "This is none of the three. The first line is not understood."
BOWER: Final = "Bower’s own record"
EGN: Final = "Euchre Game Notation"
EMN: Final = "Euchre Match Notation"
PTN: Final = "PTN"

_KEYS: Final = re.compile(r"[^.\[\]]+")
_LINE: Final = re.compile(r"line (\d+)")
#: After so many wrong hands the rest is not read.
_MOST_WRONG: Final = 10


class WrongHand(NamedTuple):
    """What is wrong with a hand; `right` is how many of its tricks are read, None if nothing is."""

    reason: str
    right: int | None


class Pasted(NamedTuple):
    """The games of a text; `wrong` by the number of the hand among all, from 1."""

    kind: str
    games: list[PlayedGame]
    wrong: dict[int, WrongHand]

    def hands(self) -> Iterator[tuple[int, PlayedGame, int]]:
        """Yield each hand's number among all, its game and its number there, from 1."""
        numbers = _numbers(self.wrong)
        for game in self.games:
            for index in range(len(game.deals)):
                yield next(numbers), game, index + 1


def read(data: bytes) -> Pasted:
    """Read a record in any of the formats, a wrong hand up to its last right trick.

    Raise FileError if nothing can be read. Bower's own record is sealed: it is right or it is not.
    """
    text = decoded(data)
    kind = _kind(text)
    wrong: dict[int, WrongHand] = {}
    while True:
        try:
            return Pasted(kind, read_games(text.encode()), wrong)
        except FileError as error:
            cut = _cut_lines if kind == PTN else _cut_json
            if kind == BOWER or len(wrong) == _MOST_WRONG:
                raise
            text, left, right = cut(text, error)
            reason = error.reason if right is None else f"Trick {right + 1}: {error.reason}"
            wrong[next(islice(_numbers(wrong), left - 1, None))] = WrongHand(reason, right)


def where(error: FileError) -> str:
    """Return in words where a text is wrong: "Hand 3, trick 2", "Line 12"; empty for all of it."""
    if _LINE.match(error.place):
        return error.place.capitalize()
    keys = _KEYS.findall(error.place)
    names = {"games": "game", "deals": "hand", "tricks": "trick"}
    places = [
        f"{names[key]} {int(number) + 1}"
        for key, number in pairwise(keys)
        if key in names and number.isdecimal()
    ]
    return ", ".join(places).capitalize()


def _numbers(wrong: Mapping[int, WrongHand]) -> Iterator[int]:
    """Yield the numbers of the hands that are left, in a text without those not read at all."""
    return (number for number in count(1) if number not in wrong or wrong[number].right is not None)


def _kind(text: str) -> str:
    if BEGINS.match(text):
        return PTN
    try:
        file = json.loads(text)
    except (ValueError, RecursionError):
        file = None
    if not isinstance(file, dict) or not {"format", "fileType"} & file.keys():
        raise FileError("", NONE_OF_THREE)
    if "format" in file:
        return BOWER
    return EMN if file["fileType"] == EMN else EGN


def _cut_json(text: str, error: FileError) -> tuple[str, int, int | None]:
    """Return a file of EGN without what is wrong and all after it; raise the error if all is.

    With it come the number of the hand among those left and of its tricks that are right.
    """
    keys = _KEYS.findall(error.place)
    if "deals" not in keys[:-1]:
        raise error
    file: Any = json.loads(text)
    at = keys.index("deals")
    game: Any = file
    for key in keys[:at]:
        game = game[int(key) if isinstance(game, list) else key]
    deals, index = game["deals"], int(keys[at + 1])
    right = None
    if "tricks" in keys[:-1]:
        right = int(keys[keys.index("tricks") + 1])
        phase = deals[index]["phases"][int(keys[at + 3])]
        del phase["tricks"][right:], deals[index + 1 :]
    else:
        del deals[index:]
    game.get("metadata", {}).pop("finalScore", None)
    before = 0
    if game is not file:
        games, this = file["games"], int(keys[1])
        before = sum(len(one["gameData"]["deals"]) for one in games[:this])
        del games[this + bool(deals) :]
    if not (deals if game is file else file["games"]):
        raise error
    return json.dumps(file), before + index + 1, right


def _cut_lines(text: str, error: FileError) -> tuple[str, int, int | None]:
    """Return a text of PTN without what is wrong, as `_cut_json` does; other hands stay."""
    found = _LINE.match(error.place)
    if found is None:
        raise error
    lines, wrong = [line.strip() for line in re.split(r"\r\n?|\n", text)], int(found[1]) - 1
    events = [at for at, line in enumerate(lines) if line.startswith("[Event ")]
    begins = [at for at in events if at <= wrong] or [0]
    start, end = begins[-1], next((at for at in events if at > wrong), len(lines))
    tags = [at for at in range(start, end) if lines[at].startswith("[")]
    before = [at for at in tags if at < wrong]
    right = None
    if wrong not in tags and before and lines[before[-1]].startswith("[Play"):
        right = sum(line != "" for line in lines[before[-1] + 1 : wrong])
        start, end = wrong, next((at for at in tags if at > wrong), end)
    del lines[start:end]
    if not any(lines):
        raise error
    return "\n".join(lines), len(begins), right
