"""A match of several games as one file."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from games.engine.rules import CLASSIC_24
from games.files.egn import egn_of
from tests.games.recorded import random_played

PEOPLE: Final = ("Maeve", "Ben", "Iris", "Jonah", "Otto")


def match_data(games: int = 2) -> dict[str, Any]:
    """A match of five people in which everybody sits elsewhere in each game."""
    listed = []
    for index in range(games):
        game = _game(index)
        del game["metadata"]["players"]
        seats = [f"p{(index + seat) % len(PEOPLE)}" for seat in range(4)]
        listed.append({"gameIndex": index, "players": seats, "gameData": game})
    return {
        "fileType": "Euchre Match Notation",
        "version": "1.0",
        "metadata": {
            "matchId": "thursday",
            "title": "Thursday",
            "players": [
                {"id": f"p{at}", "name": name, "playerIds": [{"id": f"{at}", "source": "club"}]}
                for at, name in enumerate(PEOPLE)
            ],
            "matchFormat": {"type": "FIXED_GAMES", "target": games},
            "result": {"status": "COMPLETED", "winner": ["p0"], "scores": {"p0": 2}},
        },
        "games": listed,
    }


def _game(index: int) -> dict[str, Any]:
    """A game of the match, with a title of its own."""
    rules = replace(CLASSIC_24, target=3)
    data = egn_of(random_played(rules, f"match {index}"))
    data["metadata"]["title"] = f"Game {index + 1} of the evening"
    return data
