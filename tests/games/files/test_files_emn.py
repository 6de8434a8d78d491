"""Euchre Match Notation: each game of a match is read, by the people who sat in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from games.files.importing import read_games
from games.files.played import PlayedGame
from games.files.strict_json import FileError
from tests.chance import NAMES, match_data


def read(data: Any) -> list[PlayedGame]:
    """Read JSON data as a file."""
    return read_games(json.dumps(data).encode())


def test_every_game_has_its_own_people_and_words() -> None:
    games = read(match_data(games=3))
    assert [game.players for game in games] == [
        tuple(NAMES[(index + seat) % 5] for seat in range(4)) for index in range(3)
    ]
    assert [game.title for game in games] == [f"Game {n} of the evening" for n in (1, 2, 3)]
    assert all(game.standing.over for game in games)


def test_a_game_without_a_title_has_that_of_the_match() -> None:
    data = match_data()
    del data["games"][0]["gameData"]["metadata"]["title"]
    data["games"][1]["gameData"]["metadata"]["players"] = list("ABCD")
    first, second = read(data)
    assert first.title == "Thursday"
    assert second.players == ("Ben", "Iris", "Jonah", "Otto")  # the match says who they are


REFUSED: list[tuple[Callable[[dict[str, Any]], object], str]] = [
    (lambda d: d.update(version="2.0"), "version: EMN 1.0 is read."),
    (lambda d: d.update(games=[]), "games: This list must have 1 to 50 entries, not 0."),
    (lambda d: d.update(extra=1), 'the file: Unknown key "extra"'),
    (lambda d: d["metadata"].pop("players"), "metadata: The key players is missing."),
    (
        lambda d: d["metadata"]["players"][1].update(id="p0"),
        "metadata.players[1].id: Another player has this id.",
    ),
    (
        lambda d: d["games"][1].update(gameIndex=0),
        "games[1].gameIndex: This must be 1, not 0.",
    ),
    (
        lambda d: d["games"][1].update(players=["p0", "p1", "p2", "p9"]),
        "games[1].players[3]: No player of metadata.players has this id.",
    ),
    (
        lambda d: d["games"][1].update(players=["p0", "p1", "p2", "p0"]),
        "games[1].players[3]: This player has another seat in this game.",
    ),
    (
        lambda d: d["games"][1].update(players=["p0", "p1", "p2"]),
        "games[1].players: This list must have 4 entries, not 3.",
    ),
    (
        lambda d: d["games"][1]["gameData"].update(fileType="PGN"),
        "games[1].gameData.fileType: This must be one of Euchre Game Notation",
    ),
    (
        lambda d: d["games"][1]["gameData"]["deals"][0]["initialState"].update(dealer=7),
        "games[1].gameData.deals[0].initialState.dealer: This must be",
    ),
]


@pytest.mark.parametrize(("change", "words"), REFUSED, ids=[words for _, words in REFUSED])
def test_what_is_wrong_is_named_with_its_place(
    change: Callable[[dict[str, Any]], object], words: str
) -> None:
    data = match_data()
    change(data)
    with pytest.raises(FileError) as refused:
        read(data)
    assert str(refused.value).startswith(words)


def test_other_files_are_refused_with_the_formats_read() -> None:
    with pytest.raises(FileError, match=r"neither a Bower game record .* Euchre Match Notation"):
        read({"games": []})
