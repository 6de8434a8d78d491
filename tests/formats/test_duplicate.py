"""Duplicate: the movements, the comparison of results, and the standings."""

from collections import Counter
from fractions import Fraction
from itertools import combinations
from random import Random

import pytest

from tests.loops import looped
from tournaments.formats.base import Stage
from tournaments.formats.comparison import (
    FORFEIT_LOST,
    FORFEIT_WON,
    Scoring,
    TableRound,
    deal_scores,
    match_scores,
    round_scores,
    standard_error,
)
from tournaments.formats.draw import Draw, DrawnMatch, PlayedMatch, PlayedRound
from tournaments.formats.duplicate_pairs import movement, starters
from tournaments.formats.registry import FORMATS
from tournaments.formats.standings import draw_lots, standings
from tournaments.formats.tie_breaks import TieBreak
from tournaments.models import Event

SIZES = [size for pairs in starters() for size in (pairs - 1, pairs) if size > 5]
#: Fields in which everybody is compared with everybody equally often.
BALANCED = (8, 12, 16, 20, 24)


def fractions(*numbers: int) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, numbers))


def opponents(rounds: tuple[Draw, ...]) -> Counter[frozenset[int]]:
    """How often two entrants met."""
    met: Counter[frozenset[int]] = Counter()
    for drawn in rounds:
        met.update(frozenset(match.entrants) for match in drawn.pairings)
    return met


def compared(rounds: tuple[Draw, ...]) -> Counter[frozenset[int]]:
    """How often two entrants sat in the same direction in one round."""
    together: Counter[frozenset[int]] = Counter()
    for drawn in rounds:
        for side in (0, 1):
            sitting = [match.sides[side][0] for match in drawn.pairings]
            together.update(map(frozenset, combinations(sitting, 2)))
    return together


@looped("entrants", SIZES)
def test_everybody_meets_everybody_once_and_sits_out_at_most_once(entrants: int) -> None:
    rounds = movement(range(entrants))
    assert len(rounds) == entrants + entrants % 2 - 1
    everybody = [frozenset(both) for both in combinations(range(entrants), 2)]
    assert opponents(rounds) == dict.fromkeys(everybody, 1)
    sat = Counter(one for drawn in rounds for one in drawn.sit_outs)
    assert sat == (dict.fromkeys(range(entrants), 1) if entrants % 2 else {})
    for drawn in rounds:
        tables = [match.table for match in drawn.pairings]
        assert tables == list(range(1, entrants // 2 + 1))
        present = [one for match in drawn.pairings for one in match.entrants]
        assert sorted([*present, *drawn.sit_outs]) == list(range(entrants))


@looped("entrants", starters())
def test_any_two_are_compared_about_equally_often(entrants: int) -> None:
    times = compared(movement(range(entrants)))
    often = [times[frozenset(both)] for both in combinations(range(entrants), 2)]
    if entrants in BALANCED:
        assert set(often) == {entrants // 2 - 1}
    assert min(often) >= 1
    assert max(often) - min(often) <= max(2, entrants // 6)


@pytest.mark.parametrize("entrants", [3, 41, 42])
def test_a_field_without_a_movement_is_refused(entrants: int) -> None:
    with pytest.raises(ValueError, match="no movement"):
        movement(range(entrants))


@pytest.mark.parametrize("key", ["duplicate", "duplicate_pairs"])
def test_the_movement_stays_the_same_while_it_is_played(key: str) -> None:
    event, entrants = Event(format=key, rounds=5), list(range(100, 112))
    history: list[PlayedRound] = []
    met: Counter[frozenset[int]] = Counter()
    for left in range(5, 0, -1):
        drawn = FORMATS[key].draw(Stage(event, "seed", entrants, entrants, history, left))
        met.update(opponents((drawn,)))
        history.append(PlayedRound(tuple(PlayedMatch(p, 0) for p in drawn.pairings)))
    assert set(met.values()) == {1}


@pytest.mark.parametrize(("players", "rounds"), [(12, 6), (8, 6), (7, 2)])
def test_players_alone_go_on_while_two_tables_can_be_filled(players: int, rounds: int) -> None:
    past = [PlayedRound(()), PlayedRound(())]
    stage = Stage(Event(format="duplicate"), "", range(12), range(players), past, 4)
    assert FORMATS["duplicate"].playable_rounds(stage) == rounds


def test_a_result_is_compared_with_the_mean_of_the_others() -> None:
    scores = deal_scores([4, 1, -2], Scoring.POINTS)
    assert scores == [Fraction(9, 2), 0, Fraction(-9, 2)]
    assert deal_scores([4, None, 1], Scoring.POINTS) == [3, None, -3]
    assert deal_scores([4], Scoring.POINTS) == [0]
    assert deal_scores([None, None], Scoring.POINTS) == [None, None]


def test_matchpoints_count_the_tables_beaten() -> None:
    scores = deal_scores([4, 1, 1, -2], Scoring.MATCHPOINTS)
    assert scores == [Fraction(1, 2), 0, 0, Fraction(-1, 2)]
    assert deal_scores([1, 1], Scoring.MATCHPOINTS) == [0, 0]


@pytest.mark.parametrize("scoring", Scoring)
def test_the_scores_of_each_deal_add_up_to_0_whatever_was_played(scoring: Scoring) -> None:
    rng = Random(24)
    for _round in range(200):
        tables = [
            [rng.choice((None, 0, 1, 2, 4, -1, -2, -4)) for _deal in range(rng.randint(0, 6))]
            for _table in range(rng.randint(1, 9))
        ]
        by_table = round_scores(tables, scoring)
        for deal in range(max(map(len, tables))):
            assert sum(scores[deal] or 0 for scores in by_table) == 0
        for nets, scores in zip(tables, by_table, strict=True):
            assert [net is None for net in nets] == [one is None for one in scores[: len(nets)]]


def test_those_who_did_not_come_score_less_than_the_average() -> None:
    tables = [
        TableRound((2, 1)),
        TableRound((1, 1)),
        TableRound(forfeited_by=frozenset({1})),
        TableRound(forfeited_by=frozenset({0, 1})),
    ]
    played, other, forfeit, nobody = match_scores(tables, 2, Scoring.POINTS)
    assert played == (fractions(1, 0), fractions(-1, 0))
    assert other == (fractions(-1, 0), fractions(1, 0))
    assert forfeit == ((FORFEIT_WON,) * 2, (FORFEIT_LOST,) * 2)
    assert nobody == ((FORFEIT_LOST,) * 2,) * 2


def test_a_total_set_by_a_director_is_compared_with_totals_only() -> None:
    tables = [TableRound((2, 2)), TableRound((1, -1)), TableRound((4, 4), total=-2)]
    first, second, ruled = match_scores(tables, 2, Scoring.POINTS)
    assert first[0] == fractions(1, 3)
    assert second[0] == fractions(-1, -3)
    assert ruled == ((Fraction(-4),), (Fraction(4),))
    *_, ruled = match_scores(tables, 2, Scoring.MATCHPOINTS)
    assert ruled[0] == (Fraction(-1),)


def test_a_table_that_did_not_finish_is_compared_on_what_it_played() -> None:
    full, cut = match_scores([TableRound((2, 1)), TableRound((1,))], 2, Scoring.POINTS)
    assert full == (fractions(1, 0), fractions(-1, 0))
    assert cut == (fractions(-1), fractions(1))


def test_the_standings_add_up_the_scores() -> None:
    draws = movement(range(6))[:2]
    history = []
    for drawn in draws:
        tables = [TableRound((match.table, 1)) for match in drawn.pairings]
        scores = match_scores(tables, 2, Scoring.POINTS)
        history.append(
            PlayedRound(
                tuple(
                    PlayedMatch(match, 0, (match.table + 1, 0), scores=both)
                    for match, both in zip(drawn.pairings, scores, strict=True)
                )
            )
        )
    order = FORMATS["duplicate_pairs"].usual_order
    table = standings(range(6), history, order, draw_lots(range(6), Random(1)))
    totals = dict.fromkeys(range(6), Fraction())
    for drawn, past in zip(draws, history, strict=True):
        for match, played in zip(drawn.pairings, past.matches, strict=True):
            for side in (0, 1):
                totals[match.sides[side][0]] += sum(played.scores[side], Fraction())
    assert {line.entrant: line.values[TieBreak.DUPLICATE] for line in table} == totals
    assert sum(totals.values()) == 0
    values = [line.values[TieBreak.DUPLICATE] or 0 for line in table]
    assert values == sorted(values, reverse=True)
    assert values[0] > values[-1]


def test_a_forfeit_counts_in_the_score_of_both_sides() -> None:
    scores = ((FORFEIT_WON,) * 4, (FORFEIT_LOST,) * 4)
    match = PlayedMatch(DrawnMatch(1, ((1,), (2,))), 0, forfeit=True, scores=scores)
    lines = standings(
        [1, 2], [PlayedRound((match,))], (TieBreak.DUPLICATE,), {1: 1, 2: 2}, Fraction(0)
    )
    assert [line.values[TieBreak.DUPLICATE] for line in lines] == [0, -2]


def test_the_standard_error_is_that_of_a_sum() -> None:
    assert standard_error([Fraction(1)]) is None
    assert standard_error([Fraction(1)] * 9) == 0
    assert standard_error([Fraction(1), Fraction(-1)] * 12) == pytest.approx(5.004, abs=0.001)
