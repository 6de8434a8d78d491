"""What the house player leads and follows with. West deals; hearts are trumps."""

from __future__ import annotations

from games.engine.deal import Deal
from games.engine.rules import HEADS_UP
from tests.engine.build import deal
from tests.games.bots.house_at_play import does

NORTH_ORDERS = "order, discard 9D"
EAST_ORDERS = "pass, order, discard 9D"
WEST = "9D TD QD 9S TS"


def test_the_maker_leads_the_right_bower() -> None:
    assert does(deal("QH", NORTH_ORDERS, West=WEST, North="JH KH AS KS 9C")) == "play JH"


def test_the_maker_keeps_a_lone_low_trump_and_leads_its_ace() -> None:
    assert does(deal("QH", NORTH_ORDERS, West=WEST, North="9H AS KS 9C TC")) == "play AS"


def test_the_makers_partner_leads_trump_from_two() -> None:
    state = deal("QH", "pass, pass, order, discard 9D", West=WEST, North="KH TH AS 9C TC")
    assert does(state) == "play KH"


def test_a_defender_leads_the_ace_of_its_shorter_suit() -> None:
    assert does(deal("QH", EAST_ORDERS, West=WEST, North="AS KS AC TH 9H")) == "play AC"


def test_a_defender_does_not_lead_the_right_bower() -> None:
    assert does(deal("QH", EAST_ORDERS, West=WEST, North="JH AH AC 9C KS")) == "play AC"


def test_leads_the_best_card_of_its_shortest_suit_without_an_ace() -> None:
    assert does(deal("QH", EAST_ORDERS, West=WEST, North="KC QC TC KS 9H")) == "play KS"


def test_leads_a_king_once_its_ace_is_gone() -> None:
    state = deal(
        "QH",
        f"{EAST_ORDERS}, play AS, play 9S, play JS, play TS",
        West="9D TD TS TC QC",
        North="AS KS QS KC 9H",
        East="9S JH JD AH KH",
        South="JS AC 9C AD KD",
    )
    assert does(state) == "play KS"


def test_keeps_the_right_bower_on_its_partners_winning_ace() -> None:
    state = deal(
        "QH",
        f"{EAST_ORDERS}, play AS, play 9S",
        West="9D TD QD TS QC",
        North="AS KC QS TC 9C",
        East="9S AH KH JD AC",
        South="JH 9H AD KD JC",
    )
    assert does(state).removeprefix("play ") not in {"JH", "9H"}


def test_does_not_trump_its_partners_winning_trick_when_last() -> None:
    state = deal(
        "QH",
        f"{EAST_ORDERS}, play 9C, play AC, play TC",
        West="9D TD KD TS AS",
        North="9C KS QS JS AD",
        East="AC JH AH KH QD",
        South="TC KC QC JC 9S",
    )
    assert does(state) == "play TD"


def test_trumps_an_opponents_ace_with_its_lowest_trump_when_last() -> None:
    state = deal(
        "QH",
        f"{NORTH_ORDERS}, play AC, play 9C, play TC",
        West="9D 9H JD TS AS",
        North="AC JH AH KH QD",
        East="9C KS QS JS AD",
        South="TC KC QC JC 9S",
    )
    assert does(state) == "play 9H"


def test_ruffs_second_in_hand_with_its_lowest_trump() -> None:
    state = deal(
        "QH",
        f"{NORTH_ORDERS}, play AC",
        West="9D TD JS TS AS",
        North="AC JD AH KH QD",
        East="JH 9H QS KS AD",
        South="TC KC QC JC 9S",
    )
    assert does(state) == "play 9H"


def test_overruffs_with_a_trump_that_will_hold() -> None:
    state = deal(
        "QH",
        f"{EAST_ORDERS}, play AC, play 9H",
        West="9D 9C TD TS AS",
        North="AC KC QD KD AD",
        East="9H AH JD QS KS",
        South="TH JH JS TC 9S",
    )
    assert does(state) == "play TC"
    state = deal(
        "QH",
        f"{EAST_ORDERS}, play AC, play 9H",
        West="9D 9C TD TS AS",
        North="AC KC QD KD AD",
        East="9H AH JD QS KS",
        South="TH JH JS KH 9S",
    )
    assert does(state) == "play JH"


def test_a_defender_cashes_the_best_trump_from_the_third_trick_on() -> None:
    def state(more: str) -> Deal:
        return deal(
            "QH",
            f"{EAST_ORDERS}, play AS, play 9S, play JS, play TS{more}",
            West="9D TH TS QC TD",
            North="AS KS JH KC TC",
            East="9S QS JD AH KH",
            South="JS 9C AC QD KD",
        )

    assert does(state("")) == "play KS"
    assert does(state(", play KS, play QS, play 9C, play TD")) == "play JH"


def test_throws_its_lowest_card_on_a_trick_it_cannot_win() -> None:
    state = deal(
        "QH", f"{NORTH_ORDERS}, play JH", West=WEST, North="JH AS KS 9C TC", East="AH 9H KH AC QC"
    )
    assert does(state) == "play 9H"


def test_third_hand_overtakes_its_partners_ten_with_the_ace() -> None:
    state = deal(
        "QH",
        f"{NORTH_ORDERS}, play TC, play 9C",
        West=WEST,
        North="TC JH AH KH JD",
        East="9C QS AS AD KD",
        South="AC QC 9H JS KS",
    )
    assert does(state) == "play AC"


def test_third_hand_leaves_its_partners_king_alone() -> None:
    state = deal(
        "QH",
        f"{NORTH_ORDERS}, play KC, play 9C",
        West=WEST,
        North="KC JH AH KH JD",
        East="9C QS AS AD KD",
        South="AC QC 9H JS KS",
    )
    assert does(state) == "play QC"


def test_takes_with_the_cheapest_card_that_will_hold() -> None:
    state = deal(
        "QH",
        f"{NORTH_ORDERS}, play 9S, play QS, play JS",
        West="9D KS AS TD QC",
        North="9S JH JD AH KH",
        East="QS 9C TC JC KC",
        South="JS 9H TH AC AD",
    )
    assert does(state) == "play KS"


def test_the_left_bower_follows_trump_and_not_its_printed_suit() -> None:
    state = deal(
        "QH",
        f"{NORTH_ORDERS}, play AD",
        West=WEST,
        North="AD JH AH KH KS",
        East="JD 9C TC QC KC",
        South="AS 9H TH AC KD",
    )
    assert does(state) == "play JD"


def test_a_lone_maker_leads_its_trumps_from_the_top() -> None:
    state = deal("QH", "order alone, discard 9D", West=WEST, North="JH JD AH KH AS")
    assert does(state) == "play JH"


def test_heads_up_the_maker_cashes_its_ace_when_it_has_one_trump() -> None:
    state = deal(
        "QH",
        "order, discard 9D",
        dealer="South",
        rules=HEADS_UP,
        North="9H AC QC KS TD",
        South="9D QD AD 9S TS",
    )
    assert does(state) == "play AC"
