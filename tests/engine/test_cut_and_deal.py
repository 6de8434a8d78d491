"""The cut, the packets and the turn-up."""

from dataclasses import replace

import pytest

from games.engine.actions import parse_action
from games.engine.cards import JOKER, cards_in
from games.engine.deal import Deal
from games.engine.errors import IllegalActionError, MalformedError
from games.engine.game_notation import cards_text
from games.engine.observation import CUTTING, FIRST_ROUND
from games.engine.rules import CLASSIC_24, HEADS_UP, JOKER_33, STICK_THE_DEALER, RuleSet
from tests.engine.build import cards, push, seat
from tests.engine.texts import parse_cards

IN_ORDER_24 = CLASSIC_24.pack_in_order()


def hands_of(deal: Deal) -> list[str]:
    return [cards_text(tuple(cards_in(hand))) for hand in deal.hands]


def test_five_each_by_three_and_two_from_dealers_left_then_the_turn_up() -> None:
    deal = Deal.from_pack(CLASSIC_24, seat("North"), IN_ORDER_24)
    assert deal.hands[seat("East")] == cards("9C TC JC 9H TH")
    assert deal.hands[seat("South")] == cards("QC KC AC JH QH")
    assert deal.hands[seat("West")] == cards("9D TD JD KH AH")
    assert deal.hands[seat("North")] == cards("QD KD AD 9S TS")
    assert cards_text([deal.turn_up]) == "JS"
    assert (deal.phase, deal.turn) == (FIRST_ROUND, seat("East"))


def test_cards_are_dealt_two_and_three_at_a_time() -> None:
    deal = Deal.from_pack(STICK_THE_DEALER, seat("West"), IN_ORDER_24)
    assert deal.hands[seat("North")] == cards("9C TC JD QD KD")


def test_a_dealer_may_reverse_the_packets_where_the_rules_leave_that_open() -> None:
    rules = replace(STICK_THE_DEALER, reversed_by=1 << seat("West"))
    deal = Deal.from_pack(rules, seat("West"), IN_ORDER_24)
    assert deal.hands[seat("North")] == cards("9C TC JC 9H TH")
    other = Deal.from_pack(rules, seat("North"), IN_ORDER_24)
    assert other.hands[seat("East")] == cards("9C TC JD QD KD")


def test_two_players_are_dealt_one_card_at_a_time_non_dealer_first() -> None:
    deal = Deal.from_pack(HEADS_UP, seat("South", HEADS_UP), IN_ORDER_24)
    assert hands_of(deal) == ["9C JC KC 9D JD", "TC QC AC TD QD"]
    assert cards_text([deal.turn_up]) == "KD"
    assert deal.turn == seat("North", HEADS_UP)


def test_the_player_at_dealers_right_cuts_and_the_top_packet_goes_under_the_rest() -> None:
    deal = Deal.from_pack(JOKER_33, seat("North"), JOKER_33.pack_in_order())
    assert (deal.phase, deal.turn) == (CUTTING, seat("West"))
    assert deal.hands == [0, 0, 0, 0]
    push(deal, "cut 29")
    assert deal.hands[seat("East")] == cards("QS KS AS 7D 8D")
    assert deal.hands[seat("South")] == cards("Jo 7C 8C 9D TD")
    assert cards_text([deal.turn_up]) == "7H"


def test_the_cut_leaves_at_least_four_cards_in_each_packet() -> None:
    deal = Deal.from_pack(JOKER_33, seat("North"), JOKER_33.pack_in_order())
    lifts = [action.value for action in deal.legal_actions()]
    assert lifts == list(range(4, 30))
    for words in ("cut 0", "cut 3", "cut 30", "cut 33"):
        with pytest.raises(IllegalActionError, match="you may: cut 4 to cut 29"):
            deal.push(parse_action(words))


def test_two_players_may_cut_too() -> None:
    rules = replace(HEADS_UP, cut=True)
    deal = Deal.from_pack(rules, seat("North", rules), IN_ORDER_24)
    assert (deal.phase, deal.turn) == (CUTTING, seat("South", rules))


@pytest.mark.parametrize("rules", [CLASSIC_24, JOKER_33, HEADS_UP])
def test_a_pack_must_hold_every_card_once(rules: RuleSet) -> None:
    pack = rules.pack_in_order()
    for wrong in (pack[1:], pack[1:] + pack[1:2], (*pack, JOKER), ()):
        with pytest.raises(MalformedError, match=f"not a pack of {rules.pack} cards"):
            Deal.from_pack(rules, 0, wrong)


@pytest.mark.parametrize("dealer", [-1, 4, 99])
def test_a_dealer_must_have_a_seat(dealer: int) -> None:
    with pytest.raises(MalformedError, match=f"There is no seat {dealer}: the seats are 0 to 3"):
        Deal.from_pack(CLASSIC_24, dealer, IN_ORDER_24)


def test_dealt_cards_must_be_five_each_all_different_and_in_the_pack() -> None:
    hands = [parse_cards(hand) for hand in ("9C TC JC QC KC", "9D TD JD QD KD")]
    for few in (hands[:1], [hands[0], hands[1][1:]], [*hands, hands[0]]):
        with pytest.raises(MalformedError, match="2 hands of 5 cards are needed"):
            Deal.from_cards(HEADS_UP, 0, few, 31)
    for up in ("9C", "7C", "Jo"):
        with pytest.raises(MalformedError, match="duplicated or not in the pack of 24"):
            Deal.from_cards(HEADS_UP, 0, hands, *parse_cards(up))
    with pytest.raises(MalformedError, match="duplicated or not in the pack of 24"):
        Deal.from_cards(HEADS_UP, 0, [hands[0], hands[0]], 31)
