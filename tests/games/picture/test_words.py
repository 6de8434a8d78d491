"""The words of the table."""

import pytest

from games.engine.actions import parse_action
from games.engine.cards import CLUBS, HEARTS, NO_TRUMP, SUIT_NAMES, parse_card
from games.engine.deal import Deal
from games.engine.observation import Standing
from games.engine.rules import HEADS_UP, JOKER_33, PACK_SETS, RULE_SETS, STICK_THE_DEALER
from games.engine.scoring import DealResult
from games.picture import logbook, rule_words, words
from games.picture.cast import cast_of
from games.picture.prompts import Prompt, prompt_of
from games.picture.scene import PERSON, SeatView, View
from tests.games.picture.scenes import (
    EAST,
    NAMES,
    NORTH,
    SOUTH,
    WEST,
    deal,
    gathering,
    moments,
    view,
    views,
)

FOUR = NAMES[4]


def asked(shown: View, seat: int | None) -> Prompt:
    """The prompt of a view from a seat."""
    return prompt_of(shown, cast_of(tuple(one.name for one in shown.scene.seats), seat))


@pytest.mark.parametrize(
    ("for_him", "head", "labels"),
    [
        (False, "Cut the pack", ["Cut here", "Cut for me"]),
        (True, "The pack is cut for you", []),
    ],
)
def test_whoever_leaves_the_cut_to_the_table_is_not_asked(
    for_him: bool, head: str, labels: list[str]
) -> None:
    made = Deal.from_pack(JOKER_33, WEST, sorted(PACK_SETS[33]))
    seats = tuple(SeatView(name, PERSON, cut_for_him=for_him) for name in FOUR)
    prompt = asked(view(made, made.turn, seats=seats), made.turn)
    assert (prompt.head, [button.label for button in prompt.buttons]) == (head, labels)
    assert bool(prompt.waits_for) is not for_him


@pytest.mark.parametrize(
    ("card", "trump", "name"),
    [
        ("JD", HEARTS, "Jack of Diamonds, left bower"),
        ("JH", HEARTS, "Jack of Hearts, right bower"),
        ("AH", HEARTS, "Ace of Hearts, trump"),
        ("JS", HEARTS, "Jack of Spades"),
        ("JD", NO_TRUMP, "Jack of Diamonds"),
        ("TS", CLUBS, "Ten of Spades"),
        ("JS", CLUBS, "Jack of Spades, left bower"),
        ("Jo", NO_TRUMP, "Joker"),
        ("Jo", HEARTS, "Joker, trump"),
    ],
)
def test_a_card_is_read_out_with_what_it_is_under_this_trump(
    card: str, trump: int, name: str
) -> None:
    assert words.card_name(parse_card(card), trump) == name


def test_the_viewer_sits_at_the_bottom_and_the_next_player_to_his_left() -> None:
    places = {person.compass: person.at for person in cast_of(FOUR, EAST)}
    assert places == {"East": "south", "South": "west", "West": "north", "North": "east"}


def test_a_spectator_sees_south_at_the_bottom_and_is_nobody() -> None:
    cast = cast_of(FOUR, None)
    assert cast[SOUTH].at == "south"
    assert not any(person.you or person.partner for person in cast)


def test_heads_up_has_but_two_places() -> None:
    assert [person.at for person in cast_of(NAMES[2], 0)] == ["south", "north"]


def test_only_the_seat_opposite_is_the_partner() -> None:
    cast = cast_of(FOUR, SOUTH)
    assert [person.partner for person in cast] == [True, False, False, False]
    assert [person.partner for person in cast_of(NAMES[2], 0)] == [False, False]


@pytest.mark.parametrize(
    ("names", "shorts"),
    [
        (("Ben Okafor", "Jonah", "Maeve", "Iris"), ["Ben", "Jonah", "Maeve", "Iris"]),
        (
            ("Ben Okafor", "Ben Pike", "Maeve", "Iris"),
            ["Ben Okafor", "Ben Pike", "Maeve", "Iris"],
        ),
        (("Ben", "Ben", "Maeve", ""), ["Ben (North)", "Ben (East)", "Maeve", "West"]),
        (("East", "", "Maeve", "Iris"), ["East (North)", "East (East)", "Maeve", "Iris"]),
        (("You", "Ben", "Maeve", "Iris"), ["You (North)", "Ben", "Maeve", "Iris"]),
    ],
)
def test_short_names_tell_people_apart(names: tuple[str, ...], shorts: list[str]) -> None:
    assert [person.short for person in cast_of(names, None)] == shorts


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
def test_a_call_is_called_by_its_position(
    action: str, seat: int, first_round: bool, said: str
) -> None:
    call = words.call_of(
        parse_action(action),
        seat=seat,
        dealer=WEST,
        players=4,
        first_round=first_round,
        turned=HEARTS,
    )
    assert call.said == said


def test_nobody_assists_in_heads_up() -> None:
    order = parse_action("order")
    call = words.call_of(order, seat=0, dealer=1, players=2, first_round=True, turned=HEARTS)
    assert call.said == "I order it up"


@pytest.mark.parametrize(
    ("result", "seat", "told"),
    [
        (("euchre", 0, 2, 1, (3, 2)), SOUTH, "Us +2: Jonah’s side was euchred"),
        (("euchre", 0, 2, 1, (3, 2)), WEST, "Them +2: your side was euchred"),
        (("euchre", 0, 2, 1, (3, 2)), None, "North–South +2: Jonah’s side was euchred"),
        (("march", 1, 2, 1, (0, 5)), SOUTH, "March: them +2"),
        (("lone march", 1, 4, 1, (0, 5)), EAST, "Alone, march: us +4"),
        (("made", 1, 1, 1, (2, 3)), SOUTH, "Them +1: Jonah’s side took three tricks"),
        (("alone", 1, 1, 1, (1, 4)), EAST, "Us +1: you alone took four tricks"),
        (("skunk", 0, 4, 1, (5, 0)), SOUTH, "Us +4: Jonah’s side took no trick"),
    ],
)
def test_a_deal_ends_in_the_words_of_the_table(
    result: tuple[str, int, int, int, tuple[int, int]], seat: int | None, told: str
) -> None:
    assert words.deal_result(cast_of(FOUR, seat), DealResult(*result), EAST) == told


def test_a_deal_in_heads_up_ends_with_names() -> None:
    euchre = DealResult("euchre", 0, 2, 1, (3, 2))
    assert words.deal_result(cast_of(NAMES[2], 0), euchre, 1) == "You +2: Maeve was euchred"
    assert words.deal_result(cast_of(NAMES[2], 1), euchre, 1) == "Ben +2: you were euchred"


@pytest.mark.parametrize(
    ("winner", "seat", "told"),
    [
        (0, SOUTH, "You win, 10–7"),
        (0, EAST, "Ben and Maeve win, 10–7"),
        (1, None, "Jonah and Iris win, 10–7"),
    ],
)
def test_a_game_ends_in_the_words_of_the_table(winner: int, seat: int | None, told: str) -> None:
    score = (10, 7) if winner == 0 else (7, 10)
    standing = Standing(score, 9, 9, over=True, winner=winner)
    assert words.game_result(cast_of(FOUR, seat), standing) == told


def test_a_tie_is_a_tie() -> None:
    standing = Standing((6, 6), 8, 8, over=True, winner=-1)
    assert words.game_result(cast_of(FOUR, SOUTH), standing) == "A tie, 6–6"


# What is asked ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("passes", "labels", "more"),
    [
        (
            0,
            ["Pass", "I order it up", "I order it up, alone"],
            "hearts would be trump. Iris deals.",
        ),
        (1, ["Pass", "I assist", "I assist, alone"], "hearts would be trump. Iris deals."),
        (3, ["I turn it down", "I take it up", "I take it up, alone"], "You deal."),
    ],
)
def test_the_first_round_asks_by_position(passes: int, labels: list[str], more: str) -> None:
    made = deal(*["pass"] * passes)
    prompt = asked(view(made, made.turn), made.turn)
    assert (prompt.head, prompt.more) == ("Your call", more)
    assert [button.label for button in prompt.buttons] == labels
    assert [button.plain for button in prompt.buttons] == [True, False, True]


def test_the_second_round_offers_next_before_the_crosses() -> None:
    made = deal(*["pass"] * 4)
    prompt = asked(view(made, NORTH), NORTH)
    assert [suit.label for suit in prompt.suits] == [
        "I make it next: diamonds",
        "I cross it: clubs",
        "I cross it: spades",
    ]
    assert prompt.alone
    assert [button.label for button in prompt.buttons] == ["Pass"]


def test_the_one_before_a_stuck_dealer_is_warned() -> None:
    made = deal(*["pass"] * 6, rules=STICK_THE_DEALER)
    assert asked(view(made, SOUTH), SOUTH).more == "If you pass, Iris must name a suit."


def test_a_stuck_dealer_has_no_pass() -> None:
    made = deal(*["pass"] * 7, rules=STICK_THE_DEALER)
    prompt = asked(view(made, WEST), WEST)
    assert (prompt.head, prompt.buttons) == ("You must name a suit", ())


def test_the_dealer_may_discard_what_he_took_up() -> None:
    prompt = asked(view(deal("order"), WEST), WEST)
    assert prompt.head == "Discard one card"
    assert prompt.more == "You took up the king. You may discard that one too."


PLAY = ("order", "discard TD")


@pytest.mark.parametrize(
    ("plays", "head", "more"),
    [
        ([], "Your turn: lead any card", "You lead to the first trick."),
        (
            ["play 9C"],
            "Your turn: play any card",
            "Ben led the nine. You have no clubs.",
        ),
        (
            ["play 9H"],
            "Your turn: follow hearts",
            "Ben led the nine. Only your ace of hearts can be played.",
        ),
        (["play QS"], "Your turn: follow spades", "Ben led the queen."),
    ],
)
def test_the_play_says_what_may_be_played(plays: list[str], head: str, more: str) -> None:
    made = deal(*PLAY, *plays)
    prompt = asked(view(made, made.turn), made.turn)
    assert (prompt.head, prompt.more, prompt.waits_for) == (head, more, "card")


def test_a_left_bower_led_asks_for_trump() -> None:
    made = deal("pass", "pass", "order", "discard TD", "play 9C", "play AD", "play JD", "play AC")
    assert asked(view(made, SOUTH), SOUTH).head == "Your turn: lead any card"
    made.push(parse_action("play JH"))
    assert asked(view(made, WEST), WEST).head == "Your turn: follow hearts"


def test_others_are_told_whose_turn_it_is() -> None:
    assert asked(view(deal(*PLAY), EAST), EAST) == Prompt("Ben’s turn.")
    assert asked(view(deal("pass"), SOUTH), SOUTH) == Prompt("Jonah is deciding.")
    assert asked(view(deal("order"), SOUTH), SOUTH) == Prompt("Iris is discarding.")
    assert asked(view(deal(*PLAY), None), None).more == "You are watching."


def test_who_sits_out_is_told_why() -> None:
    made = deal("order alone", "discard TD")
    assert asked(view(made, SOUTH), SOUTH).more == "Ben plays alone: you sit out."


def test_an_empty_seat_is_waited_for_and_then_filled() -> None:
    made = deal(*PLAY)
    soon = asked(view(made, SOUTH, wait=42), SOUTH)
    assert (soon.head, soon.refresh_in, soon.buttons) == ("Waiting for Ben", 42, ())
    now = asked(view(made, SOUTH, wait=0), SOUTH)
    assert [button.value for button in now.buttons] == ["stand-in"]
    assert asked(view(made, None, wait=0), None).buttons == ()
    assert asked(view(made, NORTH, wait=0), NORTH).waits_for == "card"


def test_a_private_table_shows_its_players_the_way_in() -> None:
    assert asked(gathering(SOUTH, open=False), SOUTH).invite == "/tables/4/join/word/"
    assert asked(gathering(SOUTH), SOUTH).invite == ""
    assert asked(gathering(None, open=False), None) == Prompt("Choose a seat", "One seat is free.")


# The log and what is read out -------------------------------------------------------------


def told(lines: logbook.Lines) -> list[str]:
    """Lines as plain text."""
    return ["".join(_plain(piece) for piece in line.pieces) for line in lines]


def _plain(piece: str | logbook.CardWord | logbook.SuitWord) -> str:
    if isinstance(piece, logbook.CardWord):
        return words.plain_name(piece.card)
    return SUIT_NAMES[piece.suit] if isinstance(piece, logbook.SuitWord) else piece


def test_a_deal_is_told_from_the_deal_to_its_tricks() -> None:
    made = deal("pass", "order", "discard TD", "play 9C", "play AD", "play AS", "play AC")
    assert told(logbook.deal_lines(made.observe(SOUTH), cast_of(FOUR, SOUTH))) == [
        "Hand 1",
        "Iris deals, 3 then 2",
        "King of Hearts is turned up",
        "Ben passes",
        "Jonah assists: hearts",
        "Iris discards",
        "First trick",
        "Ben Nine of Clubs · Jonah Ace of Diamonds · You Ace of Spades · Iris Ace of Clubs",
        "Iris wins it",
    ]


def test_only_the_dealer_reads_what_he_discarded() -> None:
    made = deal(*PLAY)
    mine = told(logbook.deal_lines(made.observe(WEST), cast_of(FOUR, WEST)))
    theirs = told(logbook.deal_lines(made.observe(EAST), cast_of(FOUR, EAST)))
    assert mine[-1] == "You discard Ten of Diamonds"
    assert theirs[-1] == "Iris discards"


def test_the_second_round_has_its_own_head() -> None:
    made = deal(*["pass"] * 4, "make C alone")
    lines = told(logbook.deal_lines(made.observe(None), cast_of(FOUR, None)))
    assert lines[-4:] == [
        "Iris turns it down",
        "Second round",
        "Ben crosses it, alone: clubs",
        "Maeve sits out",
    ]


@pytest.mark.parametrize(
    ("actions", "news"),
    [
        ((), "Hand 1. Iris deals. King of Hearts is turned up."),
        (("pass",), "Ben passes."),
        (("order",), "Ben orders it up. Hearts are trump."),
        (PLAY, "Iris discards."),
        ((*PLAY, "play QS"), "Ben plays Queen of Spades."),
        ((*PLAY, "play 9H", "play AH", "play JD"), "You play Jack of Diamonds, left bower."),
        (
            (*PLAY, "play 9H", "play AH", "play JD", "play KH"),
            "Iris plays King of Hearts, trump. You win the trick.",
        ),
    ],
)
def test_the_latest_event_is_one_sentence(actions: tuple[str, ...], news: str) -> None:
    made = deal(*actions)
    assert logbook.news(made.observe(SOUTH), cast_of(FOUR, SOUTH)) == news


@pytest.mark.parametrize("key", RULE_SETS)
def test_every_moment_of_every_game_can_be_told(key: str) -> None:
    """Random games: something is asked of whoever is in turn, and of nobody else."""
    for game in moments(RULE_SETS[key], seed=5):
        for shown in views(game):
            seat = shown.viewer.seat
            prompt = asked(shown, seat)
            seen = shown.observation
            assert prompt.head
            assert seen is not None
            assert bool(prompt.waits_for) == bool(seen.legal)
            assert logbook.news(seen, cast_of(NAMES[game.rules.players], seat)).endswith(".")


def test_a_rule_set_in_brief() -> None:
    assert rule_words.brief(HEADS_UP) == "Heads-up, to 10"
