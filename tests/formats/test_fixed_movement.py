"""The fixed movement: who goes where, who partners whom, and who sits out."""

from collections import Counter
from random import Random

import pytest

from tests.formats.results import decided, present, spread_of_sit_outs
from tests.loops import looped
from tests.volume import SIZES
from tournaments.formats import fixed_movement
from tournaments.formats.base import Stage
from tournaments.formats.draw import Draw, PlayedRound
from tournaments.formats.meetings import Meetings, meetings
from tournaments.formats.registry import FORMATS
from tournaments.models import Event

FIXED = Event(format="progressive", movement=Event.Movement.FIXED)


def met_in(draws: list[Draw]) -> Meetings:
    return meetings(match for draw in draws for match in draw.pairings)


def seats(draw: Draw) -> dict[int, tuple[str, int]]:
    """Everybody's seat and table."""
    return {
        one: (seat, match.table)
        for match in draw.pairings
        for side, letters in zip(match.sides, ("NS", "EW"), strict=True)
        for one, seat in zip(side, letters, strict=True)
    }


def stage(playing: range | list[int], history: list[PlayedRound], left: int = 8) -> Stage:
    return Stage(FIXED, "a seed", playing, playing, history, left)


def test_north_stays_south_moves_down_east_up_and_west_up_two() -> None:
    first, second = (seats(draw) for draw in fixed_movement.draws(range(20), 2, Random(1)))
    steps = {"N": 0, "S": -1, "E": 1, "W": 2}
    for one, (seat, table) in first.items():
        assert second[one] == (seat, (table - 1 + steps[seat]) % 5 + 1)


def test_seats_change_once_everybody_is_back_at_their_first_table() -> None:
    draws = fixed_movement.draws(range(20), 11, Random(1))
    start, again, third = seats(draws[0]), seats(draws[5]), seats(draws[10])
    after = {"N": "N", "S": "E", "E": "W", "W": "S"}
    for one, (seat, table) in start.items():
        assert again[one] == (after[seat], table)
        assert third[one] == (after[after[seat]], table)


@pytest.mark.parametrize("tables", [1, 2, 3, 5, 6, 9, 16])
def test_full_tables_repeat_no_partner_within_three_times_as_many_rounds(tables: int) -> None:
    draws = fixed_movement.draws(range(4 * tables), 3 * tables, Random(tables))
    assert max(met_in(draws).partners.values()) == 1
    more = fixed_movement.draws(range(4 * tables), 6 * tables, Random(tables))
    assert max(met_in(more).partners.values()) <= 2


@looped("players", [one for one in SIZES if one % 4])
def test_with_a_bench_no_partner_is_repeated_before_places_are_dealt_again(players: int) -> None:
    tables, over = divmod(players, 4)
    rounds = max(1, tables - (over == 2))
    draws = fixed_movement.draws(range(players), rounds, Random(players))
    assert max(met_in(draws).partners.values()) == 1


@looped("players", SIZES)
def test_everybody_plays_or_sits_out_and_sit_outs_are_even(players: int) -> None:
    draws = fixed_movement.draws(range(players), 14, Random(players))
    for number, draw in enumerate(draws, start=1):
        assert present(draw) == list(range(players))
        assert len(draw.sit_outs) == players % 4
        assert [match.table for match in draw.pairings] == list(range(1, players // 4 + 1))
        assert spread_of_sit_outs(range(players), draws[:number]) <= 1


def test_places_dealt_again_repeat_fewer_partners_than_a_lot() -> None:
    dealt = [met_in(fixed_movement.draws(range(22), 12, Random(seed))) for seed in range(20)]
    first = [fixed_movement.draws(range(22), 4, Random(seed)) for seed in range(60)]
    by_lot = [
        met_in([*one, *other, *third]) for one, other, third in zip(*[iter(first)] * 3, strict=True)
    ]
    assert sum(one.excess() for one in dealt) < 0.8 * sum(one.excess() for one in by_lot)


def test_each_round_is_the_next_of_those_known_at_the_start() -> None:
    rng = Random(1)
    history: list[PlayedRound] = []
    at_first: list[PlayedRound] = []
    for _round in range(8):
        at_first.append(decided(FORMATS["progressive"].draw(stage(range(22), at_first)), Random(0)))
    for known in at_first:  # with other winners
        drawn = FORMATS["progressive"].draw(stage(range(22), history))
        assert tuple(match.pairing for match in known.matches) == drawn.pairings
        history.append(decided(drawn, rng))


def test_those_who_stay_begin_again_when_somebody_leaves_or_comes() -> None:
    rng = Random(5)
    history: list[PlayedRound] = []
    field = list(range(22))
    for number in range(9):
        field = {3: [*range(1, 22)], 6: [*range(1, 22), 30, 31]}.get(number, field)
        drawn = FORMATS["progressive"].draw(stage(field, history))
        assert present(drawn) == sorted(field)
        history.append(decided(drawn, rng))
    assert spread_of_sit_outs([*range(1, 22)], history) <= 1
    tail = [Counter(match.pairing.sides[0][0] for match in past.matches) for past in history[6:]]
    assert tail[0] == tail[1] == tail[2]  # North still stays


def test_only_the_fixed_movement_is_known_ahead() -> None:
    known = {
        movement
        for movement in Event.Movement
        if Event(format="progressive", movement=movement).rounds_known
    }
    assert known == {Event.Movement.FIXED}
    assert Event(format="rotation").rounds_known
    assert not Event(format="swiss").rounds_known


@pytest.mark.parametrize("entrants", [[1, 2, 3], [1, 2, 3, 3]])
def test_invalid_fields_are_refused(entrants: list[int]) -> None:
    with pytest.raises(ValueError, match="a movement needs four"):
        fixed_movement.draws(entrants, 1, Random(1))
