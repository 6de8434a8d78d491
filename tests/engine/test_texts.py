"""Deals and games as text that reads back the same."""

from dataclasses import replace

import pytest

from games.engine.actions import NEXT_DEAL, PASSED, parse_action
from games.engine.errors import IllegalActionError, MalformedError, OutOfTurnError, RuleSetError
from games.engine.game_notation import HEADER, GameRecord, cards_text, game_text
from games.engine.rules import CLASSIC_24, HEADS_UP, JOKER_33
from tests.engine.build import deal, hearts
from tests.engine.texts import (
    deal_text,
    parse_cards,
    parse_deal,
    parse_game,
    parse_seat,
    replay_record,
)

PACK = CLASSIC_24.pack_in_order()
PACK_TEXT = cards_text(PACK)
RECORD = GameRecord(CLASSIC_24, 3, (PACK, PACK[::-1]), (*[PASSED] * 8, NEXT_DEAL, PASSED))
LINES = game_text(RECORD).splitlines()


def with_line(number: int, line: str) -> str:
    """The game with another line in place of one, counted from 1."""
    return "\n".join([*LINES[: number - 1], line, *LINES[number:]])


def test_a_deal_from_dealt_cards_in_one_line() -> None:
    text = deal_text(hearts("pass, order, discard QS"))
    assert text == (
        "West deals up QH North 9C TC 9H TH JS East AC JD JH AH AS South QC KC KH 9S TS "
        "West 9D TD QD QS KS : pass, order, discard QS"
    )
    assert deal_text(parse_deal(CLASSIC_24, text)) == text


def test_a_deal_from_a_pack_in_one_line() -> None:
    text = f"South deals pack {PACK_TEXT} : pass, order alone"
    state = parse_deal(CLASSIC_24, text)
    assert (state.dealer, state.alone) == (2, True)
    assert deal_text(state) == text


def test_a_deal_that_waits_for_its_cut() -> None:
    text = f"North deals pack {cards_text(JOKER_33.pack_in_order())} :"
    assert deal_text(parse_deal(JOKER_33, text)) == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "A deal reads: West deals pack"),
        ("West deals pack", "A deal reads"),
        ("West gives pack 9C :", "A deal reads"),
        ("Up deals pack 9C :", "'Up' is not a seat: one of North, East, South, West"),
        ("West deals deck 9C :", "'deck' does not start a deal: pack or up does"),
        ("West deals pack 9C :", "not a pack of 24 cards"),
        (f"West deals pack {PACK_TEXT} : sing", "'sing' is not an action"),
        ("West deals up :", "'' is not a card"),
        ("West deals up QH 9C :", "'9C' stands before the first seat"),
        ("West deals up QH North 9C :", "4 hands of 5 cards are needed"),
        ("West deals up QH North North :", "4 hands of 5 cards are needed"),
    ],
)
def test_a_text_that_is_no_deal_is_malformed(text: str, why: str) -> None:
    with pytest.raises(MalformedError, match=why):
        parse_deal(CLASSIC_24, text)


def test_every_action_of_a_deal_is_checked() -> None:
    with pytest.raises(IllegalActionError, match="cannot make H now"):
        parse_deal(CLASSIC_24, f"West deals pack {PACK_TEXT} : make H")


def test_seats_of_two_players() -> None:
    assert [parse_seat(HEADS_UP, name) for name in ("North", "South")] == [0, 1]
    with pytest.raises(MalformedError, match="'East' is not a seat: one of North, South"):
        parse_seat(HEADS_UP, "East")


def test_a_game_is_a_head_and_its_deals() -> None:
    assert LINES[0] == HEADER == "bower game 1"
    assert LINES[1].startswith('rules {"key": "classic-24", "name": "Classic, 24 cards"')
    assert LINES[2:] == [
        "first dealer West",
        f"deal {PACK_TEXT}",
        "  North pass, East pass, South pass, West pass",
        "  North pass, East pass, South pass, West pass",
        "next",
        f"deal {cards_text(PACK[::-1])}",
        "  East pass",
    ]


def test_a_game_reads_back() -> None:
    record = parse_game(game_text(RECORD))
    assert record == RECORD
    assert replay_record(record).version == 10


def test_a_game_without_actions_reads_back() -> None:
    record = GameRecord(CLASSIC_24, 0, (PACK,), ())
    assert parse_game(game_text(record)) == record


def test_comments_and_empty_lines_mean_nothing() -> None:
    text = "# a game\n\n" + game_text(RECORD).replace("next\n", "  # over\nnext\n\n")
    assert parse_game(text) == RECORD


@pytest.mark.parametrize("name", ["Zum Löwen", 'a "name"', "\\n", "# name", "deal ", "日本"])
def test_a_rule_set_of_any_name_reads_back(name: str) -> None:
    rules = replace(CLASSIC_24, name=name.strip())
    assert parse_game(game_text(RECORD._replace(rules=rules))).rules == rules


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "A game starts with the line 'bower game 1'"),
        ("bower game 2", "A game starts with the line 'bower game 1'"),
        (HEADER, "The second line of a game gives the rules"),
        (with_line(2, "rules {"), "must be in JSON"),
        (with_line(2, f"rules {'[' * 99999}"), "must be in JSON"),
        (with_line(2, f"rules {'9' * 9999}"), "must be in JSON"),
        (with_line(3, "first dealer Up"), "'Up' is not a seat"),
        (with_line(3, "dealer West"), "The third line of a game names the first dealer"),
        ("\n".join(LINES[:3]), "The pack of deal 1 is missing"),
        (with_line(4, "deal 9C"), "not a pack of 24 cards"),
        (with_line(4, "deal 9C 1C"), "Line 4: '1C' is not a card"),
        (with_line(5, "  North passes"), "Line 5: 'passes' is not an action"),
        (with_line(5, "  Up pass"), "Line 5: 'Up' is not a seat"),
        (with_line(5, "pass"), "Line 5: '' is not an action"),
        ("\n".join(LINES[:-2]), "Line 7: The pack of deal 2 is missing"),
        (with_line(8, "deal 9C"), "Line 7: That is not a pack of 24 cards"),
        (with_line(9, LINES[3]), "Line 9: A pack stands once, at the head of its deal"),
        ("\n".join([*LINES[:4], *LINES[7:8], *LINES[4:7]]), "Line 5: A pack stands once"),
        ("\n".join([*LINES[:3], LINES[4], LINES[3]]), "Line 4: A pack stands once"),
    ],
)
def test_a_text_that_is_no_game_is_malformed_and_names_the_line(text: str, why: str) -> None:
    with pytest.raises(MalformedError) as error:
        parse_game(text)
    assert why in str(error.value)


def test_what_could_not_have_been_played_names_the_line() -> None:
    with pytest.raises(IllegalActionError, match="Line 5: You cannot make H now"):
        parse_game(with_line(5, "North make H"))
    with pytest.raises(OutOfTurnError, match="Line 9: It is East's turn"):
        parse_game(with_line(9, "South pass"))
    with pytest.raises(IllegalActionError, match="Line 10: You cannot deal the next hand"):
        parse_game("\n".join([*LINES, "next"]))


@pytest.mark.parametrize("rules", ["[]", "null", "NaN", "7", '{"players": 3}', '{"key": []}'])
def test_rules_that_make_no_sense_are_refused_as_such(rules: str) -> None:
    with pytest.raises(RuleSetError):
        parse_game(with_line(2, f"rules {rules}"))


def test_a_game_refuses_what_its_record_does_not_hold() -> None:
    with pytest.raises(MalformedError, match="The pack of deal 2 is missing"):
        replay_record(RECORD._replace(packs=(PACK,)))


def test_cards_in_a_row() -> None:
    assert cards_text(parse_cards("  9C \t Jo ")) == "9C Jo"
    assert parse_cards("") == ()


def test_an_action_says_what_it_is() -> None:
    assert str(parse_action("make H alone")) == "make H alone"
    assert deal_text(deal("QH", "order, discard QH")).endswith("order, discard QH")
