"""Random whole games of the published rule sets in the engine and in the plain rules."""

from __future__ import annotations

from dataclasses import replace

import pytest

from games.engine.cards import card_text
from games.engine.rules import CLASSIC_24, DEALER_MAKES, HEADS_UP, JOKER_33, RULE_SETS
from tests.oracle import plain
from tests.oracle.comparing import compare_game
from tests.volume import volume

#: Games of each published rule set, and of each variant.
GAMES = volume(50, 100, 40_000)
VARIED = volume(25, 25, 4_000)
CLASSIC, JOKER, TWO = (plain.PUBLISHED[key] for key in ("classic-24", "joker-33", "heads-up"))

#: The published rule sets, and what the sources or the rules offer as an option.
COMPARED = {
    **{key: (RULE_SETS[key], rules) for key, rules in plain.PUBLISHED.items()},
    "the dealer may not pass, of two": (
        replace(HEADS_UP, stick_the_dealer=True),
        replace(TWO, stick=True),
    ),
    "four points without a trick, the deal stays": (
        replace(HEADS_UP, skunk=4, dealer_stays=True),
        replace(TWO, no_tricks=4, same_dealer=True),
    ),
    "a joker turned up makes": (
        replace(JOKER_33, pack=25, joker_turned_up=DEALER_MAKES),
        replace(JOKER, lowest="9", joker_makes=True),
    ),
    "eight deals, thirty-two cards": (
        replace(CLASSIC_24, pack=32, target=None, deals=8),
        replace(CLASSIC, lowest="7", target=None, deals=8),
    ),
    "deals of a duplicate round": (
        replace(CLASSIC_24, target=None, deals=8, thrown_in_counts=True),
        replace(CLASSIC, target=None, deals=8, pass_counts=True),
    ),
    "laid down when certain": (
        replace(CLASSIC_24, pack=28, lay_down=True),
        replace(CLASSIC, lowest="8", lay_down=True),
    ),
    "nobody alone": (replace(CLASSIC_24, alone=False), replace(CLASSIC, alone=False)),
}


@pytest.mark.parametrize("key", COMPARED)
def test_a_game_is_the_same_in_the_plain_rules(key: str) -> None:
    rules, plainly = COMPARED[key]
    assert sorted(map(card_text, rules.pack_in_order())) == sorted(plain.pack_of(plainly))
    heard: set[str] = set()
    for number in range(GAMES if key in RULE_SETS else VARIED):
        heard.update(compare_game(rules, plainly, f"{key} {number}"))
    for word, possible in {
        "cut 4": plainly.cut,
        "name H": plainly.joker,
        "order alone": plainly.alone,
        "make S": True,
        "pass": True,
        "play Jo": plainly.joker,
    }.items():
        assert (word in heard) is possible
