"""The rating model: openskill's own values, our parameters, and what any rating must do."""

from math import exp, sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openskill.models import BradleyTerryFull

from tournaments import rating_formula as formula
from tournaments.rating_formula import BETA, KAPPA, SETTLED, START, START_SIGMA, Skill

skills = st.builds(
    Skill, st.floats(min_value=500, max_value=2500), st.floats(min_value=20, max_value=120)
)
sides = st.tuples(st.tuples(skills, skills), st.tuples(skills, skills))


def plain(sides: tuple[list[Skill], list[Skill]], winner: int) -> tuple[list[Skill], list[Skill]]:
    """Weng and Lin's algorithm 1 for two sides, written out."""
    mu = [sum(one.mu for one in side) for side in sides]
    variance = [sum(one.sigma**2 for one in side) for side in sides]
    c = sqrt(variance[0] + variance[1] + 2 * BETA**2)
    new: list[list[Skill]] = []
    for at in (0, 1):
        chance = 1 / (1 + exp((mu[1 - at] - mu[at]) / c))
        score = 0.5 if winner == -1 else float(winner == at)
        omega = variance[at] / c * (score - chance)
        delta = variance[at] / c**2 * chance * (1 - chance)
        new.append(
            [
                Skill(
                    one.mu + one.sigma**2 / variance[at] * omega,
                    one.sigma * sqrt(max(1 - one.sigma**2 / variance[at] * delta, KAPPA)),
                )
                for one in sides[at]
            ]
        )
    return new[0], new[1]


def test_our_parameters_give_what_the_formula_gives() -> None:
    rng = Random(3)
    for _game in range(10_000):
        size = rng.choice((1, 2))
        first, second = (
            [Skill(rng.gauss(1500, 200), rng.uniform(30, 120)) for _player in range(size)]
            for _side in range(2)
        )
        winner = rng.choice((0, 1, -1))
        ours = formula.updated((first, second), winner)
        theirs = plain((first, second), winner)
        for mine, other in zip(ours[0] + ours[1], theirs[0] + theirs[1], strict=True):
            assert mine.mu == pytest.approx(other.mu, abs=1e-9)
            assert mine.sigma == pytest.approx(other.sigma, abs=1e-9)


def test_the_library_gives_its_published_values_with_its_defaults() -> None:
    """Two sides of two new players, as in openskill's manual, "Usage"."""
    model = BradleyTerryFull()
    teams = [[model.rating() for _player in range(2)] for _side in range(2)]
    winners, losers = model.rate(teams)
    assert [(one.mu, one.sigma) for one in winners] == [
        pytest.approx((26.964294621803063, 8.177962604389991), abs=1e-12)
    ] * 2
    assert [(one.mu, one.sigma) for one in losers] == [
        pytest.approx((23.035705378196937, 8.177962604389991), abs=1e-12)
    ] * 2


@given(sides)
def test_the_winners_rise_and_the_losers_fall(both: tuple[tuple[Skill, ...], ...]) -> None:
    first, second = formula.updated((both[0], both[1]), 0)
    assert all(new.mu > old.mu for new, old in zip(first, both[0], strict=True))
    assert all(new.mu < old.mu for new, old in zip(second, both[1], strict=True))


@given(sides)
def test_order_of_sides_does_not_matter(
    both: tuple[tuple[Skill, ...], ...],
) -> None:
    one = formula.updated((both[0], both[1]), 0)
    other = formula.updated((both[1], both[0]), 1)
    assert one == (other[1], other[0])
    assert formula.expected((both[0], both[1])) == pytest.approx(
        1 - formula.expected((both[1], both[0]))
    )


def test_tie_of_equals_reduces_deviation_only() -> None:
    first, second = formula.updated(([START], [START]), -1)
    assert first[0].mu == second[0].mu == START.mu
    assert first[0].sigma < START.sigma


def test_the_less_sure_of_two_partners_moves_further() -> None:
    first, _second = formula.updated(([Skill(1500, 120), Skill(1500, 40)], [START, START]), 0)
    assert first[0].mu - 1500 > 5 * (first[1].mu - 1500)


class TestRest:
    def test_the_variance_grows_by_the_day_up_to_the_start(self) -> None:
        assert formula.after_rest(Skill(1600, 50), 10).sigma == pytest.approx(sqrt(2500 + 17))
        assert formula.after_rest(Skill(1600, 50), 10_000) == Skill(1600, START_SIGMA)

    def test_clock_set_back_does_not_reduce_deviation(self) -> None:
        assert formula.after_rest(Skill(1600, 50), -3) == Skill(1600, 50)


def test_forty_games_a_year_settle_a_rating() -> None:
    """Four evenings of ten games, one in each quarter, with and against others who do the same."""
    mine = START
    for year in (1, 2):
        for evening in range(4):
            if year > 1 or evening:
                mine = formula.after_rest(mine, 365 / 4)
            for game in range(10):
                ((mine, _partner), _others) = formula.updated(([mine] * 2, [mine] * 2), game % 2)
        assert formula.after_rest(mine, 365 / 4).sigma < SETTLED
    assert formula.settled_for(mine) > 365


def test_rating_states_whether_it_is_settled() -> None:
    assert str(START) == "1500 ± 90?"
    assert str(Skill(1623.4, 61.2)) == "1623 ± 61"
