"""Which results a match can have: every score that play can reach, and no other."""

from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from games.engine.rules import (
    CLASSIC_24,
    HEADS_UP,
    NO_FACE,
    STICK_THE_DEALER,
    RuleSet,
    rules_to_data,
)
from tests.tournaments.build import NOON, ruled
from tournaments.models import Event, Pairing, Round
from tournaments.results import matches, possible

M, How = Event.Match, Pairing.How
#: A lone hand must take all five, and is worth more to those who euchre it.
CLUB = replace(CLASSIC_24, alone_made=0, alone_euchre=3, defend_alone=True, lone_defence=5)


def match(rules: RuleSet = CLASSIC_24, *, limit: bool = False, **fields: Any) -> Pairing:
    """A match that is not stored."""
    made = {"format": "swiss", "match": M.GAME, "rules_data": rules_to_data(rules)}
    event = Event(**{**made, **fields})
    round_ = Round(event=event, number=1, ends=NOON if limit else None)
    return Pairing(round=round_, number=1)


def wrong(of: Pairing, winner: int, *scores: tuple[int, int], ended: str = How.PLAYED) -> set[str]:
    """The fields that are wrong."""
    return set(dict(possible.errors(of.round.event, of, ruled(winner, *scores, ended=ended))))


def played_out(values: set[int], target: int) -> set[tuple[int, int]]:
    """Every score with which a game to a target can end, found by playing all of them."""
    ends, todo, seen = set(), [(0, 0)], {(0, 0)}
    while todo:
        score = todo.pop()
        for side, value in product((0, 1), values):
            after = (score[0] + value, score[1]) if side == 0 else (score[0], score[1] + value)
            if max(after) >= target:
                ends.add(after)
            elif after not in seen:
                seen.add(after)
                todo.append(after)
    return ends


def played_hands(values: set[int], hands: int) -> set[tuple[int, int]]:
    """Every score with which a number of hands can end."""
    scores = {(0, 0)}
    for _hand in range(hands):
        scores = {
            (first + value * (side == 0), second + value * (side == 1))
            for first, second in scores
            for side in (0, 1)
            for value in values
        }
    return scores


@pytest.mark.parametrize(
    ("rules", "values"),
    [
        (CLASSIC_24, {1, 2, 4}),
        (STICK_THE_DEALER, {1, 2, 4}),
        (HEADS_UP, {1, 2}),
        (CLUB, {0, 1, 2, 3, 4, 5}),
    ],
    ids=["classic", "stick", "heads-up", "club"],
)
def test_game_accepts_exactly_the_reachable_scores(rules: RuleSet, values: set[int]) -> None:
    one, target = match(rules), rules.target or 0
    ends = played_out(values, target)
    for first, second in product(range(target + 6), repeat=2):
        score = (first, second)
        for winner in (-1, 0, 1):
            right = score in ends and winner == int(score[1] > score[0])
            assert (not wrong(one, winner, score)) == right, (score, winner)


@pytest.mark.parametrize("hands", [1, 3, 8])
def test_match_of_hands_accepts_exactly_the_reachable_scores(hands: int) -> None:
    one = match(match=M.DEALS, deals=hands)
    ends = played_hands({1, 2, 4}, hands)
    for first, second in product(range(4 * hands + 3), repeat=2):
        score = (first, second)
        for winner in (-1, 0, 1):
            led = -1 if score[0] == score[1] else int(score[1] > score[0])
            right = score in ends and winner == led
            assert (not wrong(one, winner, score)) == right, (score, winner)


def test_a_lone_hand_that_must_take_five_may_bring_nobody_points() -> None:
    one = match(replace(CLUB, stick_the_dealer=True), match=M.DEALS, deals=2)
    for score in played_hands({0, 1, 2, 3, 4, 5}, 2):
        assert not wrong(one, matches.leader(*score), score), score
    assert wrong(one, 0, (11, 0))
    assert wrong(one, 0, (5, 6))
    knock_out = match(CLUB, match=M.DEALS, deals=2, format="single_elimination")
    assert wrong(knock_out, -1, (2, 2))
    assert not wrong(knock_out, 0, (5, 2))


@pytest.mark.parametrize("club", [{"fold": NO_FACE}, {"own_trump": True}])
def test_a_hand_that_nobody_plays_counts_in_a_duplicate_event(club: dict[str, Any]) -> None:
    rules = replace(STICK_THE_DEALER, **club)
    duplicate = match(rules, match=M.DEALS, deals=2, format="duplicate")
    for score in ((0, 0), (1, 0), (4, 2)):
        assert not wrong(duplicate, matches.leader(*score), score), score
    dealt_again = match(rules, match=M.DEALS, deals=2)
    stuck = match(STICK_THE_DEALER, match=M.DEALS, deals=2, format="duplicate")
    for one in (dealt_again, stuck):
        assert not wrong(one, 0, (4, 2))
        assert wrong(one, 0, (1, 0))


def test_tied_hands_continue_by_one() -> None:
    one = match(match=M.DEALS, deals=2, format="single_elimination")
    assert not wrong(one, 0, (2, 0))
    assert wrong(one, 0, (2, 2))
    assert not wrong(one, 0, (2, 1))  # 1–1, and one more
    assert not wrong(one, 1, (4, 8))
    assert wrong(one, 0, (9, 4))


def test_time_ends_a_game_below_its_target_where_there_is_a_limit() -> None:
    one = match(limit=True)
    assert not wrong(one, 0, (4, 3), ended=How.TIME)
    assert not wrong(one, -1, (3, 3), ended=How.TIME)
    assert wrong(one, 0, (3, 4), ended=How.TIME) == {"winner"}
    assert wrong(one, 0, (5, 3), ended=How.TIME) == {"points_0"}
    assert wrong(one, 0, (4, 3)) == {"points_0"}
    assert wrong(match(), 0, (4, 3), ended=How.TIME) == {"ended"}


def test_best_of_three_is_entered_game_by_game() -> None:
    one = match(match=M.BEST_OF_3)
    assert not wrong(one, 0, (5, 3), (6, 4))
    assert not wrong(one, 1, (5, 3), (2, 5), (4, 8))
    assert wrong(one, 0, (5, 3)) == {"game_2_0"}
    assert wrong(one, 0, (5, 3), (3, 5)) == {"game_3_0"}
    assert wrong(one, 0, (5, 3), (5, 3), (5, 0)) == {"game_3_0"}
    assert wrong(one, 1, (5, 3), (6, 4)) == {"winner"}
    assert wrong(one, 0, (5, 3), (9, 4)) == {"game_2_0"}
    assert wrong(one, 0, (5, 3), (7, 5)) == {"game_2_1"}


def test_best_of_three_on_time_counts_games_and_then_the_open_one() -> None:
    one = match(match=M.BEST_OF_3, limit=True)
    assert not wrong(one, 0, (5, 3), (1, 4), ended=How.TIME)
    assert wrong(one, 1, (5, 3), (1, 4), ended=How.TIME) == {"winner"}
    assert not wrong(one, 1, (5, 3), (2, 5), (1, 4), ended=How.TIME)
    assert not wrong(one, -1, (5, 3), (2, 5), ended=How.TIME)
    assert wrong(one, 0, (5, 3), (5, 2), ended=How.TIME) == {"ended"}
    assert wrong(one, 0, (1, 4), (5, 3), ended=How.TIME) == {"game_1_1"}


def test_a_forfeit_has_no_points() -> None:
    one = match()
    assert not wrong(one, 0, ended=How.FORFEIT)
    assert not wrong(one, -1, (0, 0), ended=How.FORFEIT)
    assert wrong(one, 0, (5, 3), ended=How.FORFEIT) == {"points_0", "points_1"}


def test_a_knock_out_has_a_winner_unless_neither_side_came() -> None:
    one = match(format="single_elimination")
    assert wrong(one, -1, (5, 5)) == {"winner"}
    assert not wrong(one, -1, ended=How.FORFEIT)
    assert not wrong(one, 1, (3, 5))


def test_fault_states_what_is_allowed() -> None:
    one = match(STICK_THE_DEALER)
    words = dict(possible.errors(one.round.event, one, ruled(0, (3, 999))))
    assert words == {"points_1": "A game to 10 is won with 10 to 13 points, not 999."}
    words = dict(possible.errors(one.round.event, one, ruled(-1, (5, 3))))
    assert words == {"points_0": "A game to 10 is won with 10 to 13 points, not 5."}
