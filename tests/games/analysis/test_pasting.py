"""Pasted records: told apart by themselves, wrong hands read as far as they are right."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from games.analysis.pasting import BOWER, EGN, NONE_OF_THREE, PTN, read, where
from games.engine.rules import CLASSIC_24
from games.files.egn import write_egn
from games.files.played import PlayedGame
from games.files.ptn import write_ptn
from games.files.record import write_record
from games.files.strict_json import FileError
from tests.chance import random_played, random_record

RULES = replace(CLASSIC_24, target=6)


def _with_tricks() -> PlayedGame:
    """A game of three hands that were all played."""
    return next(
        game
        for game in (random_played(RULES, f"pasted {number}") for number in range(99))
        if len(game.deals) == 3 and all(len(one.deal.tricks) == 5 for one in game.deals)
    )


def test_the_three_formats_are_told_apart() -> None:
    game = _with_tricks()
    record = random_record(CLASSIC_24, "pasted", events=60)
    assert read(write_record(record)).kind == BOWER
    egn = read(write_egn(game))
    assert (egn.kind, len(egn.games[0].deals), egn.wrong) == (EGN, 3, {})
    ptn = read(write_ptn(game))
    assert ptn.kind == PTN
    assert [number for number, _, _ in ptn.hands()] == [1, 2, 3]


@pytest.mark.parametrize("text", ["", "hello", "{}", "[1]", '{"fileType": 3}', "1. e4 e5"])
def test_anything_else_is_none_of_the_three(text: str) -> None:
    with pytest.raises(FileError) as why:
        read(text.encode())
    if "fileType" not in text:
        assert why.value.reason == NONE_OF_THREE


def test_a_wrong_hand_of_egn_is_read_to_its_last_right_trick() -> None:
    data = json.loads(write_egn(_with_tricks()))
    tricks = data["deals"][1]["phases"][1]["tricks"]
    tricks[2][1] = tricks[0][0]
    found = read(json.dumps(data).encode())
    assert [len(one.deal.tricks) for one in found.games[0].deals] == [5, 2]
    assert found.wrong[2].right == 2
    assert found.wrong[2].reason.startswith("Trick 3: ")


def test_a_wrong_hand_of_ptn_is_read_to_its_last_right_trick_and_the_others_whole() -> None:
    lines = write_ptn(_with_tricks()).decode().splitlines()
    plays = [at for at, line in enumerate(lines) if line.startswith("[Play ")]
    lines[plays[1] + 2] = lines[plays[1] + 1]
    found = read("\n".join(lines).encode())
    assert [len(game.deals[at - 1].deal.tricks) for _, game, at in found.hands()] == [5, 1, 5]
    assert found.wrong[2].right == 1
    assert found.wrong[2].reason.startswith("Trick 2: ")


def test_a_hand_with_a_wrong_call_is_left_out() -> None:
    data = json.loads(write_egn(_with_tricks()))
    data["deals"][2]["phases"][0]["calls"] = ["Fold"]
    found = read(json.dumps(data).encode())
    assert len(found.games[0].deals) == 2
    assert found.wrong[3].right is None
    data["deals"] = data["deals"][2:]
    with pytest.raises(FileError):
        read(json.dumps(data).encode())


def test_the_hands_after_one_that_is_not_read_keep_their_numbers() -> None:
    lines = write_ptn(_with_tricks()).decode().splitlines()
    at = next(at for at, line in enumerate(lines) if line.startswith("[Dealer "))
    lines[at] = '[Dealer "Q"]'
    found = read("\n".join(lines).encode())
    assert [number for number, _, _ in found.hands()] == [2, 3]
    assert found.wrong[1].right is None


def test_a_record_of_bower_is_right_or_it_is_not() -> None:
    data = write_record(random_record(CLASSIC_24, "pasted", events=60))
    with pytest.raises(FileError):
        read(data.replace(b"Maeve", b"Mabel"))


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("deals[0].phases[1].tricks[2].plays", "Hand 1, trick 3"),
        ("games[1].gameData.deals[4].dealer", "Game 2, hand 5"),
        ("metadata.rules", ""),
        ("the file", ""),
        ("line 12", "Line 12"),
    ],
)
def test_it_is_said_where_a_record_is_wrong(place: str, words: str) -> None:
    assert where(FileError(place, "…")) == words
