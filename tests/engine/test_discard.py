"""The dealer takes the turn-up and discards one of six."""

import pytest

from games.engine.cards import parse_card
from games.engine.errors import IllegalActionError, OutOfTurnError
from games.engine.observation import DISCARDING, PLAYING
from tests.engine.build import cards, hearts, push

NORTH, EAST, SOUTH, WEST = range(4)


def test_the_dealer_may_discard_any_of_six() -> None:
    state = hearts("order")
    assert [action.value for action in state.legal_actions()] == sorted(
        parse_card(text) for text in ["9D", "TD", "QD", "QH", "QS", "KS"]
    )


def test_the_dealer_takes_the_turn_up_for_his_discard() -> None:
    state = hearts("order, discard QS")
    assert state.hands[WEST] == cards("9D TD QD QH KS")
    assert (state.phase, state.turn) == (PLAYING, NORTH)


def test_the_dealer_may_discard_the_turn_up_itself() -> None:
    state = hearts("order, discard QH")
    assert state.hands[WEST] == cards("9D TD QD QS KS")


def test_only_the_dealer_discards_and_only_what_he_holds() -> None:
    state = hearts("order")
    with pytest.raises(OutOfTurnError, match=r"It is West's turn \(discard\), not North's"):
        state.push(state.legal_actions()[0], NORTH)
    with pytest.raises(IllegalActionError, match="9C is not in your hand"):
        push(state, "discard 9C")
    with pytest.raises(IllegalActionError, match=r"cannot play QS now \(discard\); you may: disc"):
        push(state, "play QS")
    assert state.phase == DISCARDING


def test_the_discard_is_known_to_the_dealer_alone() -> None:
    state = hearts("order, discard QS")
    assert state.observe(WEST).discard == parse_card("QS")
    assert [state.observe(one).discard for one in (None, NORTH, EAST, SOUTH)] == [-1] * 4
