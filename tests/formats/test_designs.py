"""Every design keeps its promise: all pairs and all sit-outs are counted."""

from collections import Counter
from itertools import combinations

from tests.loops import looped
from tournaments.formats.rotation import Base, Design, design_for, designs, long_rotations

WHIST = sorted(designs("whist").items())
NEAR = sorted(designs("near").items())


def pairs_met(rounds: list[Base]) -> tuple[Counter[frozenset[int]], Counter[frozenset[int]]]:
    """How often two were partners, and opponents."""
    partners: Counter[frozenset[int]] = Counter()
    opponents: Counter[frozenset[int]] = Counter()
    for each in rounds:
        for a, b, c, d in each.tables:
            partners.update([frozenset((a, b)), frozenset((c, d))])
            opponents.update(frozenset((one, other)) for one in (a, b) for other in (c, d))
    return partners, opponents


def check_rounds(players: int, rounds: list[Base]) -> None:
    for each in rounds:
        present = [player for table in each.tables for player in table]
        assert sorted([*present, *each.sit_outs]) == list(range(players))
        assert len(each.sit_outs) == players % 4


@looped("players, design", WHIST)
def test_whist_designs_meet_every_partner_once(players: int, design: Design) -> None:
    rounds = design.rounds()
    assert len(rounds) == (players - 1 if players % 4 == 0 else players)
    check_rounds(players, rounds)
    everybody = [frozenset(both) for both in combinations(range(players), 2)]
    partners, opponents = pairs_met(rounds)
    assert partners == dict.fromkeys(everybody, 1)
    assert opponents == dict.fromkeys(everybody, 2)


@looped("players, design", NEAR)
def test_near_whist_designs_meet_every_partner_once(players: int, design: Design) -> None:
    rounds = design.rounds()
    assert len(rounds) >= players - (players == 6)
    check_rounds(players, rounds)
    partners, opponents = pairs_met(rounds)
    assert set(partners.values()) == {1}
    assert set(opponents.values()) <= {1, 2}


@looped("players, design", WHIST + NEAR)
def test_fair_order_shares_out_the_sit_outs_after_every_round(players: int, design: Design) -> None:
    rounds = design.fair_rounds()
    assert len(set(design.order)) == len(rounds)
    sat = Counter(dict.fromkeys(range(players), 0))
    for each in rounds:
        sat.update(each.sit_outs)
        assert max(sat.values()) - min(sat.values()) <= 1


@looped("players", [players for players, _design in WHIST])
def test_fair_order_covers_a_whole_whist_tournament(players: int) -> None:
    design = designs("whist")[players]
    assert sorted(design.order) == list(range(len(design.rounds())))


def excess(rounds: list[Base]) -> int:
    partners, opponents = pairs_met(rounds)
    again = sum(times - 1 for times in partners.values())
    return 2 * again + sum(max(0, times - 2) for times in opponents.values())


#: The repeats that are left in each rotation, worked out by an annealing of some seconds.
LEFT = {
    6: {7: 2, 8: 4},
    7: {10: 1, 11: 5, 12: 12},
    10: {11: 4, 12: 14, 13: 28},
    11: {12: 0, 13: 4, 14: 9, 15: 20},
    14: {**dict.fromkeys(range(7, 13), 0), 13: 1, 14: 3, 15: 9, 16: 24, 17: 44},
    15: {16: 4, 17: 10, 18: 22, 19: 37, 20: 60},
    18: {19: 21, 20: 37, 21: 62, 22: 92},
    19: {**dict.fromkeys(range(6, 19), 0), 19: 4, 20: 9, 21: 18, 22: 37, 23: 57, 24: 84},
}


def test_long_rotations_share_out_the_sit_outs_and_have_the_repeats_they_promise() -> None:
    long = [
        (players, rounds, bases)
        for players in range(4, 60)
        for rounds, bases in long_rotations(players).items()
    ]
    for players, rounds, bases in long:
        assert len(bases) == rounds
        check_rounds(players, bases)
        sat = Counter(dict.fromkeys(range(players), 0))
        for each in bases:
            sat.update(each.sit_outs)
            assert max(sat.values()) - min(sat.values()) <= 1
        assert excess(bases) == LEFT[players][rounds], (players, rounds)
    assert {(players, rounds) for players, rounds, _bases in long} == {
        (players, rounds) for players, left in LEFT.items() for rounds in left
    }


def test_longest_rotation_pairs_everybody_with_everybody() -> None:
    for players in LEFT:
        rotations = long_rotations(players)
        partners, opponents = pairs_met(rotations[max(rotations)])
        everybody = [frozenset(both) for both in combinations(range(players), 2)]
        assert min(partners[both] for both in everybody) == 1, players
        assert min(opponents[both] for both in everybody) == 2, players


def test_field_sizes_with_a_design() -> None:
    found = [players for players in range(4, 110) if design_for(players)]
    assert [players for players in found if players <= 65] == [*range(4, 62), 64, 65]
    assert [players for players in found if players > 65] == [73, 77, 85, 89, 97, 101]
