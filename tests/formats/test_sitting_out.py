"""Who sits out in turn, whoever was away in between."""

from collections.abc import Callable, Sequence
from random import Random

import pytest

from tests.formats.results import decided
from tests.volume import volume
from tournaments.formats import progressive, rotation
from tournaments.formats.draw import Draw, DrawnMatch, PlayedRound
from tournaments.formats.sitting_out import sat_out

#: Ten and eleven take longest by far.
PLAYERS = volume([6, 7, 9], [6, 7, 9], [6, 7, 9, 10, 11])
Format = Callable[[Sequence[int], Sequence[PlayedRound], Random], Draw]


def next_of_rotation(entrants: Sequence[int], history: Sequence[PlayedRound], rng: Random) -> Draw:
    return rotation.draws(entrants, 1, rng, history)[0]


def sitting(*sit_outs: int, there: Sequence[int]) -> PlayedRound:
    """A round of four of those who were there, in which some sat out."""
    four = [one for one in there if one not in sit_outs][:4]
    pairing = DrawnMatch(1, ((four[0], four[1]), (four[2], four[3])))
    return decided(Draw((pairing,), sit_outs), Random(1))


def test_returning_player_counts_as_the_fewest_sit_outs_of_those_present() -> None:
    six = [1, 2, 3, 4, 5, 6]
    rounds = [
        sitting(1, 2, there=six),
        sitting(3, 4, there=six),
        sitting(5, there=[1, 2, 3, 4, 5]),  # 6 is away
        sitting(1, there=[1, 2, 3, 4, 5]),
        sitting(2, there=[1, 2, 3, 4, 5]),
    ]
    counted = sat_out([*six, 7], rounds)
    assert {one: sat.times for one, sat in counted.items()} == {
        **dict.fromkeys((1, 2), 2),
        **dict.fromkeys((3, 4, 5), 1),
        6: 1,
        7: 1,
    }
    assert [counted[one].last for one in (1, 4, 6)] == [4, 2, 0]


@pytest.mark.parametrize("draw", [progressive.pair, next_of_rotation])
@pytest.mark.parametrize("players", PLAYERS)
def test_no_consecutive_sit_outs_as_players_come_and_go(draw: Format, players: int) -> None:
    for seed in range(4):
        rng = Random(f"{players} {seed}")
        everybody = list(range(players))
        away: dict[int, int] = {}
        history: list[PlayedRound] = []
        for number in range(16):
            if rng.random() < 0.4 and players - len(away) > 5:
                away[rng.choice([one for one in everybody if one not in away])] = number + 6
            away = {one: until for one, until in away.items() if until > number}
            here = [one for one in everybody if one not in away]
            drawn = draw(here, history, rng)
            before = history[-1].sit_outs if history else ()
            assert not {*drawn.sit_outs} & {*before}, f"seed {seed}, round {number + 1}"
            history.append(decided(drawn, rng))


@pytest.mark.parametrize("draw", [progressive.pair, next_of_rotation])
def test_returning_or_late_player_sits_out_once_in_turn(draw: Format) -> None:
    rng = Random(8)
    here = list(range(7))
    history: list[PlayedRound] = []
    history.append(decided(draw(here, history, rng), rng))
    for _round in range(6):
        history.append(decided(draw(here[1:], history, rng), rng))
    back: list[PlayedRound] = []
    for _round in range(7):
        back.append(decided(draw([*here, 7], [*history, *back], rng), rng))
    times = [sum(one in each.sit_outs for each in back) for one in (*here, 7)]
    assert max(times) - min(times) <= 1
