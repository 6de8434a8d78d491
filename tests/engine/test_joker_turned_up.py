"""A joker as the turn-up."""

from dataclasses import replace

import pytest

from games.engine.cards import CLUBS, HEARTS, JOKER, UNNAMED
from games.engine.errors import IllegalActionError, OutOfTurnError
from games.engine.observation import DISCARDING, FIRST_ROUND, NAMING, PLAYING, SECOND_ROUND
from games.engine.rules import DEALER_MAKES, HEADS_UP, JOKER_33
from tests.engine.build import cards, deal, push
from tests.engine.texts import parse_cards

NORTH, EAST, SOUTH, WEST = range(4)
DEALER_MUST = replace(JOKER_33, joker_turned_up=DEALER_MAKES)


def test_the_dealer_names_its_suit_before_he_sees_his_five() -> None:
    state = deal("Jo", rules=JOKER_33, West="9C TC JC QC KC")
    assert (state.phase, state.turn) == (NAMING, WEST)
    view = state.observe(WEST)
    assert (view.hand, view.held, view.my_turn) == (0, (5, 5, 5, 5), True)
    assert [str(action) for action in view.legal] == ["name C", "name D", "name H", "name S"]
    push(state, "name C")
    assert state.observe(WEST).hand == cards("9C TC JC QC KC")


def test_the_others_may_look_at_theirs_meanwhile() -> None:
    state = deal("Jo", rules=JOKER_33, North="9C TC JC QC KC")
    assert state.observe(NORTH).hand == cards("9C TC JC QC KC")


def test_nothing_else_may_be_done_first() -> None:
    state = deal("Jo", rules=JOKER_33, West="9C TC JC QC KC")
    for words in ("pass", "order", "make C", "play 9C", "play 9D", "discard Jo"):
        with pytest.raises(IllegalActionError) as why:
            push(state, words)
        assert str(why.value) == (
            f"You cannot {words} now (name the joker's suit); "
            "you may: name C, name D, name H, name S."
        )
    with pytest.raises(OutOfTurnError):
        state.push(state.legal_actions()[0], NORTH)


def test_accepted_the_joker_is_the_dealers_and_the_named_suit_is_trump() -> None:
    state = deal("Jo", "name H, pass, order", rules=JOKER_33, West="7C 8C 9C TC KC")
    assert (state.trump, state.maker, state.phase) == (HEARTS, EAST, DISCARDING)
    assert state.hands[WEST] == cards("7C 8C 9C TC KC Jo")
    push(state, "discard 7C")
    assert (state.phase, state.turn) == (PLAYING, NORTH)


def test_the_dealer_may_discard_the_joker() -> None:
    state = deal("Jo", "name H, order, discard Jo", rules=JOKER_33)
    assert state.discarded == JOKER


def test_turned_down_its_suit_is_the_rejected_one() -> None:
    state = deal("Jo", "name H, pass, pass, pass, pass", rules=JOKER_33)
    assert state.phase == SECOND_ROUND
    with pytest.raises(IllegalActionError, match="Hearts was turned down"):
        push(state, "make H")
    push(state, "make C")
    assert (state.trump, state.observe().turn_up_at) == (CLUBS, "turned down")


def test_bidding_goes_on_as_if_a_card_of_that_suit_were_turned_up() -> None:
    state = deal("Jo", "name H", rules=JOKER_33)
    assert (state.phase, state.turn, state.trump) == (FIRST_ROUND, NORTH, UNNAMED)
    assert state.observe().turned_suit == HEARTS


def test_the_option_that_the_dealers_side_are_makers_at_once() -> None:
    state = deal("Jo", "name C", rules=DEALER_MUST)
    assert (state.maker, state.trump, state.alone) == (WEST, CLUBS, False)
    assert (state.phase, state.turn, state.calls) == (DISCARDING, WEST, ())
    push(state, "discard Jo")
    assert state.turn == NORTH


def test_two_players_with_a_joker() -> None:
    rules = replace(HEADS_UP, pack=25)
    state = deal("Jo", "name H, order, discard Jo", dealer="South", rules=rules)
    assert (state.maker, state.turn) == (0, 0)


def test_a_joker_in_the_hand_follows_and_leads_trumps() -> None:
    state = deal(
        "QH",
        "order, discard 9S, play AH",
        rules=JOKER_33,
        North="AH 9C TC QS AS",
        East="Jo 9D TD QD 7S",
        West="9S TS KS 7C 8C",
    )
    assert [action.value for action in state.legal_actions()] == [JOKER]
    push(state, "play Jo")
    assert state.plays == tuple(zip((NORTH, EAST), parse_cards("AH Jo"), strict=True))
