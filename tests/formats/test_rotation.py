"""Rotations of every size: who sits out, and that nobody meets anybody too often."""

from random import Random

import pytest

from tests.formats.results import decided, present, spread_of_sit_outs, tables_of
from tests.loops import looped
from tests.volume import SIZES, volume
from tournaments.formats import rotation
from tournaments.formats.draw import Draw, PlayedRound
from tournaments.formats.meetings import Repeats, meetings
from tournaments.formats.registry import FORMATS
from tournaments.formats.rotation import design_for
from tournaments.formats.standings import draw_lots, standings

PERFECT = volume([14, 22, 31], [14, 19, 22, 30, 31, 35, 66], range(4, 101))
EIGHT = [
    "3+8 v 4+1, 5+7 v 6+2",
    "5+6 v 4+8, 1+3 v 2+7",
    "1+2 v 4+6, 8+5 v 7+3",
    "8+7 v 4+2, 6+1 v 3+5",
    "6+3 v 4+7, 2+8 v 5+1",
    "2+5 v 4+3, 7+6 v 1+8",
    "7+1 v 4+5, 3+2 v 8+6",
]
SIX = [
    "1+6 v 4+3; 2 5 out",
    "2+4 v 5+3; 1 6 out",
    "2+1 v 5+6; 4 3 out",
]


def repeats(draws: tuple[Draw, ...]) -> Repeats:
    return meetings(pairing for draw in draws for pairing in draw.pairings).repeats()


@looped("players", SIZES)
def test_partners_do_not_repeat_and_sit_outs_are_shared(players: int) -> None:
    rounds = min(players * 7 // 10, 12)
    draws = rotation.draws(range(players), rounds, Random(players))
    assert len(draws) == rounds
    for number, draw in enumerate(draws, start=1):
        assert present(draw) == list(range(players))
        assert len(draw.sit_outs) == players % 4
        assert [pairing.table for pairing in draw.pairings] == list(range(1, players // 4 + 1))
        assert spread_of_sit_outs(range(players), draws[:number]) <= 1
    assert repeats(draws) == ((), ())


@pytest.mark.parametrize("players", PERFECT)
def test_seven_rounds_for_ten_players_are_perfect(players: int) -> None:
    draws = rotation.draws(range(players), players * 7 // 10, Random(players))
    assert repeats(draws) == ((), ())
    assert spread_of_sit_outs(range(players), draws) <= 1


@looped("players", range(4, 66))
def test_a_whole_design_is_perfect(players: int) -> None:
    design = design_for(players)
    rounds = len(design.order) if design else 1
    draws = rotation.draws(range(players), rounds, Random(1))
    assert repeats(draws) == ((), ())


@pytest.mark.parametrize("players", [4, 5, 6, 7, 11, 14])
def test_more_rounds_than_there_are_partners_still_share_the_sit_outs(players: int) -> None:
    draws = rotation.draws(range(players), 2 * players + 1, Random(1))
    assert all(
        spread_of_sit_outs(range(players), draws[:number]) <= 1
        for number in range(1, len(draws) + 1)
    )
    times = meetings(pairing for draw in draws for pairing in draw.pairings).partners
    assert repeats(draws).partners
    assert max(times.values()) <= 4


@pytest.mark.parametrize(
    ("players", "rounds", "most"),
    [
        (10, 12, 14),
        (11, 13, 4),
        (15, 18, 22),
        (14, 16, 24),
        (18, 20, 37),
        (10, 16, 76),
        (13, 15, 48),
    ],
)
def test_a_rotation_longer_than_its_design_repeats_little(
    players: int, rounds: int, most: int
) -> None:
    draws = rotation.draws(range(players), rounds, Random(2))
    assert len(draws) == rounds
    counted = meetings(pairing for draw in draws for pairing in draw.pairings)
    assert counted.excess() <= most
    for number, draw in enumerate(draws, start=1):
        assert present(draw) == list(range(players))
        assert spread_of_sit_outs(range(players), draws[:number]) <= 1


def test_repeats_are_reported_by_pair_and_number() -> None:
    draws = rotation.draws([1, 2, 3, 4], 4, Random(1))
    first, *_others, last = draws
    assert first.pairings == last.pairings
    found = repeats(draws)
    assert {(met.pair, met.times) for met in found.partners} == {
        ((min(side), max(side)), 2) for side in first.pairings[0].sides
    }
    assert all(met.times == 3 for met in found.opponents)
    assert len(found.opponents) == 4


def test_eight_players() -> None:
    draws = rotation.draws([1, 2, 3, 4, 5, 6, 7, 8], 7, Random(1))
    assert [tables_of(draw) for draw in draws] == EIGHT


def test_six_players() -> None:
    draws = rotation.draws([1, 2, 3, 4, 5, 6], 3, Random(1))
    assert [tables_of(draw) for draw in draws] == SIX


def test_the_same_seed_gives_the_same_rotation() -> None:
    assert rotation.draws(range(70), 9, Random(5)) == rotation.draws(range(70), 9, Random(5))
    assert rotation.draws(range(70), 9, Random(5)) != rotation.draws(range(70), 9, Random(6))


def test_draw_after_a_withdrawal_remembers_past_rounds() -> None:
    rng = Random(3)
    first = rotation.draws(range(16), 8, rng)[:4]
    history = [decided(draw, rng) for draw in first]
    left = [player for player in range(16) if player != 7]
    rest = rotation.draws(left, 4, rng, history)
    assert all(present(draw) == left for draw in rest)
    assert repeats(first + rest) == ((), ())
    assert spread_of_sit_outs(left, rest) <= 1


def test_late_player_is_not_the_only_one_to_sit_out() -> None:
    rng = Random(4)
    history = [decided(draw, rng) for draw in rotation.draws(range(6), 6, rng)]
    rest = rotation.draws(range(7), 7, rng, history)
    assert spread_of_sit_outs(range(7), rest) <= 1


def test_a_tied_rotation_still_has_one_winner() -> None:
    rng = Random(2)
    history: list[PlayedRound] = [decided(draw, rng) for draw in rotation.draws(range(13), 13, rng)]
    table = standings(
        range(13), history, FORMATS["rotation"].usual_order, draw_lots(range(13), rng)
    )
    assert [line.place for line in table] == list(range(1, 14))


@pytest.mark.parametrize(
    ("entrants", "rounds"), [([1, 2, 3], 1), ([1, 2, 3, 3], 1), ([1, 2, 3, 4], -1)]
)
def test_invalid_fields_are_refused(entrants: list[int], rounds: int) -> None:
    with pytest.raises(ValueError, match="a rotation"):
        rotation.draws(entrants, rounds, Random(1))
