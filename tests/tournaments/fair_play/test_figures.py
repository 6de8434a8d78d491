"""The figures behind the signs: honest play is not one, and partners who see both hands are."""

from functools import cache
from random import Random

import pytest

from games.engine.rules import CLASSIC_24, JOKER_33, STICK_THE_DEALER, RuleSet
from tests.tournaments.fair_play import playing
from tests.tournaments.fair_play.playing import Style, calls_at_play, spread
from tests.volume import volume
from tournaments.fair_play import figures
from tournaments.fair_play.figures import CallFigures, ClockFigures, LeftFigures, Spread

RULES = (CLASSIC_24, JOKER_33, STICK_THE_DEALER)
HONEST = (playing.honest, playing.bold, playing.timid)
#: Hands after which partners who know both hands are found.
HANDS = 400
PAIRS = volume(4, 4, 20)
#: Deals from which calls are taken.
DEALS = volume(2000, 2000, 20000)


@cache
def pool(rules: RuleSet, style: Style, deals: int) -> list[tuple[float, float]]:
    return calls_at_play(rules, style, deals, seed=7)


@pytest.mark.parametrize("style", HONEST)
@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.key)
def test_an_honest_partner_holds_no_more_than_an_opponent(rules: RuleSet, style: Style) -> None:
    held = spread([one for one, _gained in pool(rules, style, DEALS)])
    assert held.number > 100
    assert abs(held.mean) < 3.5 * held.error


def test_honest_pairs_exceed_the_bounds_as_rarely_as_documented() -> None:
    calls = [one for rules in RULES for one, _ in pool(rules, playing.honest, DEALS)]
    middle = sum(calls) / len(calls)
    rng, pairs = Random(3), volume(4000, 4000, 40000)
    sizes = []
    for _pair in range(pairs):
        held = spread([one - middle for one in rng.choices(calls, k=figures.MIN_CALLS)])
        sizes.append(held.mean / held.error)
    assert 0.015 < sum(one > 2 for one in sizes) / pairs < 0.04  # of Student's t it is 0.026
    assert sum(one > figures.HELD_BOUND for one in sizes) / pairs <= 0.001  # said: 1 in 8,000


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.key)
def test_partners_who_know_both_hands_stand_out(rules: RuleSet) -> None:
    others = spread([gained for _held, gained in pool(rules, playing.honest, 2000)])
    found = 0
    for seed in range(PAIRS):
        calls = calls_at_play(rules, playing.signalling, HANDS, seed)
        held, gained = spread([one for one, _ in calls]), spread([one for _, one in calls])
        found += CallFigures(held, gained, others).stands_out
    assert found >= PAIRS - PAIRS // 10


@pytest.mark.parametrize("style", HONEST)
def test_honest_pairs_of_any_style_do_not_stand_out(style: Style) -> None:
    others = spread([gained for _held, gained in pool(CLASSIC_24, playing.honest, 2000)])
    for seed in range(PAIRS):
        calls = calls_at_play(CLASSIC_24, style, HANDS, seed)
        held, gained = spread([one for one, _ in calls]), spread([one for _, one in calls])
        assert not CallFigures(held, gained, others).stands_out


def test_pair_that_only_wins_more_does_not_stand_out() -> None:
    """Skill brings points, and no better cards."""
    held, gained = Spread(200, 2.0, 100.0), Spread(200, 300.0, 600.0)
    assert not CallFigures(held, gained, Spread(1000, 0.0, 1200.0)).stands_out


def test_pair_that_gains_nothing_does_not_stand_out() -> None:
    held, gained = Spread(200, 140.0, 200.0), Spread(200, 0.0, 240.0)
    assert not CallFigures(held, gained, Spread(1000, 0.0, 1200.0)).stands_out


def test_few_calls_do_not_stand_out() -> None:
    few = figures.MIN_CALLS - 1
    held, gained = Spread(few, 2.0 * few, 4.01 * few), Spread(few, 2.0 * few, 4.01 * few)
    assert not CallFigures(held, gained, Spread()).stands_out
    assert CallFigures(
        held.plus(Spread(1, 2.0, 4.0)), gained.plus(Spread(1, 2.0, 4.0)), Spread()
    ).stands_out


def test_a_spread_has_mean_and_error() -> None:
    values = spread([1.0, 2.0, 3.0, 4.0])
    assert values.mean == 2.5
    assert values.error == pytest.approx((5 / 3 / 4) ** 0.5)
    assert values.less(spread([4.0])) == spread([1.0, 2.0, 3.0])
    assert Spread(1, 1.0, 1.0).error == float("inf")


def test_binomial_tail_probability() -> None:
    assert figures.at_least(0, 5, 0.2) == pytest.approx(1)
    assert figures.at_least(5, 5, 0.5) == pytest.approx(1 / 32)
    assert figures.at_least(2, 3, 0.5) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("seen", "sign"),
    [
        (LeftFigures(20, 8, 200, 6), True),
        (LeftFigures(20, 2, 200, 0), False),  # too few
        (LeftFigures(9, 9, 200, 0), False),  # too few lost
        (LeftFigures(20, 8, 20, 0), False),  # nobody to compare with
        (LeftFigures(20, 8, 200, 80), False),  # as the others do
    ],
)
def test_seats_left_more_than_others_do(seen: LeftFigures, sign: bool) -> None:
    assert seen.stands_out is sign


@pytest.mark.parametrize(
    ("seen", "sign"),
    [
        (ClockFigures(200, 80, 600, 30), True),
        (ClockFigures(99, 80, 600, 30), False),  # too few turns
        (ClockFigures(200, 80, 600, 240), False),  # always slow
        (ClockFigures(5000, 400, 5000, 200), False),  # surely more, and hardly more
    ],
)
def test_late_turns_at_one_score(seen: ClockFigures, sign: bool) -> None:
    assert seen.stands_out is sign


def test_evenly_slow_players_do_not_stand_out() -> None:
    rng = Random(4)
    for _person in range(volume(300, 300, 3000)):
        slow = rng.uniform(0.02, 0.5)
        late = [sum(rng.random() < slow for _turn in range(300)) for _part in range(2)]
        assert not ClockFigures(300, late[0], 300, late[1]).stands_out
