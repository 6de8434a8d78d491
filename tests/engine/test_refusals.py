"""Malformed, illegal, out of turn and stale: four errors, each says what was wrong."""

import pytest

from games.engine.actions import Action, is_action, parse_action
from games.engine.cards import parse_card
from games.engine.errors import (
    EngineError,
    IllegalActionError,
    MalformedError,
    OutOfTurnError,
    StaleError,
)
from games.engine.seats import compass
from tests.engine.build import hearts, push
from tests.loops import looped

NORTH, EAST, SOUTH, WEST = range(4)


def test_the_four_are_different_errors_of_one_family() -> None:
    family = (MalformedError, IllegalActionError, OutOfTurnError, StaleError)
    assert all(issubclass(error, EngineError) for error in family)
    assert not any(issubclass(a, b) for a in family for b in family if a is not b)


def test_stale_names_both_versions() -> None:
    error = StaleError(3, 5)
    assert (error.decided_on, error.present) == (3, 5)
    assert str(error) == ("The table has moved on: you decided on version 3, it is at version 5.")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "'' is not an action: pass, order"),
        ("call", "'call' is not an action"),
        ("pass alone", "'pass alone' is not an action"),
        ("PASS", "'PASS' is not an action"),
        ("pass ", "'pass ' is not an action"),
        ("make", "'make' is not an action"),
        ("make X", "'X' is not a suit: one of CDHS"),
        ("name ", "'' is not a suit"),
        ("make H loudly", "'make H loudly' is not an action"),
        ("name H alone", "'name H alone' is not an action"),
        ("play", "'play' is not an action"),
        ("play 10H", "'10H' is not a card"),
        ("discard QS now", "'discard QS now' is not an action"),
        ("cut", "'cut' is not an action"),
        ("cut -4", "'cut -4' is not an action"),
        ("cut 34", "'cut 34' is not an action"),
        ("cut \uff14", "is not an action"),
        ("play " + "9" * 9999, "is not a card"),
        ("x" * 9999, "is not an action"),
        ("\x00\ud800", "is not an action"),
    ],
)
def test_a_text_that_is_no_action_names_its_wrong_word(text: str, why: str) -> None:
    with pytest.raises(MalformedError) as error:
        parse_action(text)
    assert why in str(error.value)
    assert len(str(error.value)) < 250


@looped(
    "action",
    [
        Action("play", 99),
        Action("play", -1),
        Action("play", 32, True),
        Action("play", parse_card("9C"), True),
        Action("discard", 34),
        Action("cut", 34),
        Action("make", 4),
        Action("name", -1),
        Action("order", 1),
        Action("pass", 0, True),
        Action("next", 2),
        Action("fold", 1),
        Action("swap", 7),
        Action("whist"),
    ],
)
@looped("done", ["", "order", "pass, order, discard 9D"])
def test_values_that_make_no_action_are_malformed_at_any_time(done: str, action: Action) -> None:
    state = hearts(done)
    assert not is_action(action)
    with pytest.raises(MalformedError, match="is not an action"):
        state.push(action)
    assert len(state.actions) == len([word for word in done.split(", ") if word])


@pytest.mark.parametrize("seat", [-1, 4, 99])
def test_a_number_that_is_no_seat_is_malformed(seat: int) -> None:
    with pytest.raises(MalformedError, match=f"There is no seat {seat}: the seats are 0 to 3"):
        hearts("").push(Action("pass"), seat)


def test_out_of_turn_comes_first_so_nobody_can_probe_another_hand() -> None:
    state = hearts("order, discard QS, play 9C")
    for card in range(33):
        with pytest.raises(OutOfTurnError) as why:
            state.push(Action("play", card), SOUTH)
        assert str(why.value) == "It is East's turn (play), not South's."


def test_a_card_that_is_somewhere_else_is_refused_the_same_wherever_it_is() -> None:
    state = hearts("order, discard QS, play 9C")
    assert state.turn == EAST
    for elsewhere in ("QS", "QC", "QD", "9C", "TC", "JC", "AD", "7C", "Jo"):
        with pytest.raises(IllegalActionError) as why:
            state.push(Action("play", parse_card(elsewhere)), EAST)
        assert str(why.value) == f"{elsewhere} is not in your hand."


@pytest.mark.parametrize(
    ("done", "words", "why", "allowed"),
    [
        ("", "make H", "You cannot make H now (first round)", "pass, order, order alone"),
        ("", "play 9H", "You cannot play 9H now (first round)", "pass, order, order alone"),
        ("", "cut 5", "You cannot cut 5 now (first round)", "pass, order, order alone"),
        ("", "next", "You cannot deal the next hand now (first round)", "pass, order, order alone"),
        (
            "order",
            "pass",
            "You cannot pass now (discard)",
            "discard 9D, discard TD, discard QD, discard QH, discard QS, discard KS",
        ),
        (
            "order, discard QS",
            "discard 9H",
            "You cannot discard 9H now (play)",
            "play 9C, play TC, play 9H, play TH, play JS",
        ),
        ("order, discard QS, play 9C", "play AS", "You must follow clubs", "play AC"),
    ],
)
def test_an_illegal_actions_error_lists_the_legal_ones(
    done: str, words: str, why: str, allowed: str
) -> None:
    state = hearts(done)
    with pytest.raises(IllegalActionError) as error:
        push(state, words)
    assert str(error.value) == f"{why}; you may: {allowed}."


def test_seats_have_names() -> None:
    assert [compass(4, seat) for seat in range(4)] == ["North", "East", "South", "West"]
    assert [compass(2, seat) for seat in range(2)] == ["North", "South"]
