"""Claiming the rest of a hand: what follows from the claimer's own cards and what all have seen."""

from typing import Any

from games.engine.actions import parse_action
from games.engine.cards import parse_card
from games.engine.claiming import may_claim
from games.engine.deal import Deal
from games.engine.rules import CLASSIC_24
from tests.engine.build import deal as dealt

#: North holds the four highest trumps; West deals and turns up the nine of hearts.
SURE = ("JH JD AH KH AS", "9C TC QC KC AC", "9D TD QD KD AD", "9S TS QS KS TH")
#: The same with the left bower East's.
UNSURE = ("JH QC AH KH AS", "9C TC JD KC AC", "9D TD QD KD AD", "9S TS QS KS TH")


def begun(hands: tuple[str, ...], *plays: str) -> Deal:
    """North makes hearts in the second round and leads; then these cards."""
    cards = [[parse_card(text) for text in hand.split()] for hand in hands]
    deal = Deal.from_cards(CLASSIC_24, 3, cards, parse_card("JC"))
    for action in ("pass", "pass", "pass", "pass", "make H", *(f"play {card}" for card in plays)):
        deal.push(parse_action(action))
    return deal


def claimed(deal: Deal) -> bool:
    """Whether whoever is in turn may claim."""
    return may_claim(deal.observe(deal.turn))


def test_the_rest_is_sure_once_nobody_else_can_hold_a_trump() -> None:
    deal = begun(SURE)
    assert not claimed(deal), "somebody may trump the ace of spades"
    for card in ("JH", "9C", "9D", "TH"):  # East and South have no heart
        deal.push(parse_action(f"play {card}"))
    assert not claimed(deal), "West may hold the queen of hearts, and trump the ace of spades"
    for card in ("JD", "TC", "TD", "9S"):  # nor has West another
        deal.push(parse_action(f"play {card}"))
    assert claimed(deal)


def test_one_bower_out_is_enough_to_be_unsure() -> None:
    deal = begun(UNSURE, "JH", "JD", "9D", "TH")
    assert not claimed(deal), "ace and queen of clubs decide between a march and three tricks"


def test_nobody_claims_out_of_turn_nor_before_the_play() -> None:
    deal = begun(SURE, "JH", "9C", "9D", "TH", "JD", "TC", "TD", "9S")
    for seat in (1, 2, 3, None):
        assert not may_claim(deal.observe(seat))
    bidding = Deal.from_cards(
        CLASSIC_24,
        3,
        [[parse_card(text) for text in hand.split()] for hand in SURE],
        parse_card("JC"),
    )
    assert not claimed(bidding)


def test_the_last_card_is_played_and_not_claimed() -> None:
    deal = begun(SURE, "JH", "9C", "9D", "TH", "JD", "TC", "TD", "9S")
    while deal.result is None and deal.observe(deal.turn).hand.bit_count() > 1:
        deal.push(deal.legal_actions()[0])
    assert not claimed(deal)


def test_what_is_decided_by_the_tricks_alone_can_be_claimed_by_anybody() -> None:
    """Three tricks for the defence: whatever comes, the makers are euchred."""
    hands = ("9H TH QS 9C 9D", "JH JD AH KC AC", "TC TD QC KD QD", "9S TS KS AS AD")
    deal = begun(hands)
    for card in ("9H", "JH", "TC", "9S"):
        deal.push(parse_action(f"play {card}"))
    for card in ("JD", "TD", "TS", "TH"):
        deal.push(parse_action(f"play {card}"))
    for card in ("AH", "QC", "KS", "9C"):
        deal.push(parse_action(f"play {card}"))
    assert deal.won == (0, 3)
    assert claimed(deal) == (CLASSIC_24.skunk == CLASSIC_24.euchre)


def test_what_the_dealer_laid_away_can_beat_nobody() -> None:
    led = "order, discard {}, play 9C, play AC, play AD"
    assert claimed(dealt("JH", led.format("JD"), South="AD KS 9S TS JS", West="JD AH KH QH TH"))
    out = dealt("JH", led.format("9S"), East="AC JD 9D TD QD", South="AD KS TS JS QS",
                West="9S AH KH QH TH")  # fmt: skip
    assert not claimed(out), "the left bower may beat the ace"


def test_a_card_that_lies_there_can_be_beaten_by_some_of_the_claimer_only() -> None:
    led = dealt("JH", "order, discard 9S, play JD, play 9H, play AD", North="JD 9C TC JC QC",
                East="9H AC 9D TD QD", South="AD KS TS JS QS", West="9S AH KH QH TH")  # fmt: skip
    assert not claimed(led), "the right bower takes this trick, the ace does not"


def test_the_turn_up_that_the_dealer_took_is_in_no_other_hand() -> None:
    """North must follow to the nine of clubs; one trump is out that would take the king."""
    plays = "play KH, play JD, play TH, play 9H, play JC, play QC, play AC, play TC, play 9C"
    others: dict[str, Any] = {
        "North": "KH AH JH KC TC",
        "East": "JD JC 9D TD QD",
        "South": "TH QC KD AD 9S",
    }
    taken = dealt("QH", f"order, discard TS, {plays}", West="9H AC 9C TS JS", **others)
    assert claimed(taken), "East and South cannot hold it"
    named = f"pass, pass, pass, pass, make H, {plays}"
    turned_down = dealt("TS", named, West="9H AC 9C QH JS", **others)
    assert not claimed(turned_down), "for all that North knows one of them may"


def test_a_card_that_was_turned_down_can_beat_nobody() -> None:
    plays = "play JH, play 9C, play 9D, play TH, play JD, play TC, play TD, play 9S"
    done = f"pass, pass, pass, pass, make H, {plays}"
    hands: dict[str, Any] = {
        "North": "JH JD AH KH KC",
        "South": "9D TD QD KD AD",
        "West": "9S TS QS KS TH",
    }
    assert claimed(dealt("AC", done, East="9C TC QC JC AS", **hands))
    assert not claimed(dealt("JC", done, East="9C TC QC AC AS", **hands)), "the ace is somewhere"
