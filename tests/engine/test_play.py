"""The five tricks."""

import pytest

from games.engine.cards import parse_card
from games.engine.deal import Deal
from games.engine.errors import IllegalActionError
from games.engine.game_notation import cards_text
from games.engine.observation import DONE, PLAYING
from games.engine.rules import HEADS_UP
from games.engine.scoring import DealResult
from tests.engine.build import deal, hearts, push

NORTH, EAST, SOUTH, WEST = range(4)

#: East makes hearts and wins the first trick with the ace of clubs.
EAST_MADE = "pass, order, discard 9D"
FIVE_TRICKS = (
    "play 9C, play AC, play QC, play TD, "
    "play JH, play KH, play QH, play 9H, "
    "play JD, play KC, play QD, play TH, "
    "play AH, play 9S, play QS, play TC, "
    "play AS, play TS, play KS, play JS"
)


def may_play(state: Deal) -> str:
    """The cards that may be played, as text."""
    return cards_text([action.value for action in state.legal_actions()])


def test_eldest_hand_leads_and_the_winner_leads_next() -> None:
    state = hearts(EAST_MADE)
    assert state.turn == NORTH
    push(state, "play 9C, play AC, play QC, play TD")
    assert (state.turn, state.won, state.plays) == (EAST, (0, 1), ())
    assert state.tricks[0].winner == EAST


def test_the_suit_led_must_be_followed() -> None:
    state = hearts(f"{EAST_MADE}, play 9C")
    assert may_play(state) == "AC"
    with pytest.raises(IllegalActionError, match="You must follow clubs; you may: play AC"):
        push(state, "play JH")
    with pytest.raises(IllegalActionError, match="9H is not in your hand"):
        push(state, "play 9H")


def test_who_is_void_may_play_anything() -> None:
    state = hearts(f"{EAST_MADE}, play 9C, play AC, play QC")
    assert may_play(state) == "TD QD QH QS KS"


def test_the_left_bower_led_asks_for_trumps() -> None:
    state = hearts(f"{EAST_MADE}, play 9C, play AC, play QC, play TD, play JD")
    with pytest.raises(IllegalActionError, match="You must follow hearts"):
        push(state, "play KC")
    assert may_play(state) == "KH"


def test_the_left_bower_need_not_follow_its_printed_suit() -> None:
    state = deal(
        "QH",
        "order, discard 9S, play AD",
        North="AD 9C TC QC KC",
        East="JD 9H JS AC AS",
        West="9S TS KS TD QD",
    )
    assert may_play(state) == "AC JD 9H JS AS"
    push(state, "play JS")
    assert state.plays[-1] == (EAST, parse_card("JS"))


def test_the_left_bower_must_follow_trumps() -> None:
    state = deal(
        "QH",
        "order, discard 9S, play AH",
        North="AH 9C TC QC KC",
        East="JD 9D JS AC AS",
        West="9S TS KS TD QD",
    )
    assert may_play(state) == "JD"


def test_five_tricks_end_the_deal() -> None:
    state = hearts(f"{EAST_MADE}, {FIVE_TRICKS}")
    assert state.result == DealResult("march", 1, 2, 1, (0, 5))
    assert (state.phase, state.turn, state.hands) == (DONE, -1, [0, 0, 0, 0])
    with pytest.raises(IllegalActionError, match="This hand is over"):
        push(state, "play 9C")


#: South makes hearts, but East holds the bowers and takes three tricks.
SOUTH_LOSES = (
    "pass, pass, order, discard 9D, "
    "play 9C, play AC, play QC, play TD, "
    "play JH, play KH, play QH, play 9H, "
    "play JD, play KC, play QD, play TH"
)


def test_laid_down_a_deal_ends_as_soon_as_its_points_are_settled() -> None:
    assert hearts(SOUTH_LOSES).phase == PLAYING
    laid_down = hearts(SOUTH_LOSES, lay_down=True)
    assert laid_down.result == DealResult("euchre", 1, 2, 0, (0, 3))


def test_with_a_skunk_option_the_same_deal_is_not_settled_yet() -> None:
    assert hearts(SOUTH_LOSES, lay_down=True, skunk=4).phase == PLAYING


def test_two_players_tricks_have_two_cards() -> None:
    state = deal(
        "QH",
        "order, discard 9S, play AD, play TD",
        dealer="South",
        rules=HEADS_UP,
        North="AD 9C TC QC KC",
        South="9S TS KS TD QD",
    )
    assert (len(state.tricks), state.won, state.turn) == (1, (1, 0), 0)
