"""Cards as numbers, and what bowers and the joker do to them."""

import pytest

from games.engine.cards import (
    CARDS,
    CLUBS,
    DIAMONDS,
    EFFECTIVE_SUIT,
    HEARTS,
    JOKER,
    NO_SUIT,
    RANKS,
    SPADES,
    STRENGTH,
    SUIT_MASK,
    SUITS,
    UNNAMED,
    card_text,
    cards_in,
    left_bower,
    mask_of,
    next_suit,
    parse_card,
    parse_suit,
    rank_of,
    right_bower,
    sort_key,
    suit_of,
)
from games.engine.errors import MalformedError
from games.engine.game_notation import cards_text
from games.engine.rules import CLASSIC_24, JOKER_33
from tests.engine.texts import parse_cards
from tests.loops import looped


def test_a_card_is_suit_times_eight_plus_rank() -> None:
    assert parse_card("7C") == 0
    assert parse_card("JH") == 2 * 8 + 4
    assert parse_card("AS") == 31
    assert parse_card("Jo") == JOKER == 32
    assert (suit_of(JOKER), rank_of(JOKER)) == (NO_SUIT, 0)


@looped("card", range(CARDS))
def test_every_card_reads_back(card: int) -> None:
    assert parse_card(card_text(card)) == card


@pytest.mark.parametrize(
    "text", ["", "J", "jo", "10H", "6C", "HJ", "9c", "9C ", "Jo\n", "9" * 9000]
)
def test_a_text_that_is_no_card_is_malformed_and_named(text: str) -> None:
    with pytest.raises(MalformedError, match="is not a card: a rank of 789TJQKA") as why:
        parse_card(text)
    assert repr(text[:20]) in str(why.value)
    assert len(str(why.value)) < 200


@pytest.mark.parametrize("text", ["", "CD", "h", "X", " "])
def test_a_text_that_is_no_suit_is_malformed(text: str) -> None:
    with pytest.raises(MalformedError, match="is not a suit: one of CDHS"):
        parse_suit(text)


def test_suits_read_back() -> None:
    assert [parse_suit(letter) for letter in SUITS] == [CLUBS, DIAMONDS, HEARTS, SPADES]


def test_next_is_the_other_suit_of_the_colour() -> None:
    assert next_suit(CLUBS) == SPADES
    assert next_suit(DIAMONDS) == HEARTS
    assert [next_suit(next_suit(suit)) for suit in range(4)] == [0, 1, 2, 3]


def test_the_left_bower_belongs_to_the_trump_suit() -> None:
    assert card_text(right_bower(HEARTS)) == "JH"
    assert card_text(left_bower(HEARTS)) == "JD"
    assert EFFECTIVE_SUIT[HEARTS][parse_card("JD")] == HEARTS
    assert EFFECTIVE_SUIT[SPADES][parse_card("JD")] == DIAMONDS
    assert EFFECTIVE_SUIT[UNNAMED][parse_card("JD")] == DIAMONDS


def test_the_joker_is_a_trump_and_has_no_suit_before_trump_is_named() -> None:
    assert [EFFECTIVE_SUIT[trump][JOKER] for trump in range(5)] == [0, 1, 2, 3, NO_SUIT]


@pytest.mark.parametrize("trump", range(4))
def test_24_cards_hold_seven_trumps_five_next_and_six_in_each_cross_suit(trump: int) -> None:
    pack = mask_of(CLASSIC_24.pack_in_order())
    sizes = [(SUIT_MASK[trump][suit] & pack).bit_count() for suit in range(5)]
    assert sizes[trump] == 7
    assert sizes[next_suit(trump)] == 5
    assert sorted(sizes) == [0, 5, 6, 6, 7]


@pytest.mark.parametrize("trump", range(4))
def test_33_cards_hold_ten_trumps_seven_next_and_eight_in_each_cross_suit(trump: int) -> None:
    pack = mask_of(JOKER_33.pack_in_order())
    sizes = [(SUIT_MASK[trump][suit] & pack).bit_count() for suit in range(5)]
    assert sizes[trump] == 10
    assert sizes[next_suit(trump)] == 7
    assert sorted(sizes) == [0, 7, 8, 8, 10]


def ranked(trump: int, led: int) -> str:
    """The cards that can win a trick, from high to low."""
    strength = STRENGTH[trump][led]
    order = sorted(JOKER_33.pack_in_order(), key=lambda card: -strength[card])
    return cards_text([card for card in order if strength[card]])


def test_trumps_rank_joker_right_left_ace_down() -> None:
    assert ranked(HEARTS, HEARTS) == "Jo JH JD AH KH QH TH 9H 8H 7H"
    assert ranked(SPADES, SPADES) == "Jo JS JC AS KS QS TS 9S 8S 7S"


def test_a_plain_suit_ranks_below_every_trump_and_next_lacks_its_jack() -> None:
    assert ranked(HEARTS, CLUBS).endswith("7H AC KC QC JC TC 9C 8C 7C")
    assert ranked(HEARTS, DIAMONDS).endswith("7H AD KD QD TD 9D 8D 7D")


def test_without_trump_only_the_suit_led_ranks() -> None:
    assert ranked(UNNAMED, DIAMONDS) == "AD KD QD JD TD 9D 8D 7D"


def test_a_set_of_cards_reads_back() -> None:
    assert list(cards_in(mask_of([32, 0, 7]))) == [0, 7, 32]
    assert list(cards_in(0)) == []


def in_hand(trump: int, text: str) -> str:
    return cards_text(sorted(parse_cards(text), key=lambda card: sort_key(trump, card)))


def test_a_hand_is_sorted_with_its_bowers_among_the_trumps_and_colours_in_turn() -> None:
    assert in_hand(HEARTS, "9D JD AC AS 9H JH Jo") == "Jo JH JD 9H AS 9D AC"
    assert in_hand(CLUBS, "9D AS 9H JS 9C") == "JS 9C 9H AS 9D"


def test_before_trump_the_joker_comes_first_and_jacks_stay_in_their_suits() -> None:
    assert in_hand(UNNAMED, "AD JD AC 9H Jo AS") == "Jo AS 9H AC AD JD"


def test_ranks_go_up() -> None:
    assert RANKS == "789TJQKA"
