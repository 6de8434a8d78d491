"""What choices are worth: as the reviews say, with honest errors, and the same for all who ask."""

from __future__ import annotations

from math import sqrt
from random import Random
from statistics import fmean, stdev

import pytest

from games.analysis.positions import BoardPosition
from games.analysis.valuing import (
    STEPS,
    Sums,
    Worth,
    has_choices,
    key_of,
    step_after,
    value_step,
    worth,
)
from games.engine.observation import FIRST_ROUND, PLAYING, Observation
from games.engine.rules import CLASSIC_24, RuleSet
from games.review.decisions import decisions
from games.review.judging import judge
from games.review.sampling import SampledWorlds, difference
from tests.chance import TYPICAL
from tests.games.analysis.boards import choices, game
from tests.games.review.games import play


def valued(seen: Observation, steps: int = len(STEPS)) -> Worth:
    sums = Sums.none(len(seen.legal))
    for step in range(steps):
        sums += value_step(seen, step)
    return worth(seen.legal, sums)


def test_values_are_those_of_a_review() -> None:
    """Of a normal error 95 of 100 lie within two standard errors; these few show more than that."""
    apart = []
    for one in decisions(play(CLASSIC_24, Random(0), 2)):
        judged = judge(one.seen, one.taken, Random(f"review/{one.hand}/{one.step}"))
        mine = {choice.action: choice for choice in valued(one.seen).choices}[one.taken]
        theirs = next(option for option in judged.options if option.action == one.taken)
        looked_at = judged.worlds / 2 if judged.mark else judged.worlds
        error = mine.error * sqrt(1 + STEPS[-1] / looked_at)
        apart.append(abs(mine.value - theirs.value) / error if error else 0.0)
    assert len(apart) > 15
    assert sum(one <= 2 for one in apart) >= 0.9 * len(apart)
    assert max(apart) < 4


def test_sums_give_means_and_errors() -> None:
    _, _, seen = next(choices(game(), lambda seen: seen.phase == PLAYING))
    rows = SampledWorlds(seen, Random(f"{key_of(seen)}/0")).rows(STEPS[0], seen.legal)
    sums = value_step(seen, 0)
    for index, option in enumerate(seen.legal):
        points = [row[option] for row in rows]
        assert sums.value(index).mean == pytest.approx(fmean(points))
        assert sums.value(index).error == pytest.approx(stdev(points) / sqrt(len(points)))
        lead = difference(rows, option, seen.legal[0])
        assert sums.lead(index, 0) == pytest.approx(lead)
    assert Sums.from_data(sums.to_data()) == sums


@pytest.mark.parametrize("rules", TYPICAL.values(), ids=TYPICAL)
def test_every_kind_of_choice_has_a_value(rules: RuleSet) -> None:
    phases = set()
    for _, _, seen in choices(game(rules)):
        if seen.phase not in phases:
            phases.add(seen.phase)
            found = valued(seen, 1)
            assert {one.action for one in found.choices} == {*seen.legal}
            assert found.worlds == STEPS[0]
            values = [one.value for one in found.choices]
            assert values == sorted(values, reverse=True)
    assert phases


def test_the_best_is_named_only_when_it_leads_by_two_errors_of_the_difference() -> None:
    legal = next(seen.legal[:2] for _, _, seen in choices(game()))
    # 100 worlds: the first leads by one point in so many of them, the error follows from that.
    for ahead, behind, sure in ((5, 0, True), (10, 2, True), (10, 4, False), (0, 0, False)):
        squares = ((ahead, 0), (0, behind))
        found = worth(legal, Sums(100, (ahead, behind), squares))
        assert found.sure is sure, (ahead, behind)


def test_the_same_question_is_one_whatever_others_hold() -> None:
    played = game()
    for hand, step, seen in choices(played):
        closed = BoardPosition.of_decision(played, hand, step)
        opened = BoardPosition.of_decision(played, hand, step, open_hands=True)
        assert key_of(closed.seen()) == key_of(opened.seen())
        other = seen._replace(legal=seen.legal[1:])
        assert key_of(other) != key_of(seen)
        if step > 20:
            break


def test_steps_follow_each_other() -> None:
    assert [step_after(worlds) for worlds in (0, *STEPS)] == [0, 1, 2, 3, 4]


def test_a_forced_card_is_no_choice() -> None:
    played = game()
    forced = next(
        deal.observe(deal.turn)
        for step in range(played.deals[0].steps)
        if len((deal := played.deals[0].at(step)).legal_actions()) == 1
    )
    assert not has_choices(forced)
    _, _, first = next(choices(played, lambda seen: seen.phase == FIRST_ROUND))
    assert has_choices(first)
