"""The verifiable shuffle, against its published test vectors."""

from dataclasses import replace

import pytest

from games.engine.cards import card_text, cards_in
from games.engine.deal import Deal
from games.engine.errors import RuleSetError
from games.engine.game_notation import cards_text
from games.engine.rules import CLASSIC_24, HEADS_UP, JOKER_33, RuleSet
from games.engine.shuffle import (
    NOTHING,
    commit,
    commit_seat,
    first_dealer,
    mix,
    shuffled,
    written_flags,
)
from tests.engine.build import cards, push
from tests.engine.texts import parse_cards

MATCH = bytes(range(16))
SECRET = b"\xa5" * 32
COMMITMENT = bytes.fromhex("de7683e474b143d790a63590af8f1705251966a1a79b1884591d47eb38d17cea")
MIXED = {
    4: bytes.fromhex("5d1c75a61eb6caaae81bc6b1747fc4c861e7b23ab485e05f11d55e7e375ccf2b"),
    2: bytes.fromhex("efa6eb996ebf8a01465ce6f06fb886673b6568a153fb5c8cf9b2b95ba79b1f62"),
}
VECTORS = [
    (
        CLASSIC_24,
        "TD 9S QS AH AD 9H AS KH KS QC JC JS AC 9D QH QD TH TS JD JH TC KD 9C KC",
        0,
        "TC",
        "QC JC JS JD JH",
    ),
    (
        JOKER_33,
        (
            "7D TC AS KC 8H KD 9D 7S 8S JH Jo AD QS 9C TS QD QH AH 7H JC KS 9S AC JS JD 9H QC "
            "TD 8D 8C KH 7C TH"
        ),
        16,
        "KC",
        "9H QC TD TC AS",
    ),
    (
        HEADS_UP,
        "AD TS JS JH KS QS KH TC JC TD KD KC AH 9C 9S AC JD QH TH 9H AS QC QD 9D",
        0,
        "KD",
        "AD JS KS KH JC",
    ),
]


def contributed(seats: int) -> tuple[list[bytes], list[bytes]]:
    """What honest seats throw in: their commitments and their numbers."""
    numbers = [bytes([seat + 1]) * 32 for seat in range(seats)]
    promised = [commit_seat(MATCH, COMMITMENT, seat, number) for seat, number in enumerate(numbers)]
    return promised, numbers


def test_the_commitment_is_the_published_one() -> None:
    assert commit(MATCH, SECRET) == COMMITMENT


@pytest.mark.parametrize("seats", [4, 2])
def test_seats_and_secret_are_mixed_as_published(seats: int) -> None:
    assert mix(MATCH, COMMITMENT, *contributed(seats)) == MIXED[seats]


@pytest.mark.parametrize(("seats", "dealer"), [(4, 0), (2, 1)])
def test_the_first_dealer(seats: int, dealer: int) -> None:
    assert first_dealer(SECRET, MIXED[seats], seats) == dealer


@pytest.mark.parametrize(
    ("rules", "pack", "cut", "turn_up", "hand"), VECTORS, ids=lambda value: str(value)[:12]
)
def test_the_first_deal(rules: RuleSet, pack: str, cut: int, turn_up: str, hand: str) -> None:
    mixed = MIXED[rules.players]
    order, automatic = shuffled(rules, SECRET, mixed, 0)
    assert (cards_text(order), automatic) == (pack, cut)
    deal = Deal.from_pack(rules, first_dealer(SECRET, mixed, rules.players), order)
    push(deal, f"cut {cut}" if rules.cut else "")
    assert card_text(deal.turn_up) == turn_up
    assert deal.hands[0] == cards(hand)


def test_every_deal_has_a_shuffle_of_its_own() -> None:
    packs = [shuffled(JOKER_33, SECRET, MIXED[4], number)[0] for number in range(20)]
    assert len(set(packs)) == 20
    assert all(sorted(pack) == sorted(JOKER_33.pack_in_order()) for pack in packs)


def test_the_automatic_cut_stays_within_its_bounds_and_reaches_both() -> None:
    cuts = {shuffled(JOKER_33, SECRET, MIXED[4], number)[1] for number in range(400)}
    assert (min(cuts), max(cuts)) == (4, 29)


def test_a_seat_that_sent_nothing_or_something_else_counts_as_zeros_and_is_flagged() -> None:
    promised, numbers = contributed(4)
    wrong = [b"\x09" * 32, *numbers[1:]]
    silent = [NOTHING, *numbers[1:]]
    assert mix(MATCH, COMMITMENT, promised, wrong) == mix(MATCH, COMMITMENT, promised, silent)
    assert mix(MATCH, COMMITMENT, promised, wrong) != MIXED[4]
    nobody = mix(MATCH, COMMITMENT, [NOTHING] * 4, [NOTHING] * 4)
    assert nobody == mix(MATCH, COMMITMENT, [NOTHING] * 4, numbers)


def test_a_promised_number_of_a_wrong_length_counts_as_none() -> None:
    promised, numbers = contributed(4)
    short = b"\x01" * 31
    promised[0] = commit_seat(MATCH, COMMITMENT, 0, short)
    told = mix(MATCH, COMMITMENT, promised, [short, *numbers[1:]])
    assert told == mix(MATCH, COMMITMENT, promised, [NOTHING, *numbers[1:]])


def test_the_uncut_pack_is_dealt_as_it_lies() -> None:
    order, _ = shuffled(CLASSIC_24, SECRET, MIXED[4], 0)
    deal = Deal.from_pack(CLASSIC_24, 3, order)
    assert set(cards_in(deal.hands[0])) == set(order[0:3] + order[12:14])
    assert set(parse_cards("TD 9S QS AC 9D")) == set(cards_in(deal.hands[0]))


def test_flags_of_many_seats_are_written_in_hexadecimal() -> None:
    assert written_flags(0b101, 4) == 5
    assert written_flags(1 << 11 | 1, 12) == "0801"


def test_thrown_in_hands_count_only_in_games_of_a_number_of_hands() -> None:
    with pytest.raises(RuleSetError, match="only where a game has a number of deals"):
        replace(CLASSIC_24, thrown_in_counts=True)
