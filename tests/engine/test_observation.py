"""What each seat and a spectator may know."""

import pytest

from games.engine.cards import HEARTS, UNNAMED, parse_card
from games.engine.deal import Deal
from games.engine.errors import MalformedError
from games.engine.observation import CUTTING, DISCARDING, PLAYING, START, Standing
from games.engine.rules import JOKER_33
from games.engine.scoring import thrown_in
from tests.engine.build import cards, hearts

NORTH, EAST, SOUTH, WEST = range(4)


def test_a_seat_sees_its_own_cards_and_only_counts_the_others() -> None:
    view = hearts("pass").observe(EAST)
    assert view.hand == cards("JH JD AH AC AS")
    assert view.held == (5, 5, 5, 5)
    assert view.turn_up == parse_card("QH")


def test_a_spectator_sees_no_hand_and_may_do_nothing() -> None:
    view = hearts("").observe()
    assert (view.hand, view.seat, view.legal, view.my_turn) == (0, None, (), False)


def test_only_the_seat_in_turn_sees_legal_actions() -> None:
    state = hearts("pass")
    assert state.observe(EAST).legal == state.legal_actions()
    assert state.observe(EAST).my_turn
    assert state.observe(NORTH).legal == ()
    assert not state.observe(NORTH).my_turn


def test_the_dealer_holds_six_until_he_discards() -> None:
    assert hearts("order").observe().held == (5, 5, 5, 6)
    assert hearts("order, discard QS").observe().held == (5, 5, 5, 5)


def test_calls_tricks_and_trump_are_known_to_all() -> None:
    view = hearts("pass, order, discard QS, play 9C, play AC, play QC, play 9D, play JH").observe()
    assert [(seat, str(call)) for seat, call in view.calls] == [(NORTH, "pass"), (EAST, "order")]
    assert view.trump == HEARTS
    assert (view.maker, view.tricks_won) == (EAST, (0, 1))
    assert view.plays == ((EAST, parse_card("JH")),)
    assert hearts("").observe().trump == UNNAMED


def test_cards_on_the_table_and_in_tricks_count_as_played() -> None:
    assert hearts("pass, order, discard QS").observe().cards_played == 0
    played = "pass, order, discard QS, play 9C, play AC, play QC, play 9D, play JH"
    assert hearts(played).observe().cards_played == 5


def test_who_deals_who_is_asked_and_who_sits_out_is_known_to_all() -> None:
    view = hearts("pass, order alone, play 9C").observe()
    assert (view.dealer, view.phase, view.turn) == (WEST, PLAYING, EAST)
    assert (view.maker, view.alone, view.sitting_out) == (EAST, True, (WEST,))
    assert view.result is None
    together = hearts("pass, order").observe()
    assert (together.phase, together.alone, together.sitting_out) == (DISCARDING, False, ())


def test_the_result_is_known_to_all() -> None:
    assert hearts(", ".join(["pass"] * 8)).observe().result == thrown_in()


def test_before_the_cut_there_is_nothing_to_see() -> None:
    view = Deal.from_pack(JOKER_33, WEST, JOKER_33.pack_in_order()).observe(WEST)
    assert (view.hand, view.held, view.turn_up) == (0, (0, 0, 0, 0), -1)
    assert (view.phase, view.turned_suit) == (CUTTING, -1)


def test_the_standing_is_passed_on() -> None:
    standing = Standing(score=(3, 4), deal_number=5)
    assert hearts("").observe(NORTH, standing).standing == standing
    assert hearts("").observe(NORTH).standing == START


def test_the_public_part_of_every_view_is_what_a_spectator_sees() -> None:
    state = hearts("pass, order, discard QS, play 9C, play AC")
    assert all(state.observe(seat).public == state.observe() for seat in range(4))
    assert state.observe(WEST).discard == parse_card("QS")
    assert state.observe(WEST).public.discard == -1


@pytest.mark.parametrize("seat", [-1, 4])
def test_nobody_looks_from_a_seat_that_is_not_there(seat: int) -> None:
    with pytest.raises(MalformedError, match=f"There is no seat {seat}"):
        hearts("").observe(seat)


def test_after_the_last_trick_nobody_is_in_turn() -> None:
    state = hearts(", ".join(["pass"] * 8))
    assert [state.observe(seat).my_turn for seat in (None, NORTH, WEST)] == [False] * 3
    assert state.observe(NORTH).legal == ()
