"""What a deal is worth."""

from dataclasses import replace

import pytest

from games.engine.rules import CLASSIC_24, HEADS_UP, RULE_SETS, RuleSet
from games.engine.scoring import DealResult, score_deal, settled, thrown_in
from tests.loops import looped

SKUNKED = replace(HEADS_UP, skunk=4)


@looped("rules", list(RULE_SETS.values()))
@looped(
    "taken, outcome, side, points",
    [
        (0, "euchre", 1, 2),
        (1, "euchre", 1, 2),
        (2, "euchre", 1, 2),
        (3, "made", 0, 1),
        (4, "made", 0, 1),
        (5, "march", 0, 2),
    ],
)
def test_the_table_of_points(
    rules: RuleSet, taken: int, outcome: str, side: int, points: int
) -> None:
    tricks = (taken, 5 - taken)
    result = score_deal(rules, 0, tricks, alone=False)
    assert result == DealResult(outcome, side, points, 0, tricks)
    swapped = score_deal(rules, 1, tricks[::-1], alone=False)
    assert swapped == DealResult(outcome, 1 - side, points, 1, tricks[::-1])


@pytest.mark.parametrize(
    ("taken", "outcome", "points"),
    [(0, "euchre", 2), (2, "euchre", 2), (3, "alone", 1), (4, "alone", 1), (5, "lone march", 4)],
)
def test_the_table_of_points_of_a_lone_hand(taken: int, outcome: str, points: int) -> None:
    result = score_deal(CLASSIC_24, 1, (5 - taken, taken), alone=True)
    assert (result.outcome, result.points) == (outcome, points)


def test_the_skunk_option_counts_only_without_any_trick() -> None:
    assert score_deal(SKUNKED, 0, (0, 5), alone=False)[:3] == ("skunk", 1, 4)
    assert score_deal(SKUNKED, 0, (1, 4), alone=False)[:3] == ("euchre", 1, 2)


def test_a_skunk_records_its_makers() -> None:
    assert score_deal(SKUNKED, 1, (5, 0), alone=False) == DealResult("skunk", 0, 4, 1, (5, 0))


def test_points_are_the_rule_sets_own() -> None:
    rules = replace(CLASSIC_24, made=2, march=3, alone_made=4, alone_march=6, euchre=5, skunk=7)
    worth = [
        score_deal(rules, 0, (taken, 5 - taken), alone=alone).points
        for alone in (False, True)
        for taken in range(6)
    ]
    assert worth == [7, 5, 5, 2, 2, 3, 7, 5, 5, 4, 4, 6]


def test_a_thrown_in_deal_is_worth_nothing() -> None:
    assert thrown_in() == DealResult("thrown in", -1, 0, -1, (0, 0))


@pytest.mark.parametrize(
    ("tricks", "alone", "done"),
    [
        ((0, 0), False, False),
        ((3, 0), False, False),
        ((3, 1), False, True),
        ((4, 0), False, False),
        ((2, 2), False, False),
        ((1, 3), False, True),
        ((0, 3), False, True),
        ((3, 1), True, True),
        ((4, 0), True, False),
        ((5, 0), True, True),
    ],
)
def test_when_the_points_can_no_longer_change(
    tricks: tuple[int, int], alone: bool, done: bool
) -> None:
    assert settled(CLASSIC_24, 0, tricks, alone=alone) is done
    assert settled(CLASSIC_24, 1, tricks[::-1], alone=alone) is done


def test_a_skunk_keeps_the_points_open() -> None:
    assert not settled(SKUNKED, 0, (0, 3), alone=False)
    assert settled(SKUNKED, 0, (1, 3), alone=False)


def test_sides_and_seats() -> None:
    assert [CLASSIC_24.side_of(seat) for seat in range(4)] == [0, 1, 0, 1]
    assert [CLASSIC_24.partner_of(seat) for seat in range(4)] == [2, 3, 0, 1]
    assert [HEADS_UP.side_of(seat) for seat in range(2)] == [0, 1]
    assert [HEADS_UP.partner_of(seat) for seat in range(2)] == [None, None]


def test_a_lone_hand_is_settled_by_its_own_points() -> None:
    flat = replace(CLASSIC_24, made=1, march=2, alone_made=3, alone_march=3)
    assert settled(flat, 0, (4, 0), alone=True)
    assert not settled(flat, 0, (4, 0), alone=False)
    assert settled(flat, 1, (0, 4), alone=True)
    assert not settled(flat, 1, (0, 4), alone=False)
