"""Progressive: who moves where, who partners whom, who sits out."""

from itertools import pairwise
from random import Random

import pytest

from tests.formats.results import decided, present, spread_of_sit_outs
from tests.loops import looped
from tests.volume import SIZES
from tournaments.formats import progressive
from tournaments.formats.draw import Draw, DrawnMatch, PlayedMatch, PlayedRound
from tournaments.formats.meetings import as_pair, partners_of
from tournaments.formats.progressive import Movement
from tournaments.formats.registry import FORMATS
from tournaments.formats.standings import draw_lots, standings

TWELVE = Draw(
    (
        DrawnMatch(1, ((1, 2), (3, 4))),
        DrawnMatch(2, ((5, 6), (7, 8))),
        DrawnMatch(3, ((9, 10), (11, 12))),
    )
)


def north_south_wins(draw: Draw) -> PlayedRound:
    return PlayedRound(tuple(PlayedMatch(pairing, 0) for pairing in draw.pairings), draw.sit_outs)


@pytest.mark.parametrize(
    ("movement", "tables"),
    [
        (Movement.UP, ((1, 2, 5, 6), (7, 8, 9, 10), (3, 4, 11, 12))),
        (Movement.UP_AND_DOWN, ((1, 2, 5, 6), (3, 4, 9, 10), (7, 8, 11, 12))),
        (Movement.STAY, ((1, 2, 11, 12), (3, 4, 5, 6), (7, 8, 9, 10))),
    ],
)
def test_partners_move_together_and_part(
    movement: Movement, tables: tuple[tuple[int, ...], ...]
) -> None:
    draw = progressive.pair(range(1, 13), [north_south_wins(TWELVE)], Random(1), movement)
    assert tuple(tuple(sorted(one.entrants)) for one in draw.pairings) == tables
    before = {both for one in TWELVE.pairings for both in partners_of(one)}
    assert before.isdisjoint(both for one in draw.pairings for both in partners_of(one))


def test_equal_splits_are_chosen_by_lot() -> None:
    past = [north_south_wins(TWELVE)]
    heads = [progressive.pair(range(1, 13), past, Random(n)).pairings[0] for n in range(400)]
    with_1 = [dict(partners_of(one)).get(1, 0) for one in heads]
    assert {*with_1} == {5, 6}
    assert abs(with_1.count(5) - 200) < 4 * 10  # four standard errors


def test_late_players_take_empty_places_by_lot() -> None:
    past = [north_south_wins(TWELVE)]
    field = [1, 2, 3, 4, 5, 6, 7, 8, 13, 14, 15, 16]  # all of table 3 have left, four come
    seats = []
    for seed in range(400):
        draw = progressive.pair(field, past, Random(seed))
        seats += [one.table for one in draw.pairings if 13 in one.entrants]
    alike = {table: seats.count(table) for table in {*seats}}
    assert len(alike) == 2
    assert max(alike.values()) - min(alike.values()) < 4 * 20  # four standard errors


def test_split_avoids_partners_of_earlier_rounds() -> None:
    earlier = Draw((DrawnMatch(1, ((1, 5), (2, 6))), DrawnMatch(2, ((7, 9), (8, 10)))))
    history = [north_south_wins(earlier), north_south_wins(TWELVE)]
    draw = progressive.pair(range(1, 13), history, Random(1))
    partners = [{*partners_of(one)} for one in draw.pairings]
    assert partners[:2] == [{(1, 6), (2, 5)}, {(8, 9), (7, 10)}]


def test_one_table_changes_partners_every_round() -> None:
    history: list[PlayedRound] = []
    for _round in range(3):
        history.append(north_south_wins(progressive.pair([1, 2, 3, 4], history, Random(1))))
    met = {both for past in history for both in partners_of(past.matches[0].pairing)}
    assert len(met) == 6


@pytest.mark.parametrize(("lone_hands", "up"), [((2, 1), {1, 2}), ((1, 2), {3, 4})])
def test_a_tie_goes_to_the_side_with_more_lone_hands(
    lone_hands: tuple[int, int], up: set[int]
) -> None:
    tied = PlayedMatch(TWELVE.pairings[0], -1, (8, 8), lone_hands)
    others = north_south_wins(TWELVE).matches[1:]
    draw = progressive.pair(range(1, 13), [PlayedRound((tied, *others))], Random(1))
    assert up < set(draw.pairings[0].entrants)


def test_complete_tie_is_decided_by_a_cut() -> None:
    tied = PlayedMatch(TWELVE.pairings[0], -1, (8, 8))
    past = PlayedRound((tied, *north_south_wins(TWELVE).matches[1:]))
    heads = {
        frozenset(progressive.pair(range(1, 13), [past], Random(seed)).pairings[0].entrants)
        for seed in range(20)
    }
    assert heads == {frozenset({1, 2, 5, 6}), frozenset({3, 4, 5, 6})}


def test_sit_out_replaces_the_next_to_sit_out() -> None:
    past = PlayedRound(north_south_wins(TWELVE).matches, (13,))
    draw = progressive.pair(range(1, 14), [past], Random(1))
    assert sorted(draw.pairings[2].entrants) == [3, 4, 11, 13]
    assert draw.sit_outs == (12,)


def test_players_who_left_are_replaced_and_the_last_table_closes_if_needed() -> None:
    entrants = [entrant for entrant in range(1, 13) if entrant != 6]
    draw = progressive.pair(entrants, [north_south_wins(TWELVE)], Random(1))
    assert present(draw) == entrants
    assert len(draw.pairings) == 2
    assert {1, 2, 5} < set(draw.pairings[0].entrants)


@looped("movement", sorted({*Movement} - {Movement.FIXED}, key=str))
@looped("players", SIZES)
def test_everybody_plays_or_sits_out_and_partners_change(players: int, movement: Movement) -> None:
    rng = Random(players)
    history: list[PlayedRound] = []
    for _round in range(6):
        draw = progressive.pair(range(players), history, rng, movement)
        assert present(draw) == list(range(players))
        assert len(draw.sit_outs) == players % 4
        history.append(decided(draw, rng))
        assert spread_of_sit_outs(range(players), history) <= 1
    pairs = [
        {both for one in past.matches for both in partners_of(one.pairing)} for past in history
    ]
    assert all(not before & after for before, after in pairwise(pairs))
    table = standings(
        range(players), history, FORMATS["progressive"].usual_order, draw_lots(range(players), rng)
    )
    assert [line.place for line in table] == list(range(1, players + 1))


def test_arrivals_and_departures_keep_sit_outs_even() -> None:
    rng = Random(9)
    field = list(range(18))
    history: list[PlayedRound] = []
    for came, left in (([18], []), ([], [3]), ([19, 20], []), ([], [18, 0]), ([21], [])):
        field = [one for one in field if one not in left] + list(came)
        draw = progressive.pair(field, history, rng)
        assert present(draw) == field
        history.append(decided(draw, rng))
    stayed = [one for one in field if one < 18]
    assert spread_of_sit_outs(stayed, history) <= 1


def test_pair_has_the_lower_number_first() -> None:
    assert as_pair(2, 1) == as_pair(1, 2) == (1, 2)


@pytest.mark.parametrize("entrants", [[1, 2, 3], [1, 2, 3, 3]])
def test_invalid_fields_are_refused(entrants: list[int]) -> None:
    with pytest.raises(ValueError, match="progressive needs four"):
        progressive.pair(entrants, [], Random(1))
