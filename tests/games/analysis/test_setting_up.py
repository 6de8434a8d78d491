"""A hand set up by hand: what is typed, what makes no sense, and the page."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse

from games.analysis.completing import PositionError
from games.analysis.positions import BoardPosition, deal_rules, rules_text
from games.analysis.setting_up import SetUp
from games.engine.cards import card_text, cards_in, mask_of, parse_card
from games.engine.rules import CLASSIC_24, RULE_SETS

#: South is to play to North's ace of hearts and East's queen; West dealt.
FIELDS = {
    "dealer": "3",
    "up": "9d",
    "calls": "m32",
    "plays": "AH QH",
    "hand2": "jc ks, 9s ad qc",
    "hand3": "10s kh AC qd",
}


def problem(**fields: str) -> PositionError:
    found = SetUp.of(FIELDS | fields).assembled().problem
    assert found is not None
    return found


def position(**fields: str) -> BoardPosition:
    found = SetUp.of(FIELDS | fields).assembled()
    assert found.problem is None, found.problem.reason
    assert found.position is not None
    return found.position


def test_what_is_typed_becomes_a_position() -> None:
    seen = position().seen()
    assert seen.turn == 2
    assert seen.hand == mask_of(map(parse_card, ["JC", "KS", "9S", "AD", "QC"]))
    assert seen.held == (4, 4, 5, 5)
    assert [card_text(card) for card in cards_in(position().hands[3])] == ["AC", "QD", "KH", "TS"]


@pytest.mark.parametrize(
    ("fields", "place", "reason"),
    [
        ({"hand0": "KH"}, "hand-3", "Two players have K♥: North and West."),
        ({"hand0": "AH 9H 9C TC TD JD"}, "hand-0", "North has six cards."),
        ({"hand3": "9D"}, "up", "9♦ is turned up and in West’s hand."),
        ({"calls": "m13"}, "calls", "West named diamonds, which were turned down."),
        ({"plays": "AH TS"}, "plays", "It was East’s turn, not West’s."),
        ({"plays": "AH QH AH"}, "plays", "A♥ is here twice."),
        ({"plays": "9D"}, "plays", "9♦ was turned down, so nobody can have played it."),
        ({"hand0": "XX"}, "hand-0", "'XX' is not a card: a rank of 789TJQKA"),
        ({"hand0": "7H"}, "hand-0", "7H is not in a pack of 24 cards."),
        ({"hand0": "KD KD"}, "hand-0", "K♦ is here twice."),
        ({"calls": "p3"}, "plays", "Trump is not made yet, so nobody can have played a card."),
        ({"calls": "zz"}, "calls", "Choose one of the calls shown."),
        ({"discard": "9H"}, "discard", "Nobody picked the turn-up up, so nobody discarded."),
        ({"plays": "AH KC", "hand1": "KC 9H"}, "plays", "East can’t have played K♣."),
        ({"plays": "AH QH KS"}, "plays", "South can’t have played"),
        ({"score0": "10"}, "score", "The score is a number from 0 to 4."),
        ({"score1": "-1"}, "score", "The score is a number from 0 to 4."),
        ({"up": "9D JD"}, "up", "One card is turned up."),
    ],
)
def test_what_makes_no_sense_is_named(fields: dict[str, str], place: str, reason: str) -> None:
    if fields.get("plays") == "AH QH KS":
        fields["hand2"] = "JC KS 9H AD QC"
    found = problem(**fields)
    assert (found.place, found.missing) == (place, False)
    assert found.reason.startswith(reason)


def test_a_revoke_says_what_had_to_be_followed_and_what_helps() -> None:
    found = problem(plays="AH KC", hand1="KC 9H")
    assert found.advice == (
        "North led a heart and 9♥ is in East’s hand: hearts had to be followed. "
        "Take 9♥ from East, or change the card played."
    )
    assert found.cards == mask_of([parse_card("9H")])
    later = problem(plays="AH KC 9S TS AC QC 9H 9C".replace("AC QC 9H 9C", "TC"), hand1="")
    assert later.reason  # South's nine of trumps took the trick, so it is South's turn


def test_what_is_missing_is_no_mistake() -> None:
    assert problem(up="").missing
    missing = problem(hand2="JC KS")
    assert (missing.place, missing.missing) == ("hand-2", True)
    assert missing.reason == "It is South’s turn, so all of South’s cards must be known."
    assert problem(up="Jo", rules="joker-33", plays="", calls="").place == "named"


def test_the_dealer_who_picks_up_may_have_the_turn_up_typed_or_not() -> None:
    picked = {"dealer": "2", "up": "9D", "calls": "o1", "plays": "", "hand3": ""}
    five = "JC KS 9S AD QC"
    discarding = position(**picked, hand2=five).seen()
    assert discarding.phase == "discard"
    assert discarding.hand.bit_count() == 6
    assert position(**picked, hand2=f"{five} 9D") == position(**picked, hand2=five)
    played = {**picked, "plays": "TD JD KD", "discard": "QC"}
    assert position(**played, hand2="JC KS 9S AD").seen().hand.bit_count() == 5
    unknown = problem(**{**played, "discard": ""}, hand2="JC KS 9S AD")
    assert (unknown.place, unknown.missing) == ("discard", True)


def test_a_card_of_the_pack_is_given_and_taken_back() -> None:
    typed = SetUp.of(FIELDS | {"to": "0"})
    given = typed.pressed(parse_card("TH"))
    assert given.cards["hand0"] == "TH"
    assert given.pressed(parse_card("TH")).cards["hand0"] == ""
    assert given.lies()[parse_card("TH")] == "North"
    assert typed.pressed(parse_card("9D")).cards["up"] == ""
    turned_up = typed._replace(to="up").pressed(parse_card("TD"))
    assert (turned_up.cards["up"], turned_up.to) == ("TD", "2")  # then cards go to South again
    assert typed.pressed(parse_card("TS")).cards["hand3"] == "KH AC QD"


def test_the_score_and_a_clubs_own_rules_are_set() -> None:
    assert position().score == (0, 0)
    own = replace(CLASSIC_24, key="ours", name="Ours", target=15, march=3)
    found = position(score0="12", score1="4", rules=rules_text(deal_rules(own)))
    assert (found.score, found.rules.target, found.rules.march) == ((12, 4), 15, 3)


@pytest.mark.django_db
def test_a_clubs_own_rules_can_be_chosen_again(client: Client) -> None:
    own = rules_text(deal_rules(replace(CLASSIC_24, key="ours", name="Ours", march=3)))
    page = client.get(reverse("analysis"), {"rules": own}).content.decode()
    fields = {
        "rules": CLASSIC_24.key,
        **dict(re.findall('"hidden" name="(.+)" value="(.+)"', page)),
    }
    page = client.get(reverse("analysis"), fields).content.decode()
    assert f'<option value="{own}"' in page
    assert f'<option value="{CLASSIC_24.key}" selected>' in page
    assert client.get(reverse("analysis"), {"first": "~x"}).status_code == 200


@pytest.mark.parametrize("key", RULE_SETS)
def test_every_rule_set_can_be_set_up(key: str) -> None:
    rules = RULE_SETS[key]
    mover = rules.after(rules.players // 2 - 1)
    cards = [card for card in rules.pack_in_order() if card % 8 > 2][:6]
    up, *five = map(card_text, cards)
    fields = {"rules": key, "up": up, f"hand{mover}": " ".join(five)}
    found = SetUp.of(fields).assembled()
    assert found.problem is None
    assert found.position is not None
    assert found.position.seen().rules == rules


@pytest.mark.django_db
def test_the_page_waits_with_its_reason_and_then_opens_the_board(client: Client) -> None:
    page = client.get(reverse("analysis")).content.decode()
    assert "Not yet: Which card was turned up?" in page
    assert 'aria-disabled="true"' in page
    wrong = client.get(reverse("analysis"), FIELDS | {"hand0": "KH", "analyse": "1"})
    assert wrong.status_code == 422
    assert "Two players have K♥: North and West." in wrong.content.decode()
    right = client.get(reverse("analysis"), FIELDS | {"analyse": "1"})
    assert right.status_code == 303
    assert BoardPosition.parse(right["Location"].partition("p=")[2]) == position()
    pressed = client.get(reverse("analysis"), FIELDS | {"card": "JH", "to": "0"})
    assert 'value="JH"' in pressed.content.decode()
