"""Reader and writer of Euchre Game Notation (EGN), the JSON that other programs use.

Seats are 0 to 3 clockwise. The engine derives what a file leaves implicit (whose call or card it
is, who won a trick, the score) and checks every action.

Euchre Match Notation (EMN) is only read. Its files hold the games of one match, each in EGN, list
the players once, and name each game's players by id. The format and the result of the match are
ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from games.files.egn_deals import OLDER, read_deal, write_deal
from games.files.egn_rules import LEADS, read_rules, write_rules
from games.files.hands import ENDS, POINTS, UNSAID, deals_to_write
from games.files.played import PlayedDeal, PlayedGame, standings
from games.files.strict_json import FileNode, UnsupportedGameError, shown
from games.files.writing import write_json

FILE_TYPE: Final = "Euchre Game Notation"
VERSION: Final = "1.4.0"
MAX_DEALS: Final = 100
#: Versions that can be read: 1.0 to 1.6, with or without a patch number.
_VERSIONS: Final = re.compile(r"1\.[0-6](\.[0-9]{1,4})?")
_UNSAID: Final = {
    **UNSAID,
    "swap": "three cards were swapped for those under the turn-up",
    "make LNT": "low no trump was made",
}
_SAID: Final = ("gameId", "title", "description", "date", "finalScore", "teamNames", "ruleset")


def read_egn(file: FileNode, players: tuple[str, ...] = (), title: str = "") -> PlayedGame:
    """Read a game, whose players and title may be given by the match around it.

    Raise FileError if it is not EGN, is impossible, or needs rules that Bower does not have.
    """
    fields = file.fields(("fileType", "version", "metadata", "deals"))
    fields["fileType"].choice((FILE_TYPE,))
    if not _VERSIONS.fullmatch(fields["version"].text(20)):
        fields["version"].refuse("EGN 1.0 to 1.6 is read, such as 1.4.0.")
    needed = ("initialScore",) if players else ("players", "initialScore")
    about = fields["metadata"].fields(needed, ("players", *_SAID), OLDER)
    if "players" in about:
        named = tuple(read_player(player) for player in about["players"].items(2, 4))
        players = players or named
    rules = read_rules(about.get("ruleset"), len(players))
    keys = {"gameId": "game_id", "title": "title", "description": "description", "date": "date"}
    words: dict[str, Any] = {
        field: about[key].words(2000) for key, field in keys.items() if key in about
    }
    if "teamNames" in about:
        words["team_names"] = tuple(name.text(100) for name in about["teamNames"].items(2, 2))
    game = PlayedGame(rules, players, (), **{"title": title, **words})
    return _read_deals(game, about, fields["deals"].items(1, MAX_DEALS))


def read_player(node: FileNode) -> str:
    """Read a player's name: a text, or an object with a name and optional ids."""
    if isinstance(node.value, str):
        return node.text(100)
    if not isinstance(node.value, dict):
        node.refuse(f"This must be a text or an object, not {shown(node.value)}.")
    return node.fields(("name",), ("id", "playerIds"))["name"].text(100)


def _read_score(node: FileNode) -> tuple[int, int]:
    us, them = (points.number(0, 1000) for points in node.items(2, 2))
    return us, them


def _read_deals(
    game: PlayedGame, about: Mapping[str, FileNode], nodes: list[FileNode]
) -> PlayedGame:
    score, notes = _read_score(about["initialScore"]), []
    read = []
    first = 0
    for number, node in enumerate(nodes):
        one = read_deal(node, game.rules)
        # Deals are numbered one after the other; the first is 0 or 1.
        low, high = (first + number,) * 2 if number else (0, 1)
        first = node["dealNumber"].number(low, high) - number
        read.append(one)
        if one.note:
            notes.append(ENDS.format(number=len(read), note=one.note))
            break
        if one.deal.result is None and node is not nodes[-1]:
            node.refuse("Only the last deal may be unfinished.")
    standing_pairs = list(standings(game.rules, [one.deal for one in read], score))
    for node, (before, _) in zip(nodes, standing_pairs, strict=False):
        if before.over:
            us, them = before.score
            node.refuse(f"The game was over before this deal, at {us}–{them}.")
    if "finalScore" in about and not notes:
        us, them = standing_pairs[-1][1].score
        if _read_score(about["finalScore"]) != (us, them):
            about["finalScore"].refuse(f"The deals of this file make it {us}–{them}.")
    deals = tuple(
        PlayedDeal(one.deal, before, after, one.unknown)
        for one, (before, after) in zip(read, standing_pairs, strict=True)
    )
    return game._replace(deals=deals, notes=tuple(notes))


def egn_of(game: PlayedGame) -> dict[str, Any]:
    """Return a game as EGN data; raise UnsupportedGameError if EGN cannot represent it."""
    points = {**POINTS, "alone_made": 1}
    dealt = deals_to_write(game, "EGN", points, unsaid=_UNSAID, leads=LEADS.values())
    if len(dealt) > MAX_DEALS:
        raise UnsupportedGameError(
            f"EGN holds at most {MAX_DEALS} hands, this game has {len(dealt)}."
        )
    words = {
        "gameId": game.game_id,
        "title": game.title,
        "description": game.description,
        "date": game.date,
        "teamNames": list(game.team_names),
        "finalScore": list(game.standing.score) if game.standing.over else [],
    }
    return {
        "fileType": FILE_TYPE,
        "version": VERSION,
        "metadata": {
            "players": list(game.players),
            "initialScore": list(game.deals[0].before.score),
            **{key: text for key, text in words.items() if text},
            "ruleset": write_rules(game.rules),
        },
        "deals": [write_deal(one.deal, number, one.unknown) for number, one in enumerate(dealt)],
    }


def write_egn(game: PlayedGame) -> bytes:
    return write_json(egn_of(game))


# A match -----------------------------------------------------------------------------------

MATCH_FILE_TYPE: Final = "Euchre Match Notation"
MAX_GAMES: Final = 50
MAX_PLAYERS: Final = 400
_SEATS: Final = 4
_MATCH_VERSIONS: Final = re.compile(r"1\.0(\.[0-9]{1,4})?")
_SAID_OF_MATCH: Final = ("matchId", "title", "description", "date", "matchFormat", "result")


def read_match(file: FileNode) -> list[Callable[[], PlayedGame]]:
    """Return a function that reads each game of a match; raise FileError if it is not EMN."""
    fields = file.fields(("fileType", "version", "metadata", "games"))
    fields["fileType"].choice((MATCH_FILE_TYPE,))
    if not _MATCH_VERSIONS.fullmatch(fields["version"].text(20)):
        fields["version"].refuse("EMN 1.0 is read.")
    about = fields["metadata"].fields(("players",), _SAID_OF_MATCH)
    title = about["title"].words(2000) if "title" in about else ""
    names: dict[str, str] = {}
    for node in about["players"].items(1, MAX_PLAYERS):
        key = node.fields(("id", "name"), ("playerIds",))["id"]
        if key.text(64) in names:
            key.refuse("Another player has this id.")
        names[key.text(64)] = read_player(node)
    games: list[Callable[[], PlayedGame]] = []
    for number, node in enumerate(fields["games"].items(1, MAX_GAMES)):
        game = node.fields(("gameIndex", "players", "gameData"))
        game["gameIndex"].number(number, number)
        taken: list[str] = []
        for seat in game["players"].items(_SEATS, _SEATS):
            if seat.text(64) not in names:
                seat.refuse("No player of metadata.players has this id.")
            if seat.value in taken:
                seat.refuse("This player has another seat in this game.")
            taken.append(seat.value)
        players = tuple(names[key] for key in taken)
        games.append(partial(read_egn, game["gameData"], players, title))
    return games
