"""The rules that only some clubs play by, in the engine and in the plain rules.

The plain rules were written from the description of these rules before the engine's were read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from random import Random
from typing import Any

import pytest

from games.engine.errors import MalformedError, RuleSetError
from games.engine.rules import CLASSIC_24, RULE_SETS, RuleSet
from tests.oracle import plain
from tests.oracle.comparing import compare_game
from tests.volume import volume

#: Deals of each rule, and games of rules by chance.
DEALS = volume(10, 50, 2_000)
MIXED = volume(30, 200, 5_000)

#: Each field of a rule set with its name in the plain rules, and its values in both, off first.
CLUBS: dict[str, tuple[str, dict[Any, Any]]] = {
    "no_trump": ("no_trump", {"never": [], "high": ["NT"], "high_or_low": ["NT", "LNT"]}),
    "defend_alone": ("defend_alone", {False: False, True: True}),
    "alone_euchre": ("lone_euchred", {None: None, 4: 4, 3: 3}),
    "lone_defence": ("lone_defence", {4: 4, 2: 2, 6: 6}),
    "alone_made": ("lone_three", {1: 1, 0: 0}),
    "partners_best": ("best", {False: False, True: True}),
    "dealers_partner_alone": ("canadian", {False: False, True: True}),
    "own_trump": ("own_trump", {False: False, True: True}),
    "no_lone_near_end": ("near_end", {False: False, True: True}),
    "lone_lead": (
        "lone_lead",
        {"dealers_left": "dealer", "makers_left": "maker", "maker": "self"},
    ),
    "farmers_hand": ("farmers", {False: False, True: True}),
    "fold": ("fold", {"never": "", "no_face": "poor", "no_face_or_suit": "poorer"}),
    "benny": ("benny", {False: False, True: True}),
}
#: What else must be so for a rule to be heard of.
NEEDED: dict[str, dict[str, Any]] = {"lone_defence": {"defend_alone": True}, "benny": {"pack": 25}}


def plainly(rules: RuleSet) -> plain.Rules:
    """The plain rules for a rule set with the usual points."""
    return plain.Rules(
        players=rules.players,
        lowest={24: "9", 25: "9", 28: "8", 29: "8", 32: "7", 33: "7"}[rules.pack],
        joker=rules.pack % 2 == 1,
        cut=rules.cut,
        packets=rules.packets,
        stick=rules.stick_the_dealer,
        alone=rules.alone,
        same_dealer=rules.dealer_stays,
        joker_makes=rules.joker_turned_up == "dealer_makes",
        lay_down=rules.lay_down,
        no_tricks=rules.skunk,
        target=rules.target,
        deals=rules.deals,
        pass_counts=rules.thrown_in_counts,
        **{name: values[getattr(rules, field)] for field, (name, values) in CLUBS.items()},
    )


def by_chance(rng: Random) -> dict[str, Any]:
    """Fields of a rule set by chance, whether they make sense together or not."""
    to_points = rng.random() < 0.7
    return {
        "players": rng.choice([4, 4, 4, 4, 2]),
        "pack": rng.choice([24, 24, 24, 25, 28, 29, 32, 33]),
        "cut": rng.random() < 0.2,
        "packets": rng.choice([(3, 2), (2, 3), (1, 1, 1, 1, 1)]),
        "stick_the_dealer": rng.random() < 0.5,
        "alone": rng.random() < 0.9,
        "dealer_stays": rng.random() < 0.3,
        "joker_turned_up": rng.choice(["dealer_names", "dealer_names", "dealer_makes"]),
        "lay_down": rng.random() < 0.3,
        "skunk": rng.choice([2, 2, 3, 5]),
        "target": rng.choice([2, 3, 5, 7, 10]) if to_points else None,
        "deals": None if to_points else rng.randint(1, 8),
        "thrown_in_counts": not to_points and rng.random() < 0.3,
        **{
            field: rng.choice(list(values)) if rng.random() < 0.6 else next(iter(values))
            for field, (_, values) in CLUBS.items()
        },
        **({"alone_euchre": 1} if rng.random() < 0.05 else {}),
    }


def nonsense(fields: dict[str, Any]) -> set[str]:
    """The fields that contradict others."""
    four, pack = fields["players"] == 4, fields["pack"]
    joker, found = pack in (25, 29, 33), set()
    if fields["alone"] and not four:
        found.add("alone")
    if not fields["alone"]:
        of_lone_hands = ["defend_alone", "partners_best", "dealers_partner_alone"]
        found |= {field for field in of_lone_hands if fields[field]}
        found |= {"no_lone_near_end"} if fields["no_lone_near_end"] else set()
        found |= {"lone_lead"} if fields["lone_lead"] != "dealers_left" else set()
    if fields["no_lone_near_end"] and fields["target"] in (None, 1, 2):
        found.add("no_lone_near_end")
    if fields["joker_turned_up"] == "dealer_makes" and not joker:
        found.add("joker_turned_up")
    if fields["no_trump"] != "never" and joker:
        found.add("no_trump")
    if fields["benny"] and pack not in (25, 33):
        found.add("benny")
    if fields["farmers_hand"] and not (four and pack == 24):
        found.add("farmers_hand")
    lone_euchre = fields["alone_euchre"] or 2
    if lone_euchre < 2:
        found.add("alone_euchre")
    if fields["defend_alone"] and fields["lone_defence"] < lone_euchre:
        found.add("lone_defence")
    return found


def compare_deals(rules: RuleSet, other: plain.Rules, seeds: Iterator[str], deals: int) -> None:
    """Compare games until so many deals have been played."""
    while deals > 0:
        words = list(compare_game(rules, other, next(seeds)))
        deals -= 1 + words.count("next")


@pytest.mark.parametrize("field", CLUBS)
def test_each_rule_is_the_same_in_the_plain_rules(field: str) -> None:
    name, values = CLUBS[field]
    off, *on = values
    for value in on:
        rules = replace(CLASSIC_24, **{**NEEDED.get(field, {}), field: value})
        seeds = (f"{field} {value} {number}" for number in count())
        compare_deals(rules, plainly(rules), seeds, DEALS)
        with pytest.raises((AssertionError, MalformedError)):  # so the rule has been seen
            compare_deals(rules, replace(plainly(rules), **{name: values[off]}), seeds, 10_000)


def test_rules_by_chance_are_the_same_in_the_plain_rules() -> None:
    for number in range(MIXED):
        rng = Random(number)
        fields = by_chance(rng)
        while nonsense(fields):
            fields = by_chance(rng)
        rules = replace(CLASSIC_24, **fields)
        compare_deals(rules, plainly(rules), iter([f"by chance {number}"]), 1)


@pytest.mark.parametrize("key", RULE_SETS)
def test_each_ready_made_rule_set_is_the_same_in_the_plain_rules(key: str) -> None:
    seeds = (f"{key} {number}" for number in count())
    compare_deals(RULE_SETS[key], plainly(RULE_SETS[key]), seeds, DEALS)


def test_rules_that_contradict_each_other_are_refused_by_name() -> None:
    for number in range(volume(500, 1_000, 20_000)):
        fields = by_chance(Random(number))
        if contradicting := nonsense(fields):
            with pytest.raises(RuleSetError) as refused:
                replace(CLASSIC_24, **fields)
            assert set(refused.value.problems) == contradicting
        else:
            replace(CLASSIC_24, **fields)
