"""Thousands of files that are nearly right: each gives a game, or a refusal that names a place."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any, Final

import pytest

from games.engine.rules import CLASSIC_24, HEADS_UP, JOKER_33, NO_TRUMP_HIGH
from games.files.egn import egn_of
from games.files.importing import read_games
from games.files.played import PlayedGame
from games.files.ptn import write_ptn
from games.files.record import write_record
from games.files.strict_json import FileError, UnsupportedGameError
from tests.chance import CLUB_24, match_data, random_played, random_record
from tests.volume import scaled

#: Files of each of ten parts.
FILES: Final = scaled(200)
#: The pack of most rule sets, as PTN writes it.
CARDS: Final = [f"{suit}{rank}" for suit in "SHDC" for rank in "9TJQKA"]
#: What a value is replaced by.
OTHERS: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, 1, -1, 2, 10**30, 1.5, float("1e999"), [], [[]], {}, {"name": "Ben"}),
    *("", " ", "x", "Xx", "9c", "Jd", "Pass", "Order", "North", "play 9D", "next"),
    *("\ud800", "\x00", "é" * 300),
)


def bases() -> Iterator[Any]:
    """Short games of several kinds in all formats, and a match."""
    yield match_data()
    clubs = replace(CLUB_24, alone_made=1, no_trump=NO_TRUMP_HIGH, no_lone_near_end=False)
    for rules in (CLASSIC_24, HEADS_UP, JOKER_33, clubs):
        for number in range(3):
            short = replace(rules, target=2)
            yield json.loads(write_record(random_record(short, f"{number}")))
            try:
                yield egn_of(random_played(short, f"{number}"))
            except UnsupportedGameError:
                continue


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container in a value with each of its keys."""
    keys = value if isinstance(value, dict) else range(len(value))
    for key in keys:
        yield value, key
        if isinstance(value[key], (dict, list)):
            yield from places(value[key])


def mutate(data: Any, chance: Random) -> Any:
    """A copy with a few things changed, taken out, doubled or moved."""
    data = copy.deepcopy(data)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        everywhere = list(places(data))
        if not everywhere:
            break
        holder, key = chance.choice(everywhere)
        other_holder, other_key = chance.choice(everywhere)
        match chance.randrange(5):
            case 0:
                holder[key] = chance.choice(OTHERS)
            case 1:
                del holder[key]
            case 2:
                holder[key] = copy.deepcopy(other_holder[other_key])
            case 3 if isinstance(holder, list):
                holder.insert(key, copy.deepcopy(holder[key]))
            case _ if isinstance(holder, list):
                chance.shuffle(holder)
            case _:
                holder[chance.choice(("extra", "discard", "isAlone", "", "\ud800"))] = 1
    return data


def test_any_card_given_away_in_a_lone_hand_is_a_game_or_is_refused() -> None:
    """Where the discard is not told it follows from the cards that are played and given."""
    rules = replace(CLASSIC_24, target=4, partners_best=True)
    refused: list[FileError] = []
    for number in range(40):
        game = random_played(rules, f"best {number}")
        for one in game.deals:
            text = re.sub(r"\[CardsRemoved .*\n", "", write_ptn(game, one.number).decode())
            gifts = re.findall(r"(?<=CardsPassed \").:.:(?:..)", text)
            for gift, card in product(gifts, CARDS):
                data = text.replace(gift, f"{gift[:4]}{card}", 1).encode()
                try:
                    assert read_games(data)
                except FileError as why:
                    refused.append(why)
    assert refused
    assert all(why.place for why in refused)


@pytest.mark.parametrize("part", range(10))
def test_a_file_that_is_nearly_right_is_a_game_or_is_refused(part: int) -> None:
    originals = list(bases())
    refused: list[FileError] = []
    for number in range(FILES):
        chance = Random(f"{part} {number}")
        data = json.dumps(mutate(chance.choice(originals), chance)).encode()
        if chance.random() < 0.2:
            at = chance.randrange(len(data))
            data = data[:at] + chance.randbytes(chance.randrange(3)) + data[at + 1 :]
        try:
            assert all(isinstance(one, PlayedGame) for one in read_games(data))
        except FileError as why:
            refused.append(why)
    assert len(refused) > FILES // 2
    for refusal in refused:
        assert refusal.place
        assert refusal.reason.endswith((".", "?"))
        assert str(refusal).encode()
