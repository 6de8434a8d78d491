"""The pages from which one learns a game."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from random import Random

import pytest
from django.template.loader import render_to_string
from django.test import Client

from games import rule_words
from games.engine.rules import (
    CLASSIC_24,
    HEADS_UP,
    JOKER_33,
    RULE_SETS,
    STICK_THE_DEALER,
    RuleSet,
)
from games.guide.rule_pages import page_of
from games.picture import phrases
from games.rule_words import facts
from tests.chance import CLUB_RULE_SETS, each_club_rule, random_rules

SOURCES = Path(__file__).parents[3] / "docs/rules.md"
ROW = re.compile(r"^\| ([A-D])(\d+) \| [^|]+ \| ([^|]+) \|$", re.MULTILINE)
#: How many sentences each source has.
SENTENCES = {"A": 53, "B": 32, "C": 40, "D": 30}
PLACE = re.compile(r"`([a-z0-9-]+)#([a-z-]+)`")


class Page(HTMLParser):
    """The ids of a page, the links into it, its cards' names, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.pictures: list[str] = []
        self.text = ""
        self.feed(html)
        self.text = " ".join(self.text.split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag says."""
        said = dict(attrs)
        if said.get("id"):
            self.ids.append(str(said["id"]))
        if tag == "a" and str(said.get("href")).startswith("#"):
            self.links.append(str(said["href"])[1:])
        if said.get("role") == "img":
            self.pictures.append(str(said.get("aria-label")))

    def handle_data(self, data: str) -> None:
        """Note the text."""
        self.text += data


def page(key: str) -> Page:
    """The page of a published rule set, as a visitor gets it."""
    answer = Client().get(f"/rules/{key}/")
    assert answer.status_code == 200
    return Page(answer.content.decode())


@pytest.mark.django_db
def test_every_sentence_of_the_sources_is_on_its_page_or_refused_with_a_reason() -> None:
    found = {key: page(key).ids for key in RULE_SETS}
    rows = ROW.findall(SOURCES.read_text())
    for source, count in SENTENCES.items():
        numbers = [int(number) for letter, number, _ in rows if letter == source]
        assert numbers == list(range(1, count + 1)), source
    for source, number, where in rows:
        places = PLACE.findall(where)
        reason = where.removeprefix("refused: ")
        assert places or (reason != where and len(reason) > 10), f"{source}{number}: {where}"
        for key, place in places:
            assert place in found[key], f"{source}{number}: {key} has no #{place}"


@pytest.mark.django_db
@pytest.mark.parametrize("key", RULE_SETS)
def test_a_page_has_unique_ids_and_no_dead_links(key: str) -> None:
    shown = page(key)
    assert len(shown.ids) == len(set(shown.ids))
    assert set(shown.links) <= set(shown.ids)
    assert all(shown.pictures)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("key", "says", "says_not"),
    [
        (
            "joker-33",
            [
                "At least four cards must lie in each part",
                "3 then 2, or 2 then 3",
                "“Order it up”",
                "traditionally: “I order it up”",
                "“I assist”",
                "“I take it up”",
                "“I turn it down”",
                "the player opposite the dealer leads",
                "reach 7 points",
                "a three and a four of the cards left out can keep it",
                "The left bower and the joker belong to trump",
            ],
            ["Pick it up”,", "Keeping score with two cards"],
        ),
        (
            "classic-24",
            [
                "“I make it next: diamonds”",
                "“I cross it: spades”",
                "The three lies face up",
                "The left bower belongs to trump",
            ],
            ["cuts the pack", "sticking the dealer", "the dealer’s choice, and it stays"],
        ),
        (
            "stick-the-dealer",
            [
                "“Pick it up”",
                "traditionally: “I pick it up”",
                "2 then 3, or 3 then 2",
                "sticking the dealer",
                "Seven pips show.",
            ],
            ["“I assist” Dealer", "the hand is thrown in: nobody"],
        ),
        (
            "heads-up",
            ["“Pick it up”", "one at a time", "the deal goes back and forth"],
            ["Playing alone with", "put their cards face down", "partner and score"],
        ),
    ],
)
def test_a_page_says_what_its_rules_play(key: str, says: list[str], says_not: list[str]) -> None:
    text = page(key).text
    assert [words for words in says if words not in text] == []
    assert [words for words in says_not if words in text] == []


def test_a_game_where_the_deal_stays_says_when_its_dealer_is_stuck() -> None:
    told = page_of(replace(HEADS_UP, dealer_stays=True))
    html = render_to_string(
        "games/guide/_rule_bidding.html", {"page": told, "rules": told["rules"]}
    )
    assert "After 3 such hands in a row the dealer may not pass in the second round" in html
    fact = dict(rule_words.facts(told["rules"]))["Second round"]
    assert fact.endswith("After 3 such hands in a row the dealer must name a suit.")


def text_of(rules: RuleSet) -> str:
    """The text of the page that a rule set would have."""
    context = {"page": page_of(rules), "others": RULE_SETS.values()}
    return Page(render_to_string("games/guide/rule_set.html", context)).text


@pytest.mark.parametrize("pack", [24, 28, 32])
def test_no_trump_is_told_as_it_is_with_any_pack(pack: int) -> None:
    rules = replace(CLASSIC_24, no_trump="high_or_low", pack=pack, partners_best=True)
    high = dict(facts(replace(rules, no_trump="high")))["No trump"]
    assert high.startswith("High: the ace is best. ")
    assert dict(facts(rules))["No trump"].startswith("High, or low: then the lowest card is best. ")
    text = text_of(rules)
    assert "In most hands one suit is trump and beats the others." in text
    assert "Low no trump needs the lowest cards of the pack instead." in text
    assert "After the call, and the dealer’s discard if there is one, a lone maker" in text


@pytest.mark.parametrize(
    ("stays", "deals"), [(False, "next dealer deals"), (True, "same dealer deals again")]
)
def test_a_stuck_dealer_without_a_card_of_another_suit_may_pass(stays: bool, deals: str) -> None:
    rules = replace(STICK_THE_DEALER, own_trump=True, dealer_stays=stays)
    unless = ", unless they hold no card of the three other suits."
    assert dict(facts(rules))["Second round"] == (
        f"Stick the dealer: the dealer must name a suit{unless}"
        f" If all pass, the hand is thrown in and the {deals}."
    )
    text = text_of(rules)
    assert f"the dealer has to name a suit{unless}" in text
    assert f"The dealer may not pass{unless}" in text
    assert "If everybody passes again, the hand is thrown in" in text
    assert "no hand is thrown in" not in text


@pytest.mark.parametrize("own_trump", [False, True])
def test_a_stuck_dealer_can_always_make_it_no_trump_where_that_is_played(own_trump: bool) -> None:
    rules = replace(STICK_THE_DEALER, no_trump="high", own_trump=own_trump)
    must = "Stick the dealer: the dealer must name a suit or make it no trump."
    assert dict(facts(rules))["Second round"] == must
    text = text_of(rules)
    assert "the dealer has to name a suit or make it no trump. This" in text
    assert "So no hand is thrown in." in text


@pytest.mark.django_db
def test_there_is_no_page_of_other_games() -> None:
    assert Client().get("/rules/bridge/").status_code == 404


@pytest.mark.django_db
def test_the_list_of_games_leads_to_each_page() -> None:
    html = Client().get("/rules/").content.decode()
    assert [key for key in RULE_SETS if f'href="/rules/{key}/"' not in html] == []


def test_trumps_and_suits_are_as_many_as_the_pack_has() -> None:
    joker, classic = page_of(JOKER_33), page_of(CLASSIC_24)
    names = [phrases.card_name(card) for card, _note in joker["trumps"]]
    assert names[:4] == ["Joker", "Jack of Hearts", "Jack of Diamonds", "Ace of Hearts"]
    assert (len(joker["trumps"]), [len(suit[2]) for suit in joker["suits"]]) == (10, [7, 8, 8])
    assert (len(classic["trumps"]), [len(suit[2]) for suit in classic["suits"]]) == (7, [5, 6, 6])


def test_markers_show_as_many_pips_as_points() -> None:
    assert [drawing for drawing, _score, _words in page_of(CLASSIC_24)["markers"]] == [
        "m5-1h", "m5-2h", "m5-3h", "m5-4h",
    ]  # fmt: skip
    shown = page_of(STICK_THE_DEALER)["markers"]
    assert [(score, drawing) for drawing, score, _words in shown] == [
        (n, f"m10-{n}h") for n in range(11)
    ]
    assert page_of(JOKER_33)["markers"] == []
    sprite = Path("static/cards/sprite.svg").read_text()
    for drawing, _score, _words in (*shown, *page_of(CLASSIC_24)["markers"]):
        assert f'id="{drawing}"' in sprite


def test_the_trick_of_the_example_is_taken_by_a_trump() -> None:
    assert [seat for seat, _card, _why, won in page_of(CLASSIC_24)["trick"] if won] == ["South"]
    assert [seat for seat, _card, _why, won in page_of(HEADS_UP)["trick"] if won] == ["South"]


def test_house_rules_have_a_page_too() -> None:
    for number in range(60):
        rules = random_rules(Random(number))
        shown = page_of(rules)
        html = render_to_string(
            "games/guide/rule_set.html", {"page": shown, "others": RULE_SETS.values()}
        )
        ids = Page(html).ids
        assert ("cut" in ids, "joker" in ids, "alone" in ids) == (
            rules.cut,
            rules.joker,
            rules.alone,
        )
        assert all(here != instead for _what, here, instead in shown["options"])


@pytest.mark.parametrize("base", [CLASSIC_24, JOKER_33, HEADS_UP, *CLUB_RULE_SETS.values()])
def test_rules_of_clubs_have_a_page_too(base: RuleSet) -> None:
    """So that a rule set that is offered needs no more than its entry."""
    for rules in each_club_rule(base):
        shown = page_of(rules)
        html = render_to_string(
            "games/guide/rule_set.html", {"page": shown, "others": RULE_SETS.values()}
        )
        for name, _words in rule_words.club_rules(rules):
            assert name in html


def test_facts_say_where_the_packets_are_the_dealers_choice() -> None:
    told = {rules.key: dict(facts(rules))["Deal"] for rules in RULE_SETS.values()}
    reverse = "5 cards each, 2 then 3, or the reverse, as the dealer chooses."
    assert told["stick-the-dealer"] == reverse
    assert told["classic-24"] == "5 cards each, 3 then 2."


def test_the_list_says_in_words_how_many_ways_to_play_there_are() -> None:
    text = Client().get("/rules/").content.decode()
    assert "<p>Eight ways to play euchre." in text
    assert len(RULE_SETS) == 8
