"""Positions: their text, what the side to move sees of them, and the whole deal."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.analysis.completing import PositionError
from games.analysis.positions import MAX_TEXT, BoardPosition, deal_rules
from games.engine.actions import Action, parse_action
from games.engine.cards import mask_of, parse_card
from games.engine.observation import START
from games.engine.rules import CLASSIC_24, RULE_SETS
from games.files.played import PlayedGame
from games.review.decisions import SeatDecision, decisions
from tests.chance import ALL_SOURCES, CLUB_RULE_SETS, random_played, rules_of, seeded


def cards(text: str) -> int:
    return mask_of(map(parse_card, text.split()))


def position(*hands: str, actions: str = "", **more: object) -> BoardPosition:
    acts = tuple(parse_action(action) for action in actions.split(", ") if action)
    known = {"rules": CLASSIC_24, "dealer": 3, "turn_up": parse_card("9D"), **more}
    return BoardPosition(hands=tuple(map(cards, hands)), actions=acts, **known)  # type: ignore[arg-type]


#: South is to play; of the others only what was played is known.
OPEN = position(
    "",
    "",
    "JC KS 9S AD QC",
    "",
    actions="pass, pass, pass, pass, pass, pass, make S, play AH, play QH",
)


def _every_decision(source: str) -> Iterator[tuple[PlayedGame, SeatDecision]]:
    for rules, seed in seeded(source, 6):
        game = random_played(rules, seed)
        for decision in decisions(game):
            yield game, decision


@pytest.mark.parametrize("source", [*ALL_SOURCES, *CLUB_RULE_SETS])
def test_a_decision_of_a_game_is_the_same_on_the_board(source: str) -> None:
    """Everything that the player saw is there, in any phase and by any rules, and nothing more."""
    for game, decision in _every_decision(source):
        found = BoardPosition.of_decision(game, decision.hand, decision.step)
        again = BoardPosition.parse(found.text)
        assert again == found
        score = decision.seen.standing.score
        expected = decision.seen._replace(
            rules=deal_rules(decision.seen.rules), standing=START._replace(score=score)
        )
        assert again.seen() == expected
        open_ = BoardPosition.of_decision(game, decision.hand, decision.step, open_hands=True)
        assert BoardPosition.parse(open_.text) == open_
        assert open_.seen() == expected
        deal = open_.deal()
        assert deal is not None
        assert deal.hands == game.deals[decision.hand - 1].at(decision.step).hands


@given(st.sampled_from(ALL_SOURCES), st.randoms(use_true_random=False))
def test_a_text_is_short_and_fit_for_a_link(source: str, rng: Random) -> None:
    rules = rules_of(source, rng)
    game = random_played(rules, str(rng.random()), events=20)
    step = game.deals[-1].steps
    if not game.deals[-1].at(step).start[0]:
        return
    found = BoardPosition.of_decision(game, len(game.deals), step, open_hands=True)
    assert len(found.text) <= MAX_TEXT
    assert set(found.text) <= {
        *"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_~"
    }
    assert BoardPosition.parse(found.text) == found


def _refusal(text: str) -> str:
    """Why a text is refused; empty if it is a position that makes sense."""
    try:
        BoardPosition.parse(text).seen()
    except PositionError as why:
        return why.reason
    return ""


@given(st.text(max_size=60) | st.text("1.-_~ABCDpoqmxclassic24", max_size=80))
def test_any_other_text_is_refused_with_a_sentence(text: str) -> None:
    assert _refusal(text)[-1:] in {"", "."}


@given(st.integers(0, 200), st.characters(codec="ascii"))
def test_a_link_with_one_letter_changed_is_a_position_or_refused(place: int, letter: str) -> None:
    text = OPEN.text
    place %= len(text)
    assert _refusal(text[:place] + letter + text[place + 1 :])[-1:] in {"", "."}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "This link is not a position of this version of the board."),
        ("2" + OPEN.text[1:], "This link is not a position of this version of the board."),
        ("1.classic-24", "A position has 7 parts: the rules, the dealer, the score, the turn-up,"),
        (OPEN.text.replace("classic-24", "whist"), "The rules of this link are not known;"),
        ("A" * 1000, "A position has at most 900 characters."),
        (OPEN.text + "!", "The calls and cards of this link cannot be read."),
    ],
)
def test_a_wrong_link_is_told_what_is_wrong(text: str, reason: str) -> None:
    with pytest.raises(PositionError) as why:
        BoardPosition.parse(text)
    assert why.value.reason.startswith(reason)


def test_what_nobody_said_stays_unknown() -> None:
    seen = OPEN.seen()
    assert seen.turn == 2
    assert seen.held == (4, 4, 5, 5)
    assert {str(action) for action in seen.legal} == {
        f"play {card}" for card in ("JC", "KS", "9S", "AD", "QC")
    }
    assert OPEN.deal() is None
    assert OPEN.after(parse_action("play 9S")).actions[-1] == Action("play", parse_card("9S"))


def test_the_side_to_move_must_know_its_cards() -> None:
    with pytest.raises(PositionError) as why:
        position("", "", "JC KS", "", actions="pass, pass").seen()
    assert why.value.place == "hand-2"
    assert why.value.reason == "It is South’s turn, so all of South’s cards must be known."


def test_a_hand_that_is_over_leaves_nothing_to_decide() -> None:
    passes = ", ".join(["pass"] * 8)
    with pytest.raises(PositionError, match="The hand is over"):
        position("", "", "", "", actions=passes).seen()


def test_the_rules_of_a_game_are_those_offered_where_a_deal_is_the_same() -> None:
    for rules in RULE_SETS.values():
        assert deal_rules(rules) == rules
