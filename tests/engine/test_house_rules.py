"""House rule sets: every field has bounds, and what is wrong is refused by its name."""

import json
from dataclasses import fields, replace
from typing import Any

import pytest

from games.engine.errors import RuleSetError
from games.engine.rules import (
    CLASSIC_24,
    DEALER_MAKES,
    HEADS_UP,
    JOKER_33,
    RULE_SETS,
    STICK_THE_DEALER,
    RuleSet,
    rules_from_data,
    rules_to_data,
)
from tests.engine.build import problems_of
from tests.loops import looped

#: Longer than Python is willing to print.
HUGE = 10**5000


def refused(data: Any) -> dict[str, str]:
    """The problems of a rule set given as data."""
    with pytest.raises(RuleSetError) as why:
        rules_from_data(data)
    return why.value.problems


def data(**changes: Any) -> dict[str, Any]:
    return {**rules_to_data(CLASSIC_24), **changes}


def test_the_published_rule_sets() -> None:
    assert list(RULE_SETS) == [
        *("classic-24", "stick-the-dealer", "joker-33", "heads-up"),
        *("eight-hands", "british", "canadian", "no-trump"),
    ]
    assert [rules.target for rules in RULE_SETS.values()] == [5, 10, 7, 10, None, 11, 10, 10]
    assert [rules.pack for rules in RULE_SETS.values()] == [24, 24, 33, 24, 24, 25, 24, 24]
    assert (JOKER_33.cut, JOKER_33.joker, JOKER_33.packets) == (True, True, (3, 2))
    assert (STICK_THE_DEALER.stick_the_dealer, STICK_THE_DEALER.packets) == (True, (2, 3))
    assert (HEADS_UP.players, HEADS_UP.alone, HEADS_UP.packets) == (2, False, (1,) * 5)


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=lambda rules: rules.key)
def test_a_rule_set_reads_back_from_json(rules: RuleSet) -> None:
    assert rules_from_data(json.loads(json.dumps(rules_to_data(rules)))) == rules


def test_fields_left_out_take_their_defaults() -> None:
    assert rules_from_data({"key": "club", "name": "Club"}) == RuleSet(key="club", name="Club")


@pytest.mark.parametrize(
    "changes",
    [
        {"pack": 25},
        {"pack": 28},
        {"pack": 29},
        {"pack": 32},
        {"pack": 33, "joker_turned_up": DEALER_MAKES},
        {"target": 15},
        {"target": None, "deals": 8},
        {"stick_the_dealer": True, "dealer_stays": True, "lay_down": True, "cut": True},
        {"packets": (5,)},
        {"packets": (1, 4)},
        {"skunk": 10, "euchre": 10, "name": "Zum Löwen, 4 Gäste"},
        {"players": 2, "alone": False},
        {"packets_by_dealer": True},
        {"packets_by_dealer": True, "reversed_by": 15},
        {"dealer_stays": True, "stuck_after": 3},
        {"calls": "pick_up"},
        {"no_trump": "high"},
        {"no_trump": "high_or_low", "stick_the_dealer": True, "own_trump": True},
        {"defend_alone": True, "alone_euchre": 4, "lone_defence": 4, "lone_lead": "maker"},
        {"partners_best": True, "alone_made": 0, "lone_lead": "makers_left"},
        {"dealers_partner_alone": True, "no_lone_near_end": True, "target": 3},
        {"farmers_hand": True, "fold": "no_face_or_suit"},
        {"pack": 25, "benny": True, "fold": "no_face"},
        {"pack": 33, "benny": True, "joker_turned_up": DEALER_MAKES},
    ],
)
def test_sensible_house_rules_are_accepted(changes: dict[str, Any]) -> None:
    rules = replace(CLASSIC_24, **changes)
    assert rules_from_data(rules_to_data(rules)) == rules


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("players", 3, "must be 2 or 4"),
        pytest.param("players", HUGE, "must be 2 or 4", id="huge players"),
        ("pack", 23, "must be one of 24, 25, 28, 29, 32, 33 cards"),
        pytest.param("pack", -HUGE, "must be one of", id="huge pack"),
        ("packets", (3, 3), "that make 5 cards"),
        ("packets", (), "that make 5 cards"),
        ("packets", (6, -1), "packets of at least 1"),
        ("packets", (5, 0), "packets of at least 1"),
        ("joker_turned_up", "nobody", "must be dealer_names or dealer_makes"),
        ("calls", "shout", "must be order_up or pick_up"),
        ("no_trump", "low", "must be never, high or high_or_low"),
        ("lone_lead", "nobody", "must be dealers_left, makers_left or maker"),
        ("fold", "yes", "must be never, no_face or no_face_or_suit"),
        ("alone_euchre", 0, "1 to 10 points, or left empty"),
        ("alone_euchre", 11, "1 to 10 points, or left empty"),
        ("lone_defence", 0, "1 to 10 points"),
        ("alone_made", -2, "or 0 if a lone hand must take all five"),
        ("reversed_by", 1, "not the dealer’s choice"),
        ("stuck_after", 1, "only where"),
        ("stuck_after", 4, "0 to 3"),
        ("made", 0, "1 to 10 points"),
        ("march", 11, "1 to 10 points"),
        ("alone_made", -1, "1 to 10 points"),
        pytest.param("alone_march", HUGE, "1 to 10 points", id="huge alone_march"),
        ("euchre", 0, "1 to 10 points"),
        ("skunk", 11, "1 to 10 points"),
        ("target", 0, "1 to 50 points"),
        ("target", 51, "1 to 50 points"),
        ("key", "", "1 to 40 letters"),
        ("key", "a b", "1 to 40 letters"),
        ("key", "a\n", "1 to 40 letters"),
        ("key", "k" * 41, "1 to 40 letters"),
        ("name", "", "1 to 40 characters"),
        ("name", "   ", "no space at either end"),
        ("name", "n" * 41, "1 to 40 characters"),
        ("name", "x" + " " * 9999, "1 to 40 characters"),
        ("name", "two\nlines", "no line breaks"),
        ("name", "two\u2028lines", "no line breaks"),
        ("name", "half \ud800 a letter", "invisible characters"),
        ("name", "a\x00b", "invisible characters"),
    ],
)
def test_each_field_has_its_bounds(field: str, value: Any, why: str) -> None:
    problems = problems_of(**{field: value})
    assert list(problems) == [field]
    assert why in problems[field]
    assert len(problems[field]) < 200


@pytest.mark.parametrize(
    ("field", "changes", "why"),
    [
        ("alone", {"players": 2}, "nobody can play alone"),
        ("joker_turned_up", {"joker_turned_up": DEALER_MAKES}, "pack of 24 has no joker"),
        ("target", {"deals": 8}, "either a target or a number of deals"),
        ("target", {"target": None}, "either a target or a number of deals"),
        ("deals", {"target": None, "deals": 0}, "1 to 100 deals"),
        ("deals", {"target": None, "deals": 101}, "1 to 100 deals"),
        ("march", {"made": 3}, "at least as much as 3 tricks"),
        ("alone_march", {"alone_made": 5}, "at least as much as 3 tricks alone"),
        ("skunk", {"euchre": 3}, "at least as much as a euchre"),
        ("no_trump", {"no_trump": "high", "pack": 25}, "with a joker in the pack"),
        ("no_trump", {"no_trump": "high", "pack": 25, "benny": True}, "with a joker in the pack"),
        ("benny", {"benny": True}, "only in a pack of 25 or 33 cards"),
        ("benny", {"benny": True, "pack": 29}, "only in a pack of 25 or 33 cards"),
        ("farmers_hand", {"farmers_hand": True, "pack": 25}, "3 cards are left under the turn-up"),
        ("farmers_hand", {"farmers_hand": True, "pack": 28}, "3 cards are left under the turn-up"),
        (
            "farmers_hand",
            {"farmers_hand": True, "players": 2, "alone": False},
            "3 cards are left under the turn-up",
        ),
        ("defend_alone", {"defend_alone": True, "alone": False}, "may play alone"),
        ("partners_best", {"partners_best": True, "alone": False}, "may play alone"),
        ("lone_lead", {"lone_lead": "maker", "alone": False}, "may play alone"),
        (
            "dealers_partner_alone",
            {"dealers_partner_alone": True, "players": 2, "alone": False},
            "may play alone",
        ),
        ("no_lone_near_end", {"no_lone_near_end": True, "alone": False}, "may play alone"),
        (
            "no_lone_near_end",
            {"no_lone_near_end": True, "target": None, "deals": 8},
            "won by points",
        ),
        ("no_lone_near_end", {"no_lone_near_end": True, "target": 2}, "could ever play alone"),
        ("alone_euchre", {"alone_euchre": 1}, "as much as any other euchre"),
        ("lone_defence", {"defend_alone": True, "alone_euchre": 5}, "euchre by both defenders"),
        ("lone_defence", {"defend_alone": True, "euchre": 5, "skunk": 5}, "by both defenders"),
    ],
)
def test_fields_may_not_contradict_each_other(
    field: str, changes: dict[str, Any], why: str
) -> None:
    problems = problems_of(**changes)
    assert list(problems) == [field]
    assert why in problems[field]


def test_everything_wrong_is_named_at_once() -> None:
    problems = problems_of(players=2, target=99, made=0, packets=(1,))
    assert set(problems) == {"alone", "target", "made", "packets"}


@looped("field", [field.name for field in fields(RuleSet)])
@looped(
    "value",
    [[], [[[3], 2]], {}, {"a": 1}, 2.0, float("nan"), float("inf"), -0.0],
)
def test_no_field_takes_another_kind_of_value(field: str, value: Any) -> None:
    assert list(refused(data(**{field: value}))) == [field]


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("players", True, "must be a whole number"),
        ("made", True, "must be a whole number"),
        ("target", True, "must be a whole number or left empty"),
        ("deals", "8", "must be a whole number or left empty"),
        ("packets", [3, True], "must be whole numbers such as 3, 2"),
        ("packets", "32", "must be whole numbers such as 3, 2"),
        ("packets", None, "must be whole numbers such as 3, 2"),
        ("cut", 1, "must be yes or no"),
        ("alone", None, "must be yes or no"),
        ("name", 5, "must be a text"),
        ("key", None, "must be a text"),
        ("pack", None, "must be a whole number"),
    ],
)
def test_a_yes_is_no_number_and_a_number_no_text(field: str, value: Any, why: str) -> None:
    assert why in refused(data(**{field: value}))[field]


def test_unknown_and_missing_fields_are_named() -> None:
    assert refused({"colour": "red", "key": "x"}) == {
        "colour": "is not a field of a rule set.",
        "name": "is required.",
    }
    assert list(refused({**data(), "x" * 9999: 1})) == ["x" * 40]


@pytest.mark.parametrize("name", [1, None, (), pytest.param(HUGE, id="huge"), True])
def test_a_name_of_a_field_is_a_text(name: Any) -> None:
    assert refused({**data(), name: 1}) == {type(name).__name__: "is not a field of a rule set."}


@pytest.mark.parametrize("value", [None, [], ["key", "name"], "key name", 7, True, float("nan")])
def test_data_that_are_no_fields_at_all(value: Any) -> None:
    assert refused(value) == {"rules": "must be fields with their values."}


def test_the_message_names_every_field() -> None:
    with pytest.raises(RuleSetError, match=r"^made: must be 1 to 10 points\.; target: a game"):
        replace(CLASSIC_24, made=0, target=0)


def test_what_records_did_not_have_is_left_out_where_it_says_nothing() -> None:
    """Records made before these fields existed must stay the same to the byte."""
    old = rules_to_data(CLASSIC_24)
    assert list(old)[-2:] == ["target", "deals"]
    assert rules_to_data(rules_from_data(old)) == old
    assert list(rules_to_data(STICK_THE_DEALER))[-2:] == ["packets_by_dealer", "calls"]


def test_packets_that_read_alike_both_ways_leave_no_choice() -> None:
    with pytest.raises(RuleSetError, match="the same in either order"):
        replace(CLASSIC_24, packets=(1, 3, 1), packets_by_dealer=True)
    with pytest.raises(RuleSetError, match="0 to 15"):
        replace(CLASSIC_24, packets_by_dealer=True, reversed_by=16)
