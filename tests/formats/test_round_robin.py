"""Round robins: the published Berger tables, and every size played out."""

from collections import Counter
from itertools import combinations
from random import Random

import pytest

from tests.formats.results import decided, present, spread_of_sit_outs, tables_of
from tests.loops import looped
from tests.volume import SIZES
from tournaments.formats import round_robin
from tournaments.formats.registry import FORMATS
from tournaments.formats.standings import draw_lots, standings

#: FIDE Handbook, C.05, Annex 1: the table for seven or eight.
EIGHT = [
    "1 v 8, 2 v 7, 3 v 6, 4 v 5",
    "8 v 5, 6 v 4, 7 v 3, 1 v 2",
    "2 v 8, 3 v 1, 4 v 7, 5 v 6",
    "8 v 6, 7 v 5, 1 v 4, 2 v 3",
    "3 v 8, 4 v 2, 5 v 1, 6 v 7",
    "8 v 7, 1 v 6, 2 v 5, 3 v 4",
    "4 v 8, 5 v 3, 6 v 2, 7 v 1",
]
#: An event takes no more; what is played beyond that shows that the table goes on alike.
MAX_TEAMS = round_robin.RoundRobin.most_entries
BEYOND = (127, 128, 255, 256)


def test_berger_table_of_eight() -> None:
    assert [tables_of(draw) for draw in round_robin.draws(range(1, 9))] == EIGHT


def test_in_a_field_of_seven_the_opponent_of_the_eighth_sits_out() -> None:
    first, second, *_others = round_robin.draws(range(1, 8))
    assert tables_of(first) == "2 v 7, 3 v 6, 4 v 5; 1 out"
    assert tables_of(second) == "6 v 4, 7 v 3, 1 v 2; 5 out"
    assert [pairing.table for pairing in first.pairings] == [1, 2, 3]


def test_second_cycle_exchanges_the_sides() -> None:
    draws = round_robin.draws(range(5), cycles=2)
    for before, after in zip(draws[:5], draws[5:], strict=True):
        assert [one.sides[::-1] for one in before.pairings] == [one.sides for one in after.pairings]


@looped("teams", [size for size in SIZES if size <= MAX_TEAMS or size in BEYOND])
def test_everybody_meets_everybody_once(teams: int) -> None:
    draws = round_robin.draws(range(teams))
    assert len(draws) == teams - 1 + teams % 2
    met: set[tuple[int, int]] = set()
    home: Counter[int] = Counter()
    sat: Counter[int] = Counter()
    for draw in draws:
        busy = {one for pairing in draw.pairings for one in pairing.entrants}
        assert len(busy) == 2 * len(draw.pairings) == teams - teams % 2
        assert busy.isdisjoint(draw.sit_outs)
        met.update((min(pair.entrants), max(pair.entrants)) for pair in draw.pairings)
        home.update(pairing.sides[0][0] for pairing in draw.pairings)
        sat.update(draw.sit_outs)
    assert len(met) == teams * (teams - 1) // 2 == sum(len(draw.pairings) for draw in draws)
    assert set(sat.values()) <= {1}
    assert max(home.values()) - min(home.values()) <= 1


@pytest.mark.parametrize("teams", [4, 5, 12, 33])
def test_round_robin_has_one_winner(teams: int) -> None:
    rng = Random(teams)
    draws = round_robin.draws(range(teams))
    assert all(present(draw) == list(range(teams)) for draw in draws)
    assert all(spread_of_sit_outs(range(teams), draws[:at]) <= 1 for at in range(teams))
    history = [decided(draw, rng) for draw in draws]
    order = FORMATS["round_robin"].usual_order
    table = standings(range(teams), history, order, draw_lots(range(teams), rng))
    assert [line.place for line in table] == list(range(1, teams + 1))
    assert set(combinations(sorted(line.entrant for line in table), 2)) == set(
        combinations(range(teams), 2)
    )


@pytest.mark.parametrize(("entrants", "cycles"), [([1], 1), ([1, 1], 1), ([1, 2], 0)])
def test_invalid_fields_are_refused(entrants: list[int], cycles: int) -> None:
    with pytest.raises(ValueError, match="a round robin"):
        round_robin.draws(entrants, cycles)
