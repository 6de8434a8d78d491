"""Swiss events get as many rounds as they are to have, and each is the best that leads there."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import ceil, log2
from random import Random

import pytest

from tests.formats.results import decided, played, random_round
from tests.formats.test_swiss_exact import BYE, Matches, Situation, matches_of
from tournaments.formats import swiss, swiss_ahead
from tournaments.formats.draw import PlayedRound

EVENTS = 120


def rounds_drawn(
    teams: int, rounds: int, seed: int, *, look_ahead: bool = True
) -> list[PlayedRound]:
    """The rounds of an event with random winners until none is left."""
    rng = Random(seed)
    history: list[PlayedRound] = []
    for number in range(rounds):
        to_come = rounds - number - 1 if look_ahead else 0
        try:
            history.append(decided(swiss.pair(range(teams), history, rng, to_come), rng))
        except swiss.NoLegalRoundError:
            break
    return history


def check(teams: int, history: Sequence[PlayedRound]) -> None:
    met = [frozenset(one.pairing.entrants) for each in history for one in each.matches]
    assert len(set(met)) == len(met)
    byes = [entrant for each in history for entrant in each.sit_outs]
    assert len(set(byes)) == len(byes) == (len(history) if teams % 2 else 0)


@pytest.mark.parametrize(
    ("teams", "rounds"),
    [
        *((teams, ceil(log2(teams)) + 1) for teams in (5, 6, 7, 9)),
        *((teams, teams - 1) for teams in (4, 6, 8, 10, 12)),
        *((teams, teams) for teams in (3, 5, 7, 9, 11)),
    ],
)
def test_small_events_play_all_their_rounds(teams: int, rounds: int) -> None:
    for seed in range(EVENTS if teams < 7 else 10):
        history = rounds_drawn(teams, rounds, seed)
        assert len(history) == rounds, f"seed {seed}"
        check(teams, history)


def test_without_lookahead_many_small_events_end_early() -> None:
    short = [len(rounds_drawn(6, 4, seed, look_ahead=False)) < 4 for seed in range(EVENTS)]
    assert sum(short) > EVENTS / 10


@pytest.mark.parametrize(("teams", "rounds"), [(14, 13), (15, 15), (20, 19)])
def test_large_events_with_nearly_as_many_rounds_play_all_of_them(teams: int, rounds: int) -> None:
    history = rounds_drawn(teams, rounds, 1)
    assert len(history) == rounds
    check(teams, history)


@pytest.mark.parametrize("teams", [6, 7, 8, 9])
def test_forfeits_cost_at_most_a_second_bye(teams: int) -> None:
    for seed in range(20):
        rng = Random(seed)
        history: list[PlayedRound] = []
        for to_come in reversed(range(teams - 1)):
            history.append(played(swiss.pair(range(teams), history, rng, to_come), rng))
        matches = [one for each in history for one in each.matches if not one.forfeit]
        met = [frozenset(one.pairing.entrants) for one in matches]
        assert len(set(met)) == len(met)


@pytest.mark.parametrize("seed", range(30))
def test_arrivals_and_departures_leave_all_possible_rounds(seed: int) -> None:
    rng = Random(seed)
    everybody = list(range(rng.randrange(5, 9)))
    teams = everybody[:-1]
    history: list[PlayedRound] = []
    wanted = len(teams) - 1
    while len(history) < wanted:
        left = swiss.rounds_left(teams, history, wanted - len(history))
        assert left == brute_rounds_left(teams, history, wanted - len(history))
        if not left:
            break
        draw = swiss.pair(teams, history, rng, left - 1)
        assert sorted([*draw.sit_outs, *(t for p in draw.pairings for t in p.entrants)]) == teams
        history.append(decided(draw, rng))
        if rng.random() < 0.3:
            teams = sorted(rng.sample(everybody, max(4, len(everybody) - rng.randrange(3))))


def legal_rounds(teams: Sequence[int], met: set[frozenset[int]], byes: set[int]) -> list[Matches]:
    """Every legal round, found in a way of its own."""
    if len(teams) % 2 == 0:
        return list(pairs(list(teams), met))
    return [
        [(one, BYE), *round_]
        for one in teams
        if one not in byes
        for round_ in pairs([other for other in teams if other != one], met)
    ]


def pairs(left: list[int], met: set[frozenset[int]]) -> Iterator[Matches]:
    if not left:
        yield []
    for other in left[1:]:
        if frozenset((left[0], other)) not in met:
            for more in pairs([one for one in left[1:] if one != other], met):
                yield [(left[0], other), *more]


def possible(teams: Sequence[int], met: set[frozenset[int]], byes: set[int], most: int) -> int:
    """How many legal rounds can follow one another, by trying all."""
    best = 0
    for round_ in legal_rounds(teams, met, byes) if most else ():
        newly = {frozenset(one) for one in round_ if BYE not in one}
        sitting = {one for one, other in round_ if other == BYE}
        best = max(best, 1 + possible(teams, met | newly, byes | sitting, most - 1))
        if best == most:
            break
    return best


def brute_rounds_left(teams: Sequence[int], history: Sequence[PlayedRound], most: int) -> int:
    met = Situation(teams, history).met
    strict = possible(teams, met, Situation(teams, history).free_win, most)
    return max(strict, possible(teams, met, set(), most))


def test_the_round_drawn_is_the_best_of_all_that_lead_on() -> None:
    passed_over = 0
    for seed in range(120):
        rng = Random(seed)
        teams = list(range(rng.randrange(4, 7)))
        history = [random_round(teams, rng) for _round in range(rng.randrange(1, 3))]
        situation = Situation(teams, history)
        left = possible(teams, situation.met, situation.free_win, 3)
        if not left:
            continue
        rounds = [
            matches
            for matches in situation.rounds(situation.order, len(teams) % 2 == 1)
            if left - 1
            == possible(
                teams,
                situation.met | {frozenset(one) for one in matches if BYE not in one},
                situation.free_win | {one for one, other in matches if other == BYE},
                left - 1,
            )
        ]
        draw = swiss.pair(teams, history, Random(seed), left - 1)
        best = min(map(situation.criteria, rounds))
        assert situation.criteria(matches_of(draw, situation)) == best, f"seed {seed}"
        freely = situation.rounds(situation.order, len(teams) % 2 == 1)
        passed_over += min(map(situation.criteria, freely)) < best
    assert passed_over > 0


@pytest.mark.parametrize(("teams", "rounds"), [(8, 4), (16, 8), (9, 4), (17, 8)])
def test_with_twice_as_many_teams_as_rounds_any_legal_rounds_lead_to_the_end(
    teams: int, rounds: int
) -> None:
    assert swiss_ahead.certain(rounds, teams, teams - 1, teams)
    assert not swiss_ahead.certain(rounds + 1, teams, teams - 1, teams)
    for seed in range(8):
        assert len(rounds_drawn(teams, rounds, seed, look_ahead=False)) == rounds


def complete(vertices: int) -> swiss_ahead.Graph:
    return swiss_ahead.graph_of(vertices, combinations(range(vertices), 2))


def test_every_perfect_matching_of_a_small_graph_is_found() -> None:
    assert len(list(swiss_ahead.matchings(complete(8)))) == 7 * 5 * 3
    assert list(swiss_ahead.matchings(swiss_ahead.graph_of(4, [(0, 1), (1, 2), (2, 3)]))) == [
        [(0, 1), (2, 3)]
    ]


@pytest.mark.parametrize("vertices", [4, 6, 8, 10, 12, 16])
def test_a_round_robin_is_the_most_a_field_can_give(vertices: int) -> None:
    assert swiss_ahead.can_continue(complete(vertices), vertices - 1)
    assert not swiss_ahead.can_continue(complete(vertices), vertices)


def test_three_opponents_left_need_not_give_three_rounds() -> None:
    # Three matches for everybody, and yet no three rounds (J. Petersen, 1898).
    outer = [(at, (at + 1) % 5) for at in range(5)]
    inner = [(5 + at, 5 + (at + 2) % 5) for at in range(5)]
    petersen = swiss_ahead.graph_of(10, outer + inner + [(at, at + 5) for at in range(5)])
    assert swiss_ahead.can_continue(petersen, 1)
    assert not swiss_ahead.can_continue(petersen, 2)
    triangles = swiss_ahead.graph_of(6, [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)])
    assert not swiss_ahead.can_continue(triangles, 1)
