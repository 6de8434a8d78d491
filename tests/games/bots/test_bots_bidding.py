"""What the house player bids, names and discards. West deals unless another dealer is named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from games.engine.observation import Standing
from games.engine.rules import CLASSIC_24, HEADS_UP, JOKER_33, STICK_THE_DEALER
from tests.engine.build import deal
from tests.games.bots.house_at_play import does

THREE_PASSES = "pass, pass, pass"
FOUR_PASSES = "pass, pass, pass, pass"
LONE_HAND = "JH JD AH KH AS"
FAIR_HAND = "JH AH 9H AS 9C"


def at(north: int, east: int) -> Standing:
    """A game that stands at these points of north and south, and of east and west."""
    return Standing(score=(north, east))


def test_goes_alone_with_both_bowers_ace_king_and_an_off_ace() -> None:
    assert does(deal("QH", North=LONE_HAND)) == "order alone"


@pytest.mark.parametrize(("north", "call"), [(2, "order alone"), (3, "order"), (4, "order")])
def test_goes_alone_only_where_the_partner_could_not_win_the_game(north: int, call: str) -> None:
    state = deal("QH", rules=replace(CLASSIC_24, target=5), North=LONE_HAND)
    assert does(state, at(north, 4)) == call


def test_keeps_its_partner_with_a_fair_hand() -> None:
    assert does(deal("QH", "pass", East=FAIR_HAND)) == "order"


def test_passes_a_hand_without_trumps() -> None:
    assert does(deal("QH", North="9C TC QD 9S TS")) == "pass"


def test_does_not_order_a_bower_into_an_opponent_with_two_low_trumps() -> None:
    assert does(deal("JH", North="9H TH AS KC 9D")) == "pass"


def test_assists_its_partner_with_a_hand_it_would_not_order_up_against_him() -> None:
    hand = "KH TH AS 9C TC"
    assert does(deal("JH", "pass", South=hand)) == "order"
    assert does(deal("JH", "pass, pass", East=hand, dealer="South")) != "order alone"
    assert does(deal("JH", North=hand)) == "pass"


def test_takes_up_with_three_trumps_and_an_ace() -> None:
    assert does(deal("QH", THREE_PASSES, West="AH KH AS 9C TD")) == "order"


def test_turns_down_with_nothing_but_the_turn_up() -> None:
    assert does(deal("9H", THREE_PASSES, West="9C TD QS TS QC")) == "pass"


def test_names_its_best_suit_in_the_second_round() -> None:
    assert does(deal("9H", FOUR_PASSES, North="JS JC AS 9D TD")).startswith("make S")


def test_a_stuck_dealer_names_its_best_suit() -> None:
    state = deal(
        "9H", f"{FOUR_PASSES}, {THREE_PASSES}", rules=STICK_THE_DEALER, West="9C TC QC 9D KS"
    )
    assert does(state) == "make C"


def test_the_same_hand_passes_where_the_dealer_may() -> None:
    assert does(deal("9H", f"{FOUR_PASSES}, {THREE_PASSES}", West="9C TC QC 9D KS")) == "pass"


def test_holding_the_joker_counts_as_the_highest_trump() -> None:
    with_joker = deal("9H", FOUR_PASSES, rules=JOKER_33, North="Jo AS 9S 7C 8D")
    without = deal("9H", FOUR_PASSES, rules=JOKER_33, North="7S AS 9S 7C 8D")
    assert does(with_joker).startswith("make")
    assert does(without) == "pass"


def test_two_players_never_go_alone() -> None:
    state = deal("QH", rules=HEADS_UP, dealer="South", North=LONE_HAND)
    assert does(state) == "order"


def test_names_a_suit_for_a_joker_turned_up_unseen() -> None:
    assert does(deal("Jo", rules=JOKER_33)) in {"name C", "name D", "name H", "name S"}


def test_makes_the_same_close_call_at_any_score() -> None:
    state = deal("9H", THREE_PASSES, West="AH QH KS QC TD")
    assert does(state) == does(state, at(3, 4)) == does(state, at(4, 3)) == "order"


@pytest.mark.parametrize(
    ("six", "discarded"),
    [
        pytest.param("JH AH 9C AS KS", "9C", id="discards to void"),
        pytest.param("JH AH 9C TC AS", "9C", id="keeps a lone ace"),
        pytest.param("JH JD AH KH 9H", "9H", id="its lowest trump when it has nothing else"),
        pytest.param("JH JD AH AS 9D", "9D", id="keeps the left bower, not its printed suit"),
        pytest.param("9H KS QS AC AD", "QS", id="keeps both aces and the turned-up trump"),
    ],
)
def test_discard(six: str, discarded: str) -> None:
    state = deal("QH", f"{THREE_PASSES}, order", West=six)
    assert does(state) == f"discard {discarded}"
