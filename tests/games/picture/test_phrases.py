"""The words of the table."""

from dataclasses import replace

import pytest

from games import rule_words
from games.engine.actions import parse_action
from games.engine.cards import (
    CLUBS,
    EFFECTIVE_SUIT,
    HEARTS,
    SUIT_NAMES,
    UNNAMED,
    mask_of,
    parse_card,
    parse_suit,
)
from games.engine.observation import Standing
from games.engine.rules import (
    CLASSIC_24,
    HEADS_UP,
    ORDER_UP,
    RULE_SETS,
    STICK_THE_DEALER,
)
from games.engine.scoring import DealResult
from games.picture import phrases
from games.picture.cast import cast_of
from games.picture.phrases import Sides, sides_for, sides_of
from tests.games.picture.scenes import (
    EAST,
    NAMES,
    NORTH,
    SOUTH,
    WEST,
)

FOUR = NAMES[4]


@pytest.mark.parametrize(
    ("card", "trump", "name"),
    [
        ("JD", HEARTS, "Jack of Diamonds, left bower"),
        ("JH", HEARTS, "Jack of Hearts, right bower"),
        ("AH", HEARTS, "Ace of Hearts, trump"),
        ("JS", HEARTS, "Jack of Spades"),
        ("JD", UNNAMED, "Jack of Diamonds"),
        ("TS", CLUBS, "10 of Spades"),
        ("JS", CLUBS, "Jack of Spades, left bower"),
        ("Jo", UNNAMED, "Joker"),
        ("Jo", HEARTS, "Joker, trump"),
    ],
)
def test_a_card_is_read_out_with_what_it_is_under_this_trump(
    card: str, trump: int, name: str
) -> None:
    assert phrases.card_name(parse_card(card), trump) == name


@pytest.mark.parametrize(
    ("action", "seat", "first_round", "said", "told"),
    [
        ("pass", NORTH, True, "Pass", "Ben passes"),
        ("pass", WEST, True, "Turn it down", "Ben turns it down"),
        ("pass", WEST, False, "Pass", "Ben passes"),
        ("order", NORTH, True, "Order it up", "Ben orders it up"),
        ("order", EAST, True, "Order it up", "Ben orders it up"),
        ("order alone", EAST, True, "Order it up, alone", "Ben orders it up, alone"),
        ("order", WEST, True, "Take it up", "Ben takes it up"),
        ("order alone", WEST, True, "Take it up, alone", "Ben takes it up, alone"),
        ("make D", NORTH, False, "Diamonds", "Ben calls diamonds"),
        ("make C alone", NORTH, False, "Clubs, alone", "Ben calls clubs, alone"),
    ],
)
def test_a_call_says_what_it_does(
    action: str, seat: int, first_round: bool, said: str, told: str
) -> None:
    made = parse_action(action)
    suit = SUIT_NAMES[made.value] if made.value >= 0 else ""
    for rules in RULE_SETS.values():
        call = phrases.call_of(
            made, rules=rules, seat=seat, dealer=WEST, first_round=first_round, turned=HEARTS
        )
        assert phrases.said(call, made) == said
        assert call.present.format(name="Ben", suit=suit) == told


@pytest.mark.parametrize(
    ("action", "seat", "first_round", "said"),
    [
        ("pass", NORTH, True, "I pass"),
        ("pass", WEST, True, "I turn it down"),
        ("pass", WEST, False, "I pass"),
        ("order", NORTH, True, "I order it up"),
        ("order alone", SOUTH, True, "I order it up, alone"),
        ("order", EAST, True, "I assist"),
        ("order", WEST, True, "I take it up"),
        ("make D", NORTH, False, "I make it next: diamonds"),
        ("make C alone", NORTH, False, "I cross it: clubs, alone"),
    ],
)
def test_the_old_words_of_a_call_are_those_of_its_position(
    action: str, seat: int, first_round: bool, said: str
) -> None:
    call = phrases.call_of(
        made := parse_action(action),
        rules=replace(CLASSIC_24, old_words=True),
        seat=seat,
        dealer=WEST,
        first_round=first_round,
        turned=HEARTS,
    )
    assert phrases.said(call, made) == said


def test_nobody_assists_in_heads_up() -> None:
    order, rules = parse_action("order"), replace(HEADS_UP, calls=ORDER_UP, old_words=True)
    call = phrases.call_of(order, rules=rules, seat=0, dealer=1, first_round=True, turned=HEARTS)
    assert call.said == "I order it up"


@pytest.mark.parametrize(
    ("action", "seat", "said", "told"),
    [
        ("order", NORTH, "Pick it up", "Iris says “pick it up”"),
        ("order alone", EAST, "Pick it up, alone", "Iris says “pick it up”, alone"),
        ("order", WEST, "I pick it up", "Iris picks it up"),
        ("order alone", WEST, "I pick it up, alone", "Iris picks it up, alone"),
        ("pass", WEST, "I turn it down", "Iris turns it down"),
    ],
)
def test_a_rule_set_may_accept_the_turn_up_with_pick_it_up(
    action: str, seat: int, said: str, told: str
) -> None:
    call = phrases.call_of(
        made := parse_action(action),
        rules=replace(STICK_THE_DEALER, old_words=True),
        seat=seat,
        dealer=WEST,
        first_round=True,
        turned=HEARTS,
    )
    assert phrases.said(call, made) == said
    assert call.present.format(name="Iris") == told


def test_a_rule_set_in_brief() -> None:
    assert rule_words.brief(HEADS_UP) == "Heads-up, to 10"


def sides(players: int, seat: int | None, maker: int) -> Sides:
    """The sides as a seat calls them, or as everybody does (None)."""
    cast = cast_of(NAMES[players])
    return sides_of(cast, maker) if seat is None else sides_for(cast, seat, maker)


@pytest.mark.parametrize(
    ("result", "seat", "told"),
    [
        (("euchre", 0, 2, 1, (3, 2)), SOUTH, "Us +2: Jonah called clubs and was euchred"),
        (("euchre", 0, 2, 1, (3, 2)), WEST, "Them +2: Jonah called clubs and was euchred"),
        (("euchre", 0, 2, 1, (3, 2)), EAST, "Them +2: you called clubs and were euchred"),
        (
            ("euchre", 0, 2, 1, (3, 2)),
            None,
            "Ben and Maeve +2: Jonah called clubs and was euchred",
        ),
        (("march", 1, 2, 1, (0, 5)), SOUTH, "March: them +2"),
        (("march", 1, 2, 1, (0, 5)), None, "March: Jonah and Iris +2"),
        (("lone march", 1, 4, 1, (0, 5)), EAST, "Alone, march: us +4"),
        (("made", 1, 1, 1, (2, 3)), SOUTH, "Them +1: Jonah’s side took three tricks"),
        (("alone", 1, 1, 1, (1, 4)), EAST, "Us +1: Jonah alone took four tricks"),
        (("alone", 1, 1, 1, (1, 4)), None, "Jonah and Iris +1: Jonah alone took four tricks"),
        (("skunk", 0, 4, 1, (5, 0)), SOUTH, "Us +4: Jonah’s side took no trick"),
    ],
)
def test_a_deal_ends_in_the_words_of_the_table(
    result: tuple[str, int, int, int, tuple[int, int]], seat: int | None, told: str
) -> None:
    maker = cast_of(FOUR)[EAST]
    assert phrases.deal_result(sides(4, seat, EAST), maker, CLUBS, DealResult(*result)) == told


@pytest.mark.parametrize(
    ("result", "maker", "told"),
    [
        (DealResult("made", 0, 1, 0, (4, 1)), SOUTH, "+1: you took four"),
        (DealResult("made", 1, 1, 1, (2, 3)), EAST, "-1: they took three"),
        (DealResult("march", 0, 2, 0, (5, 0)), NORTH, "+2: you took all five"),
        (DealResult("euchre", 0, 2, 1, (3, 2)), EAST, "+2: they were euchred"),
        (DealResult("euchre", 1, 2, 0, (1, 4)), NORTH, "-2: you were euchred"),
        (DealResult("lone march", 0, 4, 0, (5, 0)), SOUTH, "+4: you took all five, alone"),
        (DealResult("lone march", 1, 4, 1, (0, 5)), WEST, "-4: Iris took all five, alone"),
        (DealResult("thrown in", -1, 0, -1, (0, 0)), -1, "0: everybody passed"),
        (DealResult("folded", -1, 0, -1, (0, 0)), -1, "0: a hand was folded"),
    ],
)
def test_a_deal_played_alone_ends_in_points(result: DealResult, maker: int, told: str) -> None:
    person = cast_of(FOUR)[maker] if maker >= 0 else None
    assert phrases.own_result(result, SOUTH, person).replace("\N{MINUS SIGN}", "-") == told


@pytest.mark.parametrize(
    ("seat", "told"),
    [
        (0, "You +2: Maeve called clubs and was euchred"),
        (1, "Ben +2: you called clubs and were euchred"),
        (None, "Ben +2: Maeve called clubs and was euchred"),
    ],
)
def test_a_deal_in_heads_up_ends_with_names(seat: int | None, told: str) -> None:
    euchre, maker = DealResult("euchre", 0, 2, 1, (3, 2)), cast_of(NAMES[2])[1]
    assert phrases.deal_result(sides(2, seat, 1), maker, CLUBS, euchre) == told


@pytest.mark.parametrize(
    ("players", "winner", "seat", "told"),
    [
        (4, 0, SOUTH, "You win, 10–7"),
        (4, 0, EAST, "Ben and Maeve win, 10–7"),
        (4, 1, EAST, "You win, 10–7"),
        (4, 1, None, "Jonah and Iris win, 10–7"),
        (2, 0, 0, "You win, 10–7"),
        (2, 0, 1, "Ben wins, 10–7"),
        (2, 1, None, "Maeve wins, 10–7"),
    ],
)
def test_a_game_ends_in_the_words_of_the_table(
    players: int, winner: int, seat: int | None, told: str
) -> None:
    score = (10, 7) if winner == 0 else (7, 10)
    standing = Standing(score, 9, 9, over=True, winner=winner)
    assert phrases.game_result(sides(players, seat, -1), standing) == told


@pytest.mark.parametrize("seat", [SOUTH, None])
def test_a_tie_is_a_tie(seat: int | None) -> None:
    standing = Standing((6, 6), 8, 8, over=True, winner=-1)
    assert phrases.game_result(sides(4, seat, -1), standing) == "A tie, 6–6"


@pytest.mark.parametrize(
    ("score", "told"),
    [((7, 5), "7–5 for Ben and Maeve"), ((5, 7), "7–5 for Jonah and Iris"), ((5, 5), "5–5")],
)
def test_everybody_sees_whose_score_is_which(score: tuple[int, int], told: str) -> None:
    assert phrases.score_in_words(cast_of(FOUR), score) == told


@pytest.mark.parametrize(
    ("trump", "led", "hand", "named"),
    [
        ("S", "9S", "AS JC 9D", ""),
        ("S", "9S", "JC 9C 9D", "The jack of clubs (left bower) counts as a spade."),
        ("S", "JC", "AS 9C 9D", "The jack of clubs (left bower) counts as a spade."),
        ("S", "9C", "AC JC 9D", "The jack of clubs (left bower) counts as a spade."),
        ("S", "9D", "AD JC 9C", ""),
        ("S", "9C", "AC JS 9D", ""),
        ("H", "9H", "JD AD 9C", "The jack of diamonds (left bower) counts as a heart."),
        ("S", "Jo", "AS 9D 9C", "The joker counts as a spade."),
        ("S", "9S", "Jo 9D 9C", "The joker counts as a spade."),
        ("S", "9S", "Jo AS 9C", ""),
        ("S", "9C", "Jo AC 9D", ""),
        (
            "S",
            "9S",
            "Jo JC 9C",
            "The jack of clubs (left bower) and the joker count as spades.",
        ),
    ],
)
def test_a_card_that_counts_as_another_suit_is_named_where_it_decides(
    trump: str, led: str, hand: str, named: str
) -> None:
    suit, first = parse_suit(trump), parse_card(led)
    held = mask_of(parse_card(card) for card in hand.split())
    suit_name = SUIT_NAMES[EFFECTIVE_SUIT[suit][first]]
    said = phrases.must_follow(suit, first, held)
    assert said == f"You must follow {suit_name}. {named}".strip()


def test_without_trump_no_bower_is_named() -> None:
    held = mask_of([parse_card("JC"), parse_card("AC")])
    assert phrases.must_follow(UNNAMED, parse_card("9C"), held) == "You must follow clubs."
