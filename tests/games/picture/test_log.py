"""The log, and the sentence that is read out after each event."""

import re
from collections.abc import Iterable

import pytest

from games.engine.cards import SUIT_NAMES
from games.engine.rules import RULE_SETS
from games.picture import log, phrases
from games.picture.cast import cast_of
from games.picture.page import log_list
from games.picture.scene import ProposalEntry
from tests.chance import PUBLISHED
from tests.games.picture.pages import Page, page
from tests.games.picture.scenes import (
    EAST,
    NAMES,
    WEST,
    deal,
    moments,
    view,
)

FOUR = NAMES[4]
PLAY = ("order", "discard TD")


def told(lines: Iterable[log.LogLine]) -> list[str]:
    """Lines as plain text, as somebody hears them who does not see the drawings of suits."""
    return [re.sub(r"\s+", " ", Page(log_list("log", [line])).heard) for line in lines]


def test_the_log_goes_from_the_deal_to_its_tricks() -> None:
    made = deal("pass", "order", "discard TD", "play 9C", "play AD", "play AS", "play AC")
    assert told(log.deal_lines(made.observe(), cast_of(FOUR))) == [
        "Hand 1",
        "Iris deals, 3 then 2",
        "K of Hearts is turned up",
        "Ben passes",
        "Jonah orders it up: hearts",
        "Iris discards",
        "First trick",
        "Ben 9 of Clubs",
        "Jonah A of Diamonds",
        "Maeve A of Spades",
        "Iris A of Clubs",
        "Iris wins it",
    ]


def test_a_proposal_is_logged_where_it_was_made() -> None:
    made = deal("pass", "order", "discard TD", "play 9C", "play AD", "play AS", "play AC")
    said = [
        ProposalEntry(1, 0, 0, "leave", "agreed", "Otto", ""),
        ProposalEntry(1, 2, 0, "resign", "declined", "Ben", "Otto"),
        ProposalEntry(1, 4, 0, "claim", "agreed", "Iris", ""),
        ProposalEntry(2, 0, 0, "claim", "open", "Maeve", ""),
    ]
    assert told(log.deal_lines(made.observe(), cast_of(FOUR), said))[5:] == [
        "Iris discards",
        "Otto has left for good: a house player plays on",
        "First trick",
        "Ben 9 of Clubs",
        "Jonah A of Diamonds",
        "Ben wants to resign",
        "Otto plays on",
        "Maeve A of Spades",
        "Iris A of Clubs",
        "Iris wins it",
        "Iris claims the rest",
        "Agreed: the rest is played out",
    ]


@pytest.mark.parametrize(
    ("state", "line"),
    [("withdrawn", "Ben takes it back"), ("lapsed", "Not everybody agreed")],
)
def test_a_failed_proposal_is_logged_as_such(state: str, line: str) -> None:
    said = [ProposalEntry(1, 0, 0, "resign", state, "Ben", "")]
    lines = told(log.deal_lines(deal().observe(), cast_of(FOUR), said))
    assert lines[-2:] == ["Ben wants to resign", line]


def test_the_second_round_has_its_own_head() -> None:
    made = deal(*["pass"] * 4, "make C alone")
    lines = told(log.deal_lines(made.observe(), cast_of(FOUR)))
    assert lines[-4:] == [
        "Iris turns it down",
        "Second round",
        "Ben calls clubs, alone",
        "Maeve sits out",
    ]
    old = log.deal_lines(phrases.worded(made.observe(), old=True), cast_of(FOUR))
    assert told(old)[-2] == "Ben crosses it, alone: clubs"


@pytest.mark.parametrize(
    ("actions", "news"),
    [
        ((), "Hand 1. Iris deals. King of Hearts is turned up."),
        (("pass",), "Ben passes."),
        (("order",), "Ben orders it up. Hearts are trump."),
        ((*["pass"] * 4, "make D"), "Ben calls diamonds."),
        (PLAY, "Iris discards."),
        ((*PLAY, "play QS"), "Ben plays Queen of Spades."),
        ((*PLAY, "play 9H", "play AH", "play JD"), "Maeve plays Jack of Diamonds, left bower."),
        (
            (*PLAY, "play 9H", "play AH", "play JD", "play KH"),
            "Iris plays King of Hearts, trump. Maeve wins the trick.",
        ),
    ],
)
def test_the_latest_event_is_one_sentence(actions: tuple[str, ...], news: str) -> None:
    made = deal(*actions)
    assert log.news(made.observe(), cast_of(FOUR)) == news


def test_nobody_reads_in_the_log_what_was_discarded() -> None:
    made = deal(*PLAY)
    for seat in (EAST, WEST, None):
        assert told(log.deal_lines(made.observe(seat), cast_of(FOUR)))[-1] == "Iris discards"
    assert page(view(made, WEST), "discarded").text == "You discarded 10 of Diamonds"


def test_an_ended_deal_is_logged_with_its_points_and_the_score() -> None:
    between = next(game for game in moments(RULE_SETS["classic-24"], seed=18) if game.between_deals)
    record, cast = between.records[-1], cast_of(FOUR)
    lines = list(log.deal_lines(between.observe(), cast))
    won, stands = lines[-2:]
    assert (won["is"], won["side"]) == (log.WON, record.result.side)
    assert told([won]) == [log.result_text(between.observe(), cast)]
    assert told([stands]) == [f"Now {phrases.score_in_words(cast, record.score)}"]
    head, made, points = told(log.past_lines((record,), cast))
    assert head == "Hand 1"
    assert f"made it {SUIT_NAMES[record.trump]}" in made
    assert f"+{record.result.points}, now " in points


@pytest.mark.parametrize("key", PUBLISHED)
def test_while_a_deal_goes_on_lines_are_only_added(key: str) -> None:
    cast = cast_of(NAMES[RULE_SETS[key].players])
    number, before = 0, list[log.LogLine]()
    for game in moments(RULE_SETS[key], seed=6):
        seen = game.observe()
        lines = list(log.deal_lines(seen, cast))
        if seen.standing.deal_number == number:
            assert lines[: len(before)] == before
        number, before = seen.standing.deal_number, lines


def test_a_name_is_no_phrase() -> None:
    cast = cast_of(("{suit}{0}", "<b>", "Maeve", "Iris"))
    assert told(log.deal_lines(deal("pass", "pass").observe(), cast))[-2:] == [
        "{suit}{0} passes",
        "<b> passes",
    ]
    assert log.news(deal("pass").observe(), cast) == "{suit}{0} passes."
