"""Hands without trumps, high and low."""

from dataclasses import replace

import pytest

from games.engine.actions import parse_action
from games.engine.cards import HIGH, JOKER, LOW, STRENGTH, SUIT_MASK, UNNAMED, parse_card
from games.engine.claiming import may_claim
from games.engine.deal import Deal
from games.engine.errors import IllegalActionError
from games.engine.game_notation import cards_text
from games.engine.rules import CLASSIC_24, NO_TRUMP_HIGH, NO_TRUMP_HIGH_OR_LOW
from games.engine.solver import Position, best_tricks
from games.engine.tricks import playable, winner
from tests.engine.build import cards, deal, push
from tests.engine.texts import parse_cards

HIGH_ONLY = replace(CLASSIC_24, no_trump=NO_TRUMP_HIGH)
BOTH = replace(CLASSIC_24, no_trump=NO_TRUMP_HIGH_OR_LOW)
NORTH, EAST, SOUTH, WEST = range(4)


def second_round(rules: object = BOTH, done: str = "") -> Deal:
    """North to speak in the second round, hearts turned down; North has the four aces."""
    turned_down = ", ".join(["pass"] * 4 + ([done] if done else []))
    return deal(
        "QH",
        turned_down,
        rules=rules,  # type: ignore[arg-type]
        North="AC AD AH AS KS",
        East="9C 9D 9H 9S TC",
        South="KC KD KH QS QC",
        West="JC JD JH JS QD",
    )


@pytest.mark.parametrize(
    ("rules", "offered"),
    [
        (CLASSIC_24, "pass, make C, make C alone, make D, make D alone, make S, make S alone"),
        (HIGH_ONLY, "make S, make S alone, make NT, make NT alone"),
        (BOTH, "make NT, make NT alone, make LNT, make LNT alone"),
        (replace(BOTH, alone=False), "make S, make NT, make LNT"),
    ],
)
def test_it_is_offered_in_the_second_round_after_the_suits(rules: object, offered: str) -> None:
    legal = ", ".join(map(str, second_round(rules).legal_actions()))
    assert legal.endswith(offered)


def test_it_is_refused_in_the_first_round_and_where_the_rules_lack_it() -> None:
    with pytest.raises(IllegalActionError, match=r"You cannot make NT now \(first round\)"):
        push(deal("QH", rules=BOTH), "make NT")
    with pytest.raises(IllegalActionError, match=r"You cannot make LNT now \(second round\)"):
        push(second_round(HIGH_ONLY), "make LNT")


def test_texts_read_back() -> None:
    for text in ("make NT", "make NT alone", "make LNT", "make LNT alone"):
        assert str(parse_action(text)) == text


def test_a_jack_ranks_between_queen_and_ten_in_its_own_suit() -> None:
    for trump, order in ((HIGH, "AD KD QD JD TD 9D"), (LOW, "9D TD JD QD KD AD")):
        strength = STRENGTH[trump][1]
        ranked = sorted(parse_cards(order), key=lambda card: -strength[card])
        assert cards_text(ranked) == order
        assert SUIT_MASK[trump][trump] == 0


@pytest.mark.parametrize(
    ("trump", "trick", "taker"),
    [
        (HIGH, "9C AC JS AS", 1),
        (HIGH, "JD AH JH QD", 3),
        (LOW, "TC AC 9S 9C", 3),
        (LOW, "JD 9H TD AD", 2),
    ],
)
def test_the_best_card_of_the_suit_led_takes_the_trick(trump: int, trick: str, taker: int) -> None:
    assert winner(trump, list(enumerate(parse_cards(trick)))) == taker
    assert playable(trump, [(0, parse_card("JD"))], cards("JH QD AS")) == cards("QD")


def test_aces_take_all_five_tricks_and_no_trump_scores_like_a_suit() -> None:
    made = second_round(done="make NT")
    assert (made.trump, made.turn_up_at, made.turn) == (HIGH, "turned down", NORTH)
    assert best_tricks(Position.of(made.observe(), made.hands)) == 5
    assert may_claim(made.observe(NORTH))
    while made.result is None:
        made.push(made.legal_actions()[0])
    assert made.result[:3] == ("march", 0, 2)


def test_nines_take_all_tricks_if_low() -> None:
    made = second_round(done="make LNT alone")
    assert (made.trump, made.sitting_out) == (LOW, (SOUTH,))
    assert best_tricks(Position.of(made.observe(), made.hands)) == 0
    assert not may_claim(made.observe(NORTH))
    push(made, "play AC, play 9C")
    assert made.plays[-1] == (EAST, parse_card("9C"))
    push(made, "play JC")
    assert made.tricks[0].winner == EAST
    assert may_claim(made.observe(EAST))


def test_before_it_is_made_there_is_no_trump() -> None:
    assert second_round().trump == UNNAMED
    assert SUIT_MASK[UNNAMED][UNNAMED] >> JOKER & 1
