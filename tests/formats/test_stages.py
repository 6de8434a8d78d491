"""Two stages: who goes on, against whom, and to which end."""

from collections.abc import Callable, Sequence
from functools import partial
from random import Random

import pytest

from tests.formats.results import decided, present, tables_of
from tests.volume import volume
from tournaments.formats import (
    progressive,
    rotation,
    round_robin,
    stages,
    swiss,
)
from tournaments.formats.base import KnockOut
from tournaments.formats.double_elimination import DoubleElimination
from tournaments.formats.draw import Draw, PlayedRound
from tournaments.formats.registry import FORMATS
from tournaments.formats.single_elimination import SingleElimination
from tournaments.formats.standings import draw_lots, standings

SINGLE, DOUBLE = SingleElimination(), DoubleElimination()

SIZES = volume([4, 5, 7, 12, 31, 64], [*range(4, 13), 31, 64, 65, 127], range(4, 257))
ROUNDS = 3


def rotating(entrants: Sequence[int], history: Sequence[PlayedRound]) -> Draw:
    return rotation.draws(entrants, ROUNDS, Random(1))[len(history)]


def all_play_all(entrants: Sequence[int], history: Sequence[PlayedRound]) -> Draw:
    return round_robin.draws(entrants)[len(history)]


Pair = Callable[[Sequence[int], Sequence[PlayedRound]], Draw]
FIRST: dict[str, Pair] = {
    "rotation": rotating,
    "progressive": partial(progressive.pair, rng=Random(1)),
    "swiss": partial(swiss.pair, rng=Random(1)),
    "round_robin": all_play_all,
}
KNOCK_OUTS = [SINGLE, DOUBLE]


def ranked(name: str, entrants: Sequence[int], history: Sequence[PlayedRound]) -> list[int]:
    lots = draw_lots(entrants, Random(2))
    return [line.entrant for line in standings(entrants, history, FORMATS[name].usual_order, lots)]


@pytest.mark.parametrize("knock_out", KNOCK_OUTS)
@pytest.mark.parametrize("name", FIRST)
@pytest.mark.parametrize("size", SIZES)
def test_every_first_stage_leads_to_one_champion(size: int, name: str, knock_out: KnockOut) -> None:
    individuals = name in {"rotation", "progressive"}
    count = min(6, size - size % 2)
    rng = Random(size)
    history: list[PlayedRound] = []
    for _round in range(ROUNDS):
        draw = FIRST[name](range(size), history)
        assert present(draw) == list(range(size))
        history.append(decided(draw, rng))
    best = ranked(name, range(size), history)[:count]
    sides = stages.sides_of(best, individuals=individuals)
    final: list[PlayedRound] = []
    while (draw := knock_out.pair([*sides], final)).pairings:
        final.append(decided(stages.for_sides(draw, sides), rng))
    assert final
    assert {
        one for past in final for match in past.matches for one in match.pairing.entrants
    } <= set(best)
    last = final[-1].matches[0]
    assert len(last.pairing.sides[last.winner]) == (2 if individuals else 1)


def first_of_second(best: Sequence[int], *, individuals: bool) -> Draw:
    """The first round of the knock-out."""
    sides = stages.sides_of(best, individuals=individuals)
    return stages.for_sides(SINGLE.pair([*sides], []), sides)


@pytest.mark.parametrize(
    ("individuals", "tables"),
    [(False, "1 v 8, 4 v 5, 2 v 7, 3 v 6"), (True, "1+8 v 4+5, 2+7 v 3+6")],
)
def test_the_best_are_seeded_by_their_standings(individuals: bool, tables: str) -> None:
    assert tables_of(first_of_second(range(1, 9), individuals=individuals)) == tables


def test_a_bye_is_for_both_partners() -> None:
    draw = first_of_second(range(1, 7), individuals=True)
    assert tables_of(draw) == "2+5 v 3+4; 1 6 out"
