"""What is asked of a viewer, and what all read while others decide."""

import re
from dataclasses import replace

import pytest

from games.engine.actions import parse_action
from games.engine.deal import Deal
from games.engine.rules import CLASSIC_24, JOKER_33, PACK_SETS, RULE_SETS, STICK_THE_DEALER
from games.picture import log
from games.picture.cast import cast_of
from games.picture.prompts import Prompt, StatusLine, Words, prompt_of, status_line
from games.picture.scene import PERSON, Clock, SeatView, View
from tests.chance import PUBLISHED
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
PLAY = ("order", "discard TD")


def asked(shown: View, seat: int | None) -> Prompt:
    """What is asked of a seat."""
    assert shown.viewer.seat == seat
    prompt = prompt_of(shown, cast_of(tuple(one.name for one in shown.scene.seats)))
    assert prompt is not None
    return prompt


def nothing_asked(shown: View) -> bool:
    """Whether nothing is asked of a viewer."""
    return prompt_of(shown, cast_of(tuple(one.name for one in shown.scene.seats))) is None


def line(shown: View) -> StatusLine:
    """What everybody reads."""
    seen = shown.observation
    cast = cast_of(tuple(one.name for one in shown.scene.seats))
    found = status_line(shown.scene, seen.public if seen is not None else None, cast)
    return found._replace(turn=-1)


@pytest.mark.parametrize(
    ("for_him", "head", "labels"),
    [
        (False, "Cut the pack", ["Cut here", "Cut for me"]),
        (True, "The pack is cut for you", []),
    ],
)
def test_players_who_leave_the_cut_to_the_table_are_not_asked(
    for_him: bool, head: str, labels: list[str]
) -> None:
    made = Deal.from_pack(JOKER_33, WEST, sorted(PACK_SETS[33]))
    seats = tuple(SeatView(name, PERSON, auto_cut=for_him) for name in FOUR)
    prompt = asked(view(made, made.turn, seats=seats), made.turn)
    assert (prompt.head, [button.label for button in prompt.buttons]) == (head, labels)
    assert bool(prompt.waits_for) is not for_him


IN_OLD_WORDS = replace(CLASSIC_24, old_words=True)


def told(words: Words) -> str:
    """Words as one text, cards by their codes."""
    return "".join(word if isinstance(word, str) else word[-1] for word in words)


@pytest.mark.parametrize(
    ("passes", "more", "calls"),
    [
        (
            0,
            "Iris dealt.",
            {
                "Pass": "Jonah decides",
                "Order it up": "Hearts are trump; Iris takes KH",
                "Order it up, alone": "The same, without Maeve; 4 points for all five tricks",
            },
        ),
        (
            1,
            "Ben passed. Iris dealt.",
            {
                "Pass": "Maeve decides",
                "Order it up": "Hearts are trump; Iris takes KH",
                "Order it up, alone": "Without Iris; 4 points for all five; nobody takes KH",
            },
        ),
        (
            2,
            "Ben and Jonah passed. Iris dealt and decides after you.",
            {
                "Pass": "Iris decides",
                "Order it up": "Hearts are trump; Iris takes KH",
                "Order it up, alone": "The same, without Ben; 4 points for all five tricks",
            },
        ),
        (
            3,
            "Everybody passed. You dealt.",
            {
                "Turn it down": "Another suit may be named",
                "Take it up": "Hearts are trump; you take KH and discard",
                "Take it up, alone": "The same, without Jonah; 4 points for all five tricks",
            },
        ),
    ],
)
def test_the_first_round_says_what_each_call_does(
    passes: int, more: str, calls: dict[str, str]
) -> None:
    made = deal(*["pass"] * passes)
    prompt = asked(view(made, made.turn), made.turn)
    assert (prompt.head, prompt.more) == ("Should hearts be trump?", more)
    assert {button.label: told(button.note) for button in prompt.buttons} == calls
    assert all(button.plain for button in prompt.buttons), "no call has the primary colour"


def test_the_second_round_says_what_each_suit_needs() -> None:
    made = deal(*["pass"] * 6, rules=STICK_THE_DEALER)
    prompt = asked(view(made, SOUTH), SOUTH)
    assert prompt.head == "Which suit should be trump?"
    assert prompt.more == "hearts were turned down. Ben and Jonah passed."
    assert {suit.label: told(suit.note) for suit in prompt.suits} == {
        "Diamonds": "Best: JD JH",
        "Clubs": "Best: JC JS",
        "Spades": "Best: JS JC",
    }
    assert [told(button.note) for button in prompt.buttons] == ["Iris must name a suit"]
    assert prompt.alone == "Without Ben; 4 points for all five"


def test_a_joker_is_the_best_of_every_suit() -> None:
    hands = ("9H TH 9C TC QS", "AH 9S TS Jo AD", "JH JD AS KS 9D", "QH AC KC QC TD")
    made = deal(*["pass"] * 4, rules=JOKER_33, hands=hands)
    assert told(asked(view(made, NORTH), NORTH).suits[0].note) == "Best: Jo JD JH"


def test_what_is_asked_is_read_out() -> None:
    made = deal(*["pass"] * 2)
    assert asked(view(made, SOUTH), SOUTH).in_words == (
        "Should hearts be trump? Ben and Jonah passed. Iris dealt and decides after you. "
        "You may say: Pass; Order it up; Order it up, alone."
    )


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
def test_the_old_words_ask_by_position(passes: int, labels: list[str], more: str) -> None:
    made = deal(*["pass"] * passes, rules=IN_OLD_WORDS)
    prompt = asked(view(made, made.turn), made.turn)
    assert (prompt.head, prompt.more) == ("Your call", more)
    assert [button.label for button in prompt.buttons] == labels
    assert all(button.plain for button in prompt.buttons), "no call has the primary colour"


def test_the_second_round_offers_next_before_the_crosses() -> None:
    made = deal(*["pass"] * 4, rules=IN_OLD_WORDS)
    prompt = asked(view(made, NORTH), NORTH)
    assert [(suit.call, suit.label) for suit in prompt.suits] == [
        ("I make it next:", "diamonds"),
        ("I cross it:", "clubs"),
        ("I cross it:", "spades"),
    ]
    assert prompt.alone is not None
    assert [button.label for button in prompt.buttons] == ["Pass"]


def test_the_one_before_a_stuck_dealer_is_warned() -> None:
    made = deal(*["pass"] * 6, rules=replace(STICK_THE_DEALER, old_words=True))
    assert asked(view(made, SOUTH), SOUTH).more == "If you pass, Iris must name a suit."


def test_a_stuck_dealer_has_no_pass() -> None:
    made = deal(*["pass"] * 7, rules=STICK_THE_DEALER)
    prompt = asked(view(made, WEST), WEST)
    assert (prompt.head, prompt.more) == ("You must name a suit", "Everybody passed.")
    assert prompt.buttons == ()


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


@pytest.mark.parametrize(
    ("actions", "head", "more"),
    [
        (PLAY, "Ben’s turn.", ""),
        (("pass",), "Jonah is deciding.", ""),
        (("order",), "Iris is discarding.", ""),
        (("order alone", "discard TD"), "Ben’s turn.", "Ben plays alone."),
    ],
)
def test_everybody_sees_whose_turn_it_is(actions: tuple[str, ...], head: str, more: str) -> None:
    made = deal(*actions)
    for seat in (NORTH, EAST, SOUTH, WEST, None):
        shown = view(made, seat)
        assert line(shown) == StatusLine(head, more)
        assert nothing_asked(shown) is (seat != made.turn)


def test_an_empty_seat_is_waited_for_and_then_filled() -> None:
    made = deal(*PLAY)
    soon = view(made, SOUTH, wait=42)
    assert line(soon) == StatusLine(
        "Waiting for Ben",
        "Nobody is in that seat now. The players can ask for a house player in 42 seconds.",
        42,
    )
    assert nothing_asked(soon)
    assert line(view(made, SOUTH, wait=42, clock=Clock(30, 3.0))) == StatusLine(
        "Waiting for Ben",
        "Nobody is in that seat now. A house player takes over when the time is up.",
    )
    now = asked(view(made, SOUTH, wait=0), SOUTH)
    assert [button.value for button in now.buttons] == ["stand-in"]
    assert nothing_asked(view(made, None, wait=0))
    assert asked(view(made, NORTH, wait=0), NORTH).waits_for == "card"


@pytest.mark.parametrize("open_to_all", [False, True])
def test_a_table_shows_its_players_the_way_in(open_to_all: bool) -> None:
    assert asked(gathering(SOUTH, open=open_to_all), SOUTH).invite == "/tables/4/join/word/"


def test_a_visitor_is_asked_to_choose_a_free_seat() -> None:
    shown = gathering(None, open=False)
    assert line(shown) == StatusLine("Choose a seat", "One seat is free.")
    assert nothing_asked(shown)


def test_each_viewer_reads_the_result_of_a_hand_in_their_own_terms() -> None:
    between = next(game for game in moments(RULE_SETS["classic-24"], seed=18) if game.between_deals)
    shown = views(between)
    result = between.records[-1].result
    for seat, one in enumerate(shown[:4]):
        prompt = asked(one, seat)
        assert bool(re.search(r"\bus\b", prompt.head, re.IGNORECASE)) is (seat % 2 == result.side)
        assert prompt.more.endswith("to 5. The next hand follows by itself.")
        alone = one._replace(scene=one.scene._replace(alone=seat))
        assert asked(alone, seat).more.endswith("to 5."), "it waits for the reader"
        assert [one.value for one in prompt.buttons] == ["next", "all-hands"]
    everybody, watching = line(shown[-1]), prompt_of(shown[-1], cast_of(NAMES[4]))
    assert watching is not None
    assert (watching.head, watching.more) == everybody[:2]
    assert not watching.waits_for
    assert [one.value for one in watching.buttons] == ["all-hands"]
    assert not re.search(r"\b(us|them|you)\b", everybody.head, re.IGNORECASE)
    assert everybody.more.endswith(", to 5.")


@pytest.mark.parametrize("key", PUBLISHED)
def test_every_moment_of_every_game_has_a_sentence(key: str) -> None:
    """Random games: something is asked of whoever is in turn, and of nobody else."""
    for game in moments(RULE_SETS[key], seed=5):
        for shown in views(game):
            seen = shown.observation
            assert seen is not None
            cast = cast_of(NAMES[game.rules.players])
            prompt = prompt_of(shown, cast)
            assert line(shown).head
            assert bool(prompt and prompt.waits_for) == bool(seen.legal)
            assert prompt is None or prompt.head
            assert log.news(seen.public, cast).endswith(".")
