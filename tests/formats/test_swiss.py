"""The Swiss system: readable rounds, refusals, and the same result on every run."""

import subprocess
import sys
from collections.abc import Sequence
from random import Random

import pytest

from tests.formats.results import forfeit, match
from tournaments.formats import swiss
from tournaments.formats.draw import Draw, PlayedRound

SEED = 3


def pair(teams: int, *history: PlayedRound, seed: int = SEED) -> Draw:
    return swiss.pair(range(1, teams + 1), history, Random(seed))


def drawn(draw: Draw) -> list[tuple[int, ...]]:
    return [pairing.entrants for pairing in draw.pairings]


def wins(*matches: tuple[int, int], bye: Sequence[int] = ()) -> PlayedRound:
    """A round in which the first of each two won."""
    return PlayedRound(
        tuple(match(winner, loser, (10, 4)) for winner, loser in matches), tuple(bye)
    )


FIRST = wins((1, 5), (2, 6), (7, 3), (8, 4))


def test_the_first_round_sets_the_top_half_against_the_bottom_half() -> None:
    assert drawn(pair(8)) == [(1, 5), (2, 6), (3, 7), (4, 8)]


def test_tables_are_numbered_from_the_highest_scores() -> None:
    draw = pair(8, FIRST)
    assert [pairing.table for pairing in draw.pairings] == [1, 2, 3, 4]
    assert drawn(draw) == [(1, 7), (2, 8), (3, 5), (4, 6)]


def test_the_bye_goes_to_the_last_team_first() -> None:
    draw = pair(7)
    assert (drawn(draw), draw.sit_outs) == ([(1, 4), (2, 5), (3, 6)], (7,))


def test_the_last_of_an_odd_group_floats_down_to_the_first_of_the_next() -> None:
    draw = pair(6, wins((1, 4), (2, 5), (3, 6)))
    assert drawn(draw) == [(1, 2), (3, 4), (5, 6)]


def test_consecutive_downfloats_are_avoided_if_possible() -> None:
    # 1, 2 and 3 have a win and a tie each; 3 had its tie with a team of a lower score.
    first = wins((1, 7), (2, 8), (3, 9), (11, 13), (12, 14))
    second = PlayedRound((match(1, 11, (5, 5)), match(2, 12, (5, 5)), match(3, 10, (5, 5))))
    assert drawn(pair(6, first)) == [(1, 2), (3, 4), (5, 6)]
    assert drawn(pair(6, first, second)) == [(1, 3), (2, 4), (5, 6)]


def test_a_bye_counts_as_a_win_and_a_float_down_and_comes_once() -> None:
    draw = pair(5, wins((1, 3), (2, 4), bye=[5]))
    assert (drawn(draw), draw.sit_outs) == ([(1, 5), (2, 3)], (4,))


def test_winner_by_forfeit_gets_no_bye() -> None:
    absent = PlayedRound((match(1, 3, (10, 2)), forfeit(4, 2)), (5,))
    tied = PlayedRound((match(1, 4, (5, 5)), match(2, 5, (5, 5))), (3,))
    assert pair(5, absent, tied).sit_outs == (2,)


def test_second_bye_is_given_only_when_no_other_round_is_possible() -> None:
    absent = PlayedRound((forfeit(1, 2), match(4, 5, (10, 2))), (3,))
    second = PlayedRound((match(2, 1, (10, 2)), match(4, 3, (10, 2))), (5,))
    third = PlayedRound((match(1, 4, (10, 2)), match(2, 3, (10, 2))))
    # Of 1, 2 and 3 only 2 had no free win; but 1 and 3 are the only two who have not met.
    assert pair(3, absent, second, third).sit_outs == (2,)
    fourth = PlayedRound((match(1, 3, (10, 2)),), (2,))
    with pytest.raises(swiss.NoLegalRoundError):
        pair(3, absent, second, third, fourth)
    assert pair(3, PlayedRound((), (1, 2, 3))).sit_outs == (3,)


def test_a_forfeited_match_may_be_drawn_again() -> None:
    assert drawn(pair(2, PlayedRound((forfeit(1, 2),)))) == [(1, 2)]


def test_withdrawn_teams_are_not_drawn_and_late_teams_are() -> None:
    draw = swiss.pair([1, 2, 3, 9], [wins((1, 3), (2, 4))], Random(SEED))
    assert drawn(draw) == [(1, 2), (3, 9)]


@pytest.mark.parametrize(
    ("teams", "history"),
    [
        (2, [wins((1, 2))]),
        (4, [wins((1, 2), (3, 4)), wins((1, 3), (2, 4)), wins((1, 4), (2, 3))]),
        (3, [wins((1, 2), bye=[3]), wins((1, 3), bye=[2]), wins((2, 3), bye=[1])]),
        (1, []),
        (0, []),
    ],
)
def test_no_legal_round_raises_its_error(teams: int, history: list[PlayedRound]) -> None:
    said = f"{teams} teams cannot be paired after {len(history)} rounds without a rematch"
    with pytest.raises(swiss.NoLegalRoundError, match=said):
        pair(teams, *history)


def test_an_entrant_named_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="an entrant is named twice"):
        swiss.pair([1, 2, 1], [], Random(SEED))


def test_weights_that_would_not_fit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(swiss, "WEIGHT_BITS", 8)
    with pytest.raises(OverflowError, match="needs wider weights"):
        pair(64)


def test_between_equal_rounds_the_lot_decides() -> None:
    # With 2 and 5 kept apart, three ways to cross the halves of a group of six are equally near.
    history = [PlayedRound((match(2, 5, (5, 5)), match(1, 7, (5, 5)), match(3, 8, (5, 5))))]
    teams = [1, 2, 3, 4, 5, 6]
    equals = {
        tuple(drawn(swiss.pair(teams, [*history, fours()], Random(seed)))) for seed in range(12)
    }
    assert len(equals) > 1


def fours() -> PlayedRound:
    """4 and 6 tie against others, so that all six have one point."""
    return PlayedRound((match(4, 7, (5, 5)), match(6, 8, (5, 5))))


PROGRAM = """
from random import Random
from tests.formats.results import played
from tournaments.formats import swiss
rng, history = Random(5), []
for _ in range(7):
    draw = swiss.pair(range(45), history, rng)
    history.append(played(draw, rng))
    print(draw)
"""


def test_every_run_gives_the_same_rounds() -> None:
    said = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(said) == 1
