"""What only some clubs play by: the questions, the sentences, and who is shown which card."""

from __future__ import annotations

from dataclasses import replace

import pytest

from games.engine.actions import parse_action
from games.engine.cards import BENNY, CLUBS, HEARTS, HIGH, SPADES, mask_of, parse_card
from games.engine.deal import Deal
from games.engine.observation import Standing
from games.engine.rules import (
    CLASSIC_24,
    NEVER,
    NO_TRUMP_HIGH_OR_LOW,
    STICK_THE_DEALER,
    RuleSet,
)
from games.engine.scoring import DealResult
from games.picture import log, phrases
from games.picture.cast import cast_of
from games.picture.frames import TablePicture
from games.picture.prompts import Prompt, prompt_of
from tests.games.picture.pages import draw, page, shown_at
from tests.games.picture.scenes import (
    BENNY_CLUB,
    CLUB,
    EAST,
    NAMES,
    NORTH,
    SOUTH,
    WEST,
    deal,
    view,
)
from tests.games.picture.test_log import told

#: Only what follows a call.
LONE = replace(CLUB, farmers_hand=False, fold=NEVER)
CAST = cast_of(NAMES[4])
ASKED_BEST = ("order alone", "discard TD")
POOR = ("9H TH 9C TC 9D", "AH 9S TS JC AD", "JH JD AS KS QS", "QH AC KC QC KD")
DECLINED = ("decline",) * 4


def asked(rules: RuleSet, *actions: str) -> Prompt:
    """What the seat in turn is asked."""
    made = deal(*actions, rules=rules)
    prompt = prompt_of(view(made, made.turn), CAST)
    assert prompt is not None
    return prompt


def heard(rules: RuleSet, *actions: str) -> str:
    """The sentence that is read out after the last action."""
    return log.news(deal(*actions, rules=rules).observe(), CAST)


# Questions ------------------------------------------------------------------------------------


def test_a_lone_maker_is_asked_for_the_partners_best_and_gives_a_card_of_the_hand() -> None:
    prompt = asked(LONE, *ASKED_BEST)
    assert prompt.head == "Ask for Maeve’s best card?"
    assert [one.label for one in prompt.buttons] == ["No, I play these five"]
    hand = page(view(deal(*ASKED_BEST, rules=LONE), NORTH), "hand")
    assert {one["value"] for one in hand.all("button")} == {
        f"give {card}" for card in ("9H", "TH", "9C", "TC", "QS")
    }


def test_the_partner_sees_the_hand_until_a_card_is_given_and_then_sits_out() -> None:
    given = (*ASKED_BEST, "give 9C")
    for done in (ASKED_BEST, given):
        assert "Sitting out" not in page(view(deal(*done, rules=LONE), SOUTH), "plate-2").heard
        assert len(page(view(deal(*done, rules=LONE), SOUTH), "hand").all("button")) == 5
    assert asked(LONE, *given).head == "Give one card"
    after = page(view(deal(*given, "best AS", rules=LONE), SOUTH), "hand")
    assert after.all("button") == []


def test_only_the_maker_sees_the_partners_best_and_who_gave_it() -> None:
    made = deal(*ASKED_BEST, "give 9C", "best AS", rules=LONE)
    (card,) = [
        one
        for one in page(view(made, NORTH), "hand").all("button")
        if one.get("data-taken") == "from Maeve"
    ]
    assert card["aria-label"] == "Ace of Spades, from Maeve"
    assert "You gave 9 of Clubs. You got A of Spades" in page(view(made, NORTH), "discarded").heard
    for seat in (EAST, WEST, None):
        assert "AS" not in shown_at(TablePicture(), view(made, seat)).own["hand"]
        assert page(view(made, seat), "discarded").heard in ("", "You discarded 10 of Diamonds")


def test_a_defender_is_told_what_defending_alone_is_worth() -> None:
    prompt = asked(LONE, *ASKED_BEST, "decline")
    assert prompt.more == ("Ben plays hearts alone. Euchred by you alone: us +4. Together: us +3.")
    assert [one.label for one in prompt.buttons] == ["Not alone", "I defend alone"]


def test_who_defends_alone_is_marked_and_the_partner_sits_out() -> None:
    made = deal(*ASKED_BEST, "decline", "decline", "defend", rules=LONE)
    parts = draw(view(made, SOUTH))
    assert "Alone" in page(view(made, SOUTH), "marks-3").heard
    assert "data-out" in parts["plate-1"]
    assert "data-out" in parts["plate-2"]
    refused = deal(*ASKED_BEST, "decline", "decline", rules=LONE)
    assert page(view(refused, WEST), "said-1").text == "“Not alone”"


def test_every_seat_is_asked_for_a_swap_in_words_of_its_own_hand() -> None:
    assert [one.value for one in asked(CLUB).buttons] == [
        "decline", "swap 9C TC 9H", "swap 9C TC TH", "swap 9C 9H TH", "swap TC 9H TH",
    ]  # fmt: skip
    assert asked(CLUB, "decline").buttons[0].value == "decline"
    assert asked(CLUB, "decline").more == "You do not hold three nines and tens."


def test_who_must_hold_a_card_of_the_suit_is_told_why_only_a_pass_is_left() -> None:
    prompt = asked(replace(LONE, own_trump=True), "pass", "pass", "pass")
    assert [one.label for one in prompt.buttons] == [
        "Turn it down",
        "Take it up",
        "Take it up, alone",
    ]
    poor = deal(rules=replace(LONE, own_trump=True), turn_up="KD")
    first = prompt_of(view(poor, NORTH), CAST)
    assert first is not None
    assert first.more == "You hold no diamonds: you may only pass."


def test_the_dealers_partner_is_told_why_the_only_call_is_alone() -> None:
    canadian = replace(CLASSIC_24, dealers_partner_alone=True)
    prompt = asked(canadian, "pass")
    assert prompt.more == "Ben passed. Iris dealt. You may accept it only alone."
    assert [one.label for one in prompt.buttons] == ["Pass", "Order it up, alone"]
    assert "alone" not in asked(canadian).more


def test_a_dealers_partner_near_the_end_is_told_that_the_score_leaves_only_a_pass() -> None:
    canadian = replace(CLASSIC_24, target=10, dealers_partner_alone=True)
    rules = replace(canadian, no_lone_near_end=True)
    for hand in ("AH 9S TS JS AD", "AC 9S TS JS AD"):  # with and without the suit turned up
        for own_trump in (False, hand[:2] == "AH"):
            prompt = _near_the_end(replace(rules, own_trump=own_trump), hand)
            assert [one.label for one in prompt.buttons] == ["Pass"]
            assert prompt.more == (
                "You could accept it only alone, and nobody plays alone with 9 points: "
                "you may only pass."
            )
    none = _near_the_end(replace(rules, own_trump=True), "AC 9S TS JS AD")
    assert none.more == "You hold no hearts: you may only pass."


def _near_the_end(rules: RuleSet, hand: str) -> Prompt:
    """What the dealer's partner is asked who needs one point."""
    hands = ("9H TH 9C TC QS", hand, "JH JD AS KS 9D", "QH QC KC QD TD")
    cards = [[parse_card(text) for text in one.split()] for one in hands]
    made = Deal.from_cards(rules, WEST, cards, parse_card("KH"), score=(0, 9))
    made.push(parse_action("pass"))
    seen = view(made, EAST)
    assert seen.observation is not None
    standing = Standing(score=(0, 9))
    prompt = prompt_of(
        seen._replace(observation=seen.observation._replace(standing=standing)), CAST
    )
    assert prompt is not None
    return prompt


@pytest.mark.parametrize("old_words", [False, True])
def test_a_stuck_dealer_who_may_hold_no_other_suit_is_not_said_to_have_to_name_one(
    *, old_words: bool
) -> None:
    own = replace(STICK_THE_DEALER, own_trump=True, old_words=old_words)
    passes = ["pass"] * 6
    for rules, then in (
        (own, "Iris must name a suit if they can"),
        (replace(own, no_trump=NO_TRUMP_HIGH_OR_LOW), "Iris must name a suit"),
    ):
        prompt = prompt_of(view(deal(*passes, rules=rules), SOUTH), CAST)
        assert prompt is not None
        said = f"{prompt.more} {prompt.buttons[0].note}"
        assert then in said
        assert ("if they can" in said) == then.endswith("can")


@pytest.mark.parametrize("old_words", [False, True])
def test_who_holds_no_suit_but_the_one_turned_down_is_told_why_only_a_pass_is_left(
    *, old_words: bool
) -> None:
    own = replace(CLASSIC_24, own_trump=True, old_words=old_words)
    hands = ("9S TD 9C TC QS", "AC 9D TS JS AD", "9H JH AH QH TH", "AS KC QC KD JC")
    prompt = prompt_of(view(deal(*["pass"] * 6, rules=own, hands=hands), SOUTH), CAST)
    assert prompt is not None
    assert not prompt.suits
    only = "You hold no card of another suit: you may only pass."
    assert prompt.more == (only if old_words else f"hearts were turned down. {only}")


def test_no_trump_stands_last_among_the_suits_with_what_it_means() -> None:
    prompt = asked(LONE, *["pass"] * 4)
    assert [suit.label for suit in prompt.suits] == [
        "Diamonds", "Clubs", "Spades", "No trump", "Low no trump",
    ]  # fmt: skip
    assert prompt.suits[3].note == ("No bowers, aces are best",)
    old = replace(LONE, old_words=True)
    assert [(suit.call, suit.label) for suit in asked(old, *["pass"] * 4).suits][3:] == [
        ("I make it", "no trump"),
        ("I make it", "low no trump"),
    ]


# Sentences ------------------------------------------------------------------------------------


def test_each_answer_is_read_out_and_who_sits_out_then() -> None:
    done: list[str] = [*ASKED_BEST]
    for action, sentence in (
        ("give 9C", "Ben gives a card away, face down."),
        ("best AS", "Maeve gives a card in return. Maeve sits out."),
        ("decline", "Jonah does not defend alone."),
        ("defend", "Iris defends alone. Jonah sits out."),
    ):
        done.append(action)
        assert heard(LONE, *done) == sentence
    assert told(log.deal_lines(deal(*done, rules=LONE).observe(), CAST))[3:] == [
        "Ben orders it up, alone: hearts",
        "Iris discards",
        "Ben gives a card away, face down",
        "Maeve gives a card in return",
        "Maeve sits out",
        "Jonah does not defend alone",
        "Iris defends alone",
        "Jonah sits out",
    ]


def test_a_swap_is_told_without_its_cards() -> None:
    swap = "swap 9C TC 9H"
    assert heard(CLUB, swap) == "Ben swaps three cards."
    assert told(log.deal_lines(deal(swap, rules=CLUB).observe(), CAST))[-1] == (
        "Ben swaps three cards"
    )
    swapped = page(view(deal(swap, rules=CLUB), NORTH), "discarded").heard
    assert swapped == "You swapped 9 of Clubs, 10 of Clubs, 9 of Hearts"
    assert page(view(deal(swap, rules=CLUB), SOUTH), "discarded").heard == ""


def test_a_folded_hand_is_seen_by_all_and_the_dealer_deals_again() -> None:
    made = deal(*DECLINED, "fold", rules=CLUB, hands=POOR, turn_up="JS")
    cards = "9 of Hearts, 10 of Hearts, 9 of Clubs, 10 of Clubs, 9 of Diamonds"
    assert log.news(made.observe(), CAST).startswith("Ben folds: ")
    assert sorted(log.news(made.observe(), CAST)[11:-1].split(", ")) == sorted(cards.split(", "))
    for seat in (NORTH, SOUTH, None):
        recap = page(view(made, seat), "recap")
        assert len([one for one in recap.all("div") if one.get("data-card")]) == 5
        assert page(view(made, seat), "hand").all("button") == []
        assert "Folded" in page(view(made, seat), "trump").text
        assert "Iris deals again" in page(view(made, seat), "kitty").text
    line = told(log.deal_lines(made.observe(), CAST))[-2]
    assert line.startswith("Ben folds ")
    assert line.count(" of ") == 5


def test_a_hand_without_trumps_has_no_bowers_and_says_so_on_the_plaque() -> None:
    made = deal(*["pass"] * 4, "make NT", rules=LONE)
    assert heard(LONE, *["pass"] * 4, "make NT") == "Ben calls no trump."
    assert page(view(made, SOUTH), "trump").heard.startswith("No trump")
    assert 'href="#suit-n"' in draw(view(made, SOUTH))["trump"]
    assert "bower" not in page(view(made, SOUTH), "hand").heard


@pytest.mark.parametrize(
    ("result", "trump", "alone_by", "told_as"),
    [
        (("euchre", 0, 4, 1, (3, 2)), CLUBS, "you",
         "Us +4: Jonah called clubs and was euchred by you alone"),
        (("euchre", 0, 3, 1, (3, 2)), HIGH, "", "Us +3: Jonah called no trump and was euchred"),
        (("alone", 1, 0, 1, (1, 4)), CLUBS, "", "No points: Jonah alone took four tricks"),
        (("folded", -1, 0, -1, (0, 0)), CLUBS, "", "The hand is folded"),
    ],
)  # fmt: skip
def test_the_ends_that_only_some_clubs_know(
    result: tuple[str, int, int, int, tuple[int, int]], trump: int, alone_by: str, told_as: str
) -> None:
    sides = phrases.sides_for(CAST, SOUTH, EAST)
    made = phrases.deal_result(sides, CAST[EAST], trump, DealResult(*result), alone_by)
    assert made == told_as


# The Benny ------------------------------------------------------------------------------------


def test_the_benny_is_drawn_and_called_the_two_of_spades() -> None:
    assert phrases.plain_name(BENNY) == "2 of Spades"
    assert phrases.card_name(BENNY, HEARTS) == "2 of Spades, trump"
    hands = ("2S TH 9C TC QS", "AH 9S TS JS AD", "JH JD AS KS 9D", "QH AC KC QC TD")
    made = deal(rules=BENNY_CLUB, hands=hands)
    drawn = draw(view(made, NORTH))["hand"]
    assert "#face-2s" in drawn
    assert 'aria-label="2 of Spades"' in drawn


def test_the_benny_does_not_follow_its_printed_suit_but_trump() -> None:
    hand = mask_of(map(parse_card, ("2S", "9S")))
    why = phrases.must_follow(HEARTS, parse_card("AS"), hand)
    assert why == "You must follow spades. The 2 of spades counts as a heart."
    assert phrases.must_follow(SPADES, parse_card("AS"), hand) == "You must follow spades."


def test_nothing_of_this_is_said_where_the_rules_have_none_of_it() -> None:
    made = deal("order alone", "discard TD", rules=CLASSIC_24)
    assert log.news(made.observe(), CAST) == "Iris discards. Maeve sits out."
    assert "data-out" in draw(view(deal("order alone", rules=CLASSIC_24), NORTH))["plate-2"]
