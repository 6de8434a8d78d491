"""Standings: every tie-break by itself, what counts where nobody played, and the order."""

from collections.abc import Sequence
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.results import forfeit, match, random_round, winner_at
from tournaments.formats.draw import DrawnMatch, PlayedMatch, PlayedRound, turns_of
from tournaments.formats.registry import FORMATS
from tournaments.formats.standings import OWN_AVERAGE, EntrantStanding, draw_lots, standings
from tournaments.formats.tie_breaks import Book, TieBreak

MAEVE, BEN, IRIS, JONAH, OTTO = range(1, 6)
LOTS = {entrant: entrant for entrant in range(1, 10)}
ALL = tuple(which for which in TieBreak if which is not TieBreak.LOT)
HALF = Fraction(1, 2)


def table(
    rounds: Sequence[PlayedRound],
    order: Sequence[TieBreak] = ALL,
    credit: Fraction | None = Fraction(1),
    entrants: Sequence[int] = (MAEVE, BEN, IRIS, JONAH),
) -> dict[int, EntrantStanding]:
    """The standings by entrant, in their order."""
    lines = standings(entrants, rounds, order, LOTS, credit)
    return {standing.entrant: standing for standing in lines}


def values(lines: dict[int, EntrantStanding], tie_break: TieBreak) -> dict[int, Fraction | None]:
    return {entrant: standing.values[tie_break] for entrant, standing in lines.items()}


def fours(
    north: tuple[int, int], south: tuple[int, int], points: tuple[int, int], lone: tuple[int, int]
) -> PlayedMatch:
    """A match of an individual event."""
    return PlayedMatch(DrawnMatch(1, (north, south)), winner_at(points), points, lone)


THREE_ROUNDS = [
    PlayedRound((match(MAEVE, BEN, (10, 4), (2, 0)), match(IRIS, JONAH, (10, 8)))),
    PlayedRound((match(MAEVE, IRIS, (6, 10), (0, 1)), match(BEN, JONAH, (10, 2)))),
    PlayedRound((match(MAEVE, JONAH, (10, 0)), match(BEN, IRIS, (7, 7)))),
]


def test_every_tie_break_of_a_small_event_worked_out_by_hand() -> None:
    lines = table(THREE_ROUNDS)
    assert {entrant: line.place for entrant, line in lines.items()} == {
        IRIS: 1,  # 2½ wins
        MAEVE: 2,  # 2
        BEN: 3,  # 1½
        JONAH: 4,  # 0
    }
    assert values(lines, TieBreak.WINS) == {IRIS: 5 * HALF, MAEVE: 2, BEN: 3 * HALF, JONAH: 0}
    # The opponents' wins: Maeve met 1½, 2½ and 0.
    assert values(lines, TieBreak.BUCHHOLZ)[MAEVE] == 4
    assert values(lines, TieBreak.BUCHHOLZ_CUT_1)[MAEVE] == 4
    assert values(lines, TieBreak.BUCHHOLZ_CUT_1)[JONAH] == 2 + 5 * HALF
    # Those of the beaten, and half of those tied with: Iris beat 0 and 2 and tied with 1½.
    assert values(lines, TieBreak.SONNEBORN_BERGER)[IRIS] == 2 + Fraction(3, 4)
    assert values(lines, TieBreak.POINT_DIFFERENCE) == {IRIS: 6, MAEVE: 12, BEN: 2, JONAH: -20}
    assert values(lines, TieBreak.LONE_HANDS) == {IRIS: 1, MAEVE: 2, BEN: 0, JONAH: 0}
    assert values(lines, TieBreak.HEAD_TO_HEAD) == dict.fromkeys(lines)


def test_the_event_states_the_order() -> None:
    lines = table(THREE_ROUNDS, [TieBreak.POINT_DIFFERENCE, TieBreak.WINS])
    assert list(lines) == [MAEVE, IRIS, BEN, JONAH]
    assert list(lines[MAEVE].values) == [
        TieBreak.POINT_DIFFERENCE,
        TieBreak.WINS,
        TieBreak.LOT,
    ]


def test_complete_tie_is_broken_by_lot() -> None:
    tied = [PlayedRound((match(MAEVE, BEN, (5, 5)), match(IRIS, JONAH, (5, 5))))]
    lots = draw_lots([MAEVE, BEN, IRIS, JONAH], Random(4))
    lines = standings([MAEVE, BEN, IRIS, JONAH], tied, ALL, lots)
    assert [line.values[TieBreak.LOT] for line in lines] == [1, 2, 3, 4]
    assert [line.entrant for line in lines] == sorted(lots, key=lots.__getitem__)
    assert lots == draw_lots([MAEVE, BEN, IRIS, JONAH], Random(4))
    assert lots != draw_lots([MAEVE, BEN, IRIS, JONAH], Random(5))


HEAD_TO_HEAD = (TieBreak.WINS, TieBreak.HEAD_TO_HEAD)


def test_head_to_head_separates_two_who_met() -> None:
    rounds = [
        PlayedRound((match(BEN, MAEVE, (10, 9)), match(IRIS, JONAH, (10, 9)))),
        PlayedRound((match(MAEVE, IRIS, (10, 9)), match(JONAH, BEN, (10, 9)))),
    ]
    # All have one win: each of Ben, Maeve, Iris and Jonah beat the next; nobody stands above.
    assert list(table(rounds, HEAD_TO_HEAD)) == [MAEVE, BEN, IRIS, JONAH]
    rounds.append(PlayedRound((match(IRIS, BEN, (10, 9)), match(JONAH, MAEVE, (10, 9)))))
    lines = table(rounds, HEAD_TO_HEAD)
    assert list(lines) == [IRIS, JONAH, BEN, MAEVE]
    assert values(lines, TieBreak.HEAD_TO_HEAD) == {IRIS: 1, JONAH: 0, BEN: 1, MAEVE: 0}


def test_head_to_head_ranks_first_the_winner_over_two_who_did_not_meet() -> None:
    rounds = [
        PlayedRound((match(IRIS, MAEVE, (10, 9)), match(6, BEN, (9, 10)))),
        PlayedRound((match(IRIS, BEN, (10, 9)), match(6, MAEVE, (9, 10)))),
        PlayedRound((match(6, IRIS, (10, 9)), match(BEN, 7, (10, 9)), match(MAEVE, 8, (10, 9)))),
    ]
    lines = table(rounds, HEAD_TO_HEAD, entrants=(MAEVE, BEN, IRIS))
    assert list(lines) == [IRIS, MAEVE, BEN]
    assert values(lines, TieBreak.HEAD_TO_HEAD) == {IRIS: 2, MAEVE: 0, BEN: 0}


def test_head_to_head_is_skipped_if_an_unplayed_match_could_change_it() -> None:
    rounds = [
        PlayedRound((match(BEN, MAEVE, (10, 9)), match(IRIS, 6, (10, 9)))),
        PlayedRound((match(MAEVE, 7, (10, 9)),)),
    ]
    lines = table(rounds, HEAD_TO_HEAD, entrants=(MAEVE, BEN, IRIS))
    assert values(lines, TieBreak.HEAD_TO_HEAD) == {MAEVE: 0, BEN: 1, IRIS: 0}
    assert list(lines) == [MAEVE, BEN, IRIS]


def test_head_to_head_is_applied_again_to_those_still_tied() -> None:
    # Maeve and Ben have two wins, Iris and Jonah one; of each two the first beat the other.
    rounds = [
        PlayedRound((match(MAEVE, BEN, (10, 9)), match(IRIS, JONAH, (10, 9)))),
        PlayedRound((match(MAEVE, IRIS, (10, 9)), match(BEN, JONAH, (10, 9)))),
        PlayedRound((match(JONAH, MAEVE, (10, 9)), match(BEN, IRIS, (10, 9)))),
    ]
    order = (TieBreak.HEAD_TO_HEAD,)
    lots = {MAEVE: 4, BEN: 3, IRIS: 2, JONAH: 1}
    lines = standings((MAEVE, BEN, IRIS, JONAH), rounds, order, lots)
    assert [line.entrant for line in lines] == [MAEVE, BEN, IRIS, JONAH]


def test_head_to_head_separates_none_while_the_first_is_uncertain() -> None:
    # Maeve and Ben beat Iris, but not each other: which of them is first, nobody knows.
    rounds = [
        PlayedRound((match(MAEVE, IRIS, (10, 9)), match(6, BEN, (10, 9)))),
        PlayedRound((match(BEN, IRIS, (10, 9)), match(6, MAEVE, (10, 9)))),
        PlayedRound((match(IRIS, 6, (10, 9)),)),
    ]
    lots = {MAEVE: 2, BEN: 3, IRIS: 1}
    lines = standings((MAEVE, BEN, IRIS), rounds, HEAD_TO_HEAD, lots)
    assert [line.entrant for line in lines] == [IRIS, MAEVE, BEN]


def test_head_to_head_separates_the_others_once_the_first_is_certain() -> None:
    # Otto beat all three; of these Maeve and Ben have met, and Iris met neither.
    rounds = [
        PlayedRound((match(OTTO, MAEVE, (10, 9)),)),
        PlayedRound((match(OTTO, BEN, (10, 9)),)),
        PlayedRound((match(OTTO, IRIS, (10, 9)), match(BEN, MAEVE, (10, 9)))),
    ]
    book = Book(turns_of(rounds))
    assert book.by_head_to_head([MAEVE, BEN, IRIS, OTTO]) == [[OTTO], [MAEVE, BEN, IRIS]]
    assert book.by_head_to_head([MAEVE, BEN, OTTO]) == [[OTTO], [BEN], [MAEVE]]


def test_a_forfeit_at_the_end_counts_at_its_face_value_and_a_withdrawal_as_a_tie() -> None:
    rounds = [
        PlayedRound((match(MAEVE, BEN, (10, 3)), match(IRIS, JONAH, (10, 4)))),
        PlayedRound((match(MAEVE, JONAH, (10, 5)), forfeit(IRIS, BEN))),
    ]
    lines = table(rounds)
    # Maeve beat Ben and Jonah, who have no win; that Ben did not come is no tie for Maeve.
    assert values(lines, TieBreak.BUCHHOLZ)[MAEVE] == 0
    assert values(lines, TieBreak.SONNEBORN_BERGER)[MAEVE] == 0
    rounds.append(PlayedRound((match(MAEVE, IRIS, (10, 9)),), (JONAH,)))
    lines = table(rounds)
    # Ben has left: the round drawn without Ben is half a win. Jonah has a bye, Iris two.
    assert values(lines, TieBreak.BUCHHOLZ)[MAEVE] == HALF + 1 + 2
    assert values(lines, TieBreak.SONNEBORN_BERGER)[MAEVE] == HALF + 1 + 2
    assert values(lines, TieBreak.BUCHHOLZ_CUT_1)[MAEVE] == 1 + 2


def everybody_once(walk_over: bool) -> list[PlayedRound]:
    """A round robin in which Ben never beats Maeve, but loses or does not come."""
    first = forfeit(MAEVE, BEN) if walk_over else match(MAEVE, BEN, (10, 3))
    return [
        PlayedRound((first, match(IRIS, JONAH, (10, 8)))),
        PlayedRound((match(IRIS, MAEVE, (10, 6)), match(BEN, JONAH, (10, 2)))),
        PlayedRound((match(MAEVE, JONAH, (10, 0)), match(BEN, IRIS, (10, 7)))),
    ]


def test_round_robin_walk_over_is_worth_a_win() -> None:
    four = (MAEVE, BEN, IRIS, JONAH)
    order = (TieBreak.WINS, TieBreak.HEAD_TO_HEAD, TieBreak.SONNEBORN_BERGER, TieBreak.BUCHHOLZ)
    played, walked = (
        standings(four, everybody_once(walk_over), order, LOTS, Fraction(0), round_robin=True)
        for walk_over in (False, True)
    )
    assert played == walked
    by_entrant = {line.entrant: line.values[TieBreak.SONNEBORN_BERGER] for line in walked}
    # Maeve beat Ben (2) and Jonah (0), Ben Jonah and Iris (2), Iris Jonah and Maeve (2).
    assert by_entrant == {MAEVE: 2, BEN: 2, IRIS: 2, JONAH: 0}
    swiss = standings(four, everybody_once(walk_over=True), order, LOTS)
    assert [line for line in swiss if line.entrant == MAEVE] != [walked[0]]


def test_round_robin_free_round_is_not_a_match_against_oneself() -> None:
    rounds = [
        PlayedRound((match(MAEVE, BEN, (10, 3)),), (IRIS,)),
        PlayedRound((match(IRIS, MAEVE, (10, 3)),), (BEN,)),
        PlayedRound((match(IRIS, BEN, (10, 3)),), (MAEVE,)),
    ]
    lines = standings((MAEVE, BEN, IRIS), rounds, ALL, LOTS, Fraction(0), round_robin=True)
    assert {line.entrant: line.values[TieBreak.BUCHHOLZ] for line in lines} == {
        IRIS: 1,  # Maeve's win; Ben has none
        MAEVE: 2,
        BEN: 3,
    }


def test_a_bye_is_a_full_win_with_neutral_points() -> None:
    lines = table([PlayedRound((match(MAEVE, BEN, (10, 3), (1, 0)),), (IRIS,))])
    assert values(lines, TieBreak.WINS) == {MAEVE: 1, IRIS: 1, BEN: 0, JONAH: 0}
    assert values(lines, TieBreak.POINT_DIFFERENCE)[IRIS] == 0
    # For Buchholz it is a match against oneself, with no more than a tie in every round.
    assert values(lines, TieBreak.BUCHHOLZ)[IRIS] == HALF


def test_a_sit_out_may_be_worth_a_fixed_credit() -> None:
    lines = table([PlayedRound((match(MAEVE, BEN, (10, 3)),), (IRIS,))], credit=HALF)
    assert values(lines, TieBreak.WINS)[IRIS] == HALF


def test_sit_out_may_be_worth_the_players_own_average() -> None:
    rounds = [
        PlayedRound((fours((MAEVE, BEN), (IRIS, JONAH), (8, 5), (1, 0)),), (OTTO,)),
        PlayedRound((fours((OTTO, BEN), (IRIS, JONAH), (4, 8), (0, 1)),), (MAEVE,)),
        PlayedRound((fours((OTTO, MAEVE), (IRIS, JONAH), (9, 2), (2, 0)),), (BEN,)),
        PlayedRound((fours((OTTO, MAEVE), (IRIS, BEN), (5, 5), (0, 0)),), (JONAH,)),
    ]
    five = (MAEVE, BEN, IRIS, JONAH, OTTO)
    lines = table(rounds, credit=OWN_AVERAGE, entrants=five)
    assert values(lines, TieBreak.WINS) == {
        MAEVE: 5 * HALF * Fraction(4, 3),
        OTTO: 3 * HALF * Fraction(4, 3),
        BEN: 3 * HALF * Fraction(4, 3),
        IRIS: 3 * HALF,
        JONAH: Fraction(4, 3),
    }
    assert values(lines, TieBreak.POINT_DIFFERENCE)[BEN] == (3 - 4 + 0) * Fraction(4, 3)
    assert values(lines, TieBreak.LONE_HANDS)[MAEVE] == 3 * Fraction(4, 3)
    nothing_yet = table(rounds[:1], credit=OWN_AVERAGE, entrants=five)
    assert values(nothing_yet, TieBreak.WINS)[OTTO] == 0


def test_two_opponents_count_as_one_with_the_mean_of_their_wins() -> None:
    rounds = [
        PlayedRound((fours((MAEVE, BEN), (IRIS, JONAH), (8, 5), (1, 0)),)),
        PlayedRound((fours((MAEVE, IRIS), (BEN, JONAH), (8, 6), (0, 0)),)),
    ]
    lines = table(rounds)
    assert values(lines, TieBreak.WINS) == {MAEVE: 2, BEN: 1, IRIS: 1, JONAH: 0}
    assert values(lines, TieBreak.BUCHHOLZ)[MAEVE] == HALF + HALF
    assert values(lines, TieBreak.BUCHHOLZ)[BEN] == HALF + Fraction(3, 2)
    assert values(lines, TieBreak.SONNEBORN_BERGER)[BEN] == HALF
    assert values(lines, TieBreak.LONE_HANDS) == {MAEVE: 1, BEN: 1, IRIS: 0, JONAH: 0}


def test_forfeit_wins_without_points_and_double_forfeit_wins_nothing() -> None:
    nobody = PlayedMatch(DrawnMatch(2, ((IRIS,), (JONAH,))), -1, forfeit=True)
    lines = table([PlayedRound((forfeit(MAEVE, BEN), nobody))])
    assert values(lines, TieBreak.WINS) == {MAEVE: 1, BEN: 0, IRIS: 0, JONAH: 0}
    assert set(values(lines, TieBreak.POINT_DIFFERENCE).values()) == {0}


def test_rounds_missed_to_the_end_count_as_ties_for_opponents_only() -> None:
    rounds = [PlayedRound((match(MAEVE, BEN, (10, 3)),)), PlayedRound(()), PlayedRound(())]
    lines = table(rounds)
    assert values(lines, TieBreak.WINS)[BEN] == 0
    assert values(lines, TieBreak.BUCHHOLZ)[MAEVE] == 0 + HALF + HALF + 1 + 1


def test_unranked_entrant_counts_as_an_opponent() -> None:
    house = 9
    lines = table([PlayedRound((match(house, MAEVE, (10, 3)),))], entrants=(MAEVE, BEN))
    assert list(lines) == [MAEVE, BEN]
    assert values(lines, TieBreak.BUCHHOLZ)[MAEVE] == 1


@pytest.mark.parametrize("order", [(TieBreak.WINS, TieBreak.WINS), (TieBreak.WINS, TieBreak.LOT)])
def test_invalid_tie_break_order_is_refused(order: Sequence[TieBreak]) -> None:
    with pytest.raises(ValueError, match="each tie-break may be stated once"):
        table([], order)


@pytest.mark.parametrize("lots", [{MAEVE: 1}, {MAEVE: 1, BEN: 1}])
def test_every_entrant_needs_a_distinct_lot(lots: dict[int, int]) -> None:
    with pytest.raises(ValueError, match="each entrant must have a lot of its own"):
        standings((MAEVE, BEN), [], ALL, lots)


@pytest.mark.parametrize("tie_break", [TieBreak.HEAD_TO_HEAD, TieBreak.LOT])
def test_head_to_head_has_no_value_for_a_single_entrant(tie_break: TieBreak) -> None:
    with pytest.raises(ValueError, match=f"{tie_break} is not a value of an entrant alone"):
        Book({MAEVE: []}).value(tie_break, MAEVE)


def test_entrant_twice_in_a_round_is_refused() -> None:
    with pytest.raises(ValueError, match="entrant 1 is twice in round 2"):
        table([PlayedRound(()), PlayedRound((match(MAEVE, BEN, (10, 3)),), (MAEVE,))])


def test_each_format_has_its_usual_order_and_each_tie_break_its_name() -> None:
    orders = [one.usual_order for one in FORMATS.values() if not one.knock_out]
    assert {order[0] for order in orders} == {TieBreak.WINS, TieBreak.DUPLICATE}
    assert [which.label for which in (*FORMATS["swiss"].usual_order, TieBreak.LOT)] == [
        "Wins",
        "Buchholz cut 1",
        "Buchholz",
        "Head-to-head",
        "Point difference",
        "Sonneborn–Berger",
        "Lone hands",
        "Lot",
    ]


@given(seed=st.integers(0, 10**6), teams=st.integers(2, 9), rounds=st.integers(0, 6))
def test_standings_depend_on_results_only(seed: int, teams: int, rounds: int) -> None:
    rng = Random(seed)
    entrants = list(range(teams))
    played = [random_round(entrants, rng) for _ in range(rounds)]
    lots = draw_lots(entrants, rng)
    lines = standings(entrants, played, ALL, lots)
    assert [line.place for line in lines] == list(range(1, teams + 1))
    shown = [[line.values[which] for which in ALL[:3]] for line in lines]
    assert shown == sorted(shown, reverse=True)
    shuffled = [
        PlayedRound(tuple(rng.sample(one.matches, len(one.matches))), one.sit_outs)
        for one in played
    ]
    assert standings(rng.sample(entrants, teams), shuffled, ALL, lots) == lines
    wins = sum(line.values[TieBreak.WINS] or 0 for line in lines)
    given = sum(1 for one in played for each in one.matches if each.winner >= 0 or not each.forfeit)
    assert wins == given + sum(len(one.sit_outs) for one in played)
