"""Following suit and winning a trick."""

import pytest

from games.engine.cards import CLUBS, DIAMONDS, HEARTS, NO_SUIT, SPADES
from games.engine.tricks import Trick, playable, suit_led, winner
from tests.engine.build import cards
from tests.engine.texts import parse_cards


def plays(text: str) -> list[tuple[int, int]]:
    """Cards played in turn by North, East, …"""
    return list(enumerate(parse_cards(text)))


@pytest.mark.parametrize(
    ("trump", "trick", "taker"),
    [
        (HEARTS, "9C AC KC QC", 1),
        (HEARTS, "9C 9H AC KC", 1),
        (HEARTS, "9C 9H TH KC", 2),
        (HEARTS, "9C AD AS TC", 3),
        (HEARTS, "AH JD JH KH", 2),
        (HEARTS, "AH JD TH KH", 1),
        (HEARTS, "JD AH KH QH", 0),
        (HEARTS, "AD JD KD QD", 1),
        (SPADES, "AD JD KD QD", 0),
        (CLUBS, "JC Jo JS AC", 1),
        (CLUBS, "AD AH AS 9D", 0),
    ],
)
def test_the_highest_trump_wins_else_the_highest_of_the_suit_led(
    trump: int, trick: str, taker: int
) -> None:
    assert winner(trump, plays(trick)) == taker


@pytest.mark.parametrize(
    ("trump", "led", "hand", "may_play"),
    [
        (HEARTS, "", "9C JD AS", "9C JD AS"),
        (HEARTS, "9C", "TC JD AC", "TC AC"),
        (HEARTS, "9C", "9D JD AS", "9D JD AS"),
        (HEARTS, "AD", "JD 9S AS", "JD 9S AS"),
        (HEARTS, "AD", "JD 9D AS", "9D"),
        (HEARTS, "9H", "JD 9D AS", "JD"),
        (HEARTS, "JD", "AD 9H AS", "9H"),
        (HEARTS, "Jo", "AD 9H JD", "9H JD"),
        (CLUBS, "9C", "Jo AD AS", "Jo"),
        (CLUBS, "9D", "Jo AD AS", "AD"),
    ],
)
def test_the_suit_led_is_followed_bowers_and_joker_counted_as_trumps(
    trump: int, led: str, hand: str, may_play: str
) -> None:
    assert playable(trump, plays(led), cards(hand)) == cards(may_play)


def test_the_left_bower_leads_trumps() -> None:
    assert suit_led(HEARTS, plays("JD")) == HEARTS
    assert suit_led(SPADES, plays("JD")) == DIAMONDS
    assert suit_led(HEARTS, []) == NO_SUIT


def test_a_trick_knows_who_led() -> None:
    assert Trick(((2, 5), (3, 6)), 3).leader == 2
