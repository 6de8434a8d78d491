"""Two stages: who goes on, against whom, and to which end."""

from collections.abc import Sequence
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
from tournaments.formats.double_elimination import DoubleElimination
from tournaments.formats.draw import Draw, PlayedRound
from tournaments.formats.registry import FORMATS
from tournaments.formats.single_elimination import SingleElimination
from tournaments.formats.stages import Format, Stages
from tournaments.formats.standings import draw_lots, standings

SINGLE, DOUBLE = SingleElimination(), DoubleElimination()

SIZES = volume([4, 5, 7, 12, 31, 64], [*range(4, 13), 31, 64, 65, 127, 255, 256], range(4, 257))
ROUNDS = 3


def rotating(entrants: Sequence[int], history: Sequence[PlayedRound]) -> Draw:
    return rotation.draws(entrants, ROUNDS, Random(1))[len(history)]


def all_play_all(entrants: Sequence[int], history: Sequence[PlayedRound]) -> Draw:
    return round_robin.draws(entrants)[len(history)]


FIRST: dict[str, Format] = {
    "rotation": rotating,
    "progressive": partial(progressive.pair, rng=Random(1)),
    "swiss": partial(swiss.pair, rng=Random(1)),
    "round_robin": all_play_all,
}
KNOCK_OUTS: list[Format] = [SINGLE.pair, DOUBLE.pair]


def ranked(name: str, entrants: Sequence[int], history: Sequence[PlayedRound]) -> list[int]:
    lots = draw_lots(entrants, Random(2))
    return [line.entrant for line in standings(entrants, history, FORMATS[name].usual_order, lots)]


@pytest.mark.parametrize("knock_out", KNOCK_OUTS)
@pytest.mark.parametrize("name", FIRST)
@pytest.mark.parametrize("size", SIZES)
def test_every_first_stage_leads_to_one_champion(size: int, name: str, knock_out: Format) -> None:
    individuals = name in {"rotation", "progressive"}
    count = min(6, size - size % 2)
    event = Stages(FIRST[name], ROUNDS, partial(ranked, name), count, knock_out, individuals)
    rng = Random(size)
    history: list[PlayedRound] = []
    while (draw := stages.pair(range(size), history, event)).pairings:
        history.append(decided(draw, rng))
        if len(history) <= ROUNDS:
            assert present(draw) == list(range(size))
    assert len(history) > event.rounds
    best = ranked(name, range(size), history[:ROUNDS])[:count]
    final = history[ROUNDS:]
    assert {
        one for past in final for match in past.matches for one in match.pairing.entrants
    } <= set(best)
    last = final[-1].matches[0]
    assert len(last.pairing.sides[last.winner]) == (2 if individuals else 1)


def by_number(entrants: Sequence[int], _history: Sequence[PlayedRound]) -> Sequence[int]:
    return sorted(entrants)


@pytest.mark.parametrize(
    ("individuals", "tables"),
    [(False, "1 v 8, 4 v 5, 2 v 7, 3 v 6"), (True, "1+8 v 4+5, 2+7 v 3+6")],
)
def test_the_best_are_seeded_by_their_standings(individuals: bool, tables: str) -> None:
    event = Stages(all_play_all, 1, by_number, 8, SINGLE.pair, individuals)
    draw = stages.pair(range(1, 13), [PlayedRound(())], event)
    assert tables_of(draw) == tables


def test_a_bye_is_for_both_partners() -> None:
    event = Stages(all_play_all, 1, by_number, 6, SINGLE.pair, individuals=True)
    draw = stages.pair(range(1, 13), [PlayedRound(())], event)
    assert tables_of(draw) == "2+5 v 3+4; 1 6 out"


@pytest.mark.parametrize(("count", "individuals"), [(1, False), (13, False), (2, True), (5, True)])
def test_qualifiers_that_make_no_knock_out_are_refused(count: int, individuals: bool) -> None:
    event = Stages(all_play_all, 0, by_number, count, SINGLE.pair, individuals)
    with pytest.raises(ValueError, match=f"{count} of 12"):
        stages.pair(range(12), [], event)
