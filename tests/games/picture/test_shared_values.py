"""What everybody sees of a table: the right words and marks in each state, and nothing more."""

import re
from dataclasses import replace

import pytest

from games.engine.actions import BEST
from games.engine.cards import card_text, cards_in
from games.engine.observation import Observation, Standing
from games.engine.rules import CLASSIC_24, RULE_SETS, RuleSet
from games.picture.frames import TablePicture
from games.picture.phrases import plain_name
from games.picture.scene import HOUSE, PERSON, ProposalEntry, SeatView
from tests.games.picture.pages import draw, drawn_from, page, shown_at
from tests.games.picture.scenes import (
    EAST,
    NORTH,
    PEOPLE,
    SOUTH,
    deal,
    every_rule_set,
    gathering,
    moments,
    view,
    views,
)

PLAY = ("order", "discard TD")


@every_rule_set
def test_only_cards_that_a_viewer_has_seen_are_on_his_page(rules: RuleSet) -> None:
    """Every card of a page is one of the viewer's own, of a trick, or the turn-up.

    What everybody is sent has no card of anybody's own, by code or by name.
    """
    for game in moments(rules, seed=16):
        table = TablePicture()
        for shown in views(game):
            picture = shown_at(table, shown)
            seen = shown.observation
            assert seen is not None
            only_shown = known_to(seen.public)
            html = drawn_from(shown, table.values, picture.own)
            assert faces(html) <= known_to(seen)
            assert set(re.findall(r'data-(?:card|word)="(\w+)"', html)) <= known_to(seen)
            everybody = table.frames_after(0)[0].decode()
            assert codes(everybody) <= only_shown
            if (seen.hand & ~shown_cards(seen)).bit_count() > 0:
                named = {plain_name(card) for card in cards_in(seen.hand & ~shown_cards(seen))}
                assert not [name for name in named if name in everybody]


def known_to(seen: Observation) -> set[str]:
    """The cards that a viewer has seen, as text."""
    given = sum(
        1 << action.value for _, action in seen.answers if action.kind == BEST and action.value >= 0
    )
    known = seen.hand | seen.put_away | given | shown_cards(seen)
    return {card_text(card) for card in cards_in(known)}


def shown_cards(seen: Observation) -> int:
    """The cards that everybody has seen, as bits."""
    tricks = [trick.plays for trick in seen.tricks] + [seen.plays]
    cards = seen.folded | sum(1 << card for plays in tricks for _, card in plays)
    return cards | (1 << seen.turn_up if seen.turn_up >= 0 else 0)


def codes(text: str) -> set[str]:
    """The cards that are named by their codes in a frame."""
    return set(re.findall(r'"(Jo|2S|[7-9TJQKA][CDHS])"', text))


def faces(html: str) -> set[str]:
    """The cards whose faces are drawn in some HTML, as text."""
    found = re.findall(r"#face-(\w+)", html)
    return {"Jo" if one == "Jo" else one.replace("10", "T").upper() for one in found}


def test_the_trick_names_who_played_and_who_is_winning() -> None:
    shown = view(deal(*PLAY, "play QS", "play 9S"), SOUTH)
    assert 'aria-label="Queen of Spades, led by Ben, winning so far"' in draw(shown)["spot-0"]
    assert 'aria-label="9 of Spades, played by Jonah"' in draw(shown)["spot-1"]
    assert page(shown, "trick-name").text == "First trick, Ben led"


def test_a_complete_trick_stays_with_its_winner_until_he_leads() -> None:
    made = deal(*PLAY, "play QS", "play 9S", "play AS", "play QH")
    parts = draw(view(made, SOUTH))
    assert 'data-won="3"' in parts["turn"]
    assert "Queen of Hearts, trump, played by Iris, won the trick" in parts["spot-3"]


def test_a_turn_up_turned_down_lies_face_up_half_under_the_pack() -> None:
    drawn = page(view(deal(*["pass"] * 4), NORTH), "kitty")
    assert "King of Hearts, turned down" in [one.get("aria-label") for one in drawn.all("div")]
    assert "hearts may not be named" in drawn.text


def test_marks_stand_in_their_order_each_with_a_word() -> None:
    seats = (*PEOPLE[:3], SeatView("Rowan", HOUSE))
    made = deal("pass", "pass", "pass", "order alone", "discard TD")
    assert page(view(made, SOUTH, seats=seats), "marks-3").heard == (
        "HouseDealerAlone heartsAsk for this seat: Rowan"
    )


def test_who_is_away_is_marked() -> None:
    seats = (PEOPLE[0]._replace(away=True), *PEOPLE[1:])
    assert "Away" in page(view(deal(), SOUTH, seats=seats), "marks-0").text


def test_the_last_call_is_shown_at_its_seat_until_the_play() -> None:
    assert page(view(deal("pass", "pass"), SOUTH), "said-1").text == "“Pass”"
    assert page(view(deal("pass", "order"), SOUTH), "said-1").text == "“Order it up”"
    assert page(view(deal("pass", "order", "discard TD"), SOUTH), "said-1").text == ""


def test_who_sits_out_is_shown_as_such() -> None:
    shown = view(deal("order alone", "discard TD"), EAST)
    assert "Sitting out" in page(shown, "plate-2").text
    assert shown_at(TablePicture(), shown).table.values["slot.2"] == "Maeve sits out"
    assert page(shown, "backs-2").elements[0][1]["aria-label"] == "five cards, face down"


def test_everybody_is_called_by_one_name_in_the_whole_picture() -> None:
    guests = ("Quiet Heron", "Ben Okafor", "Jolly Robin", "Silver Finch")
    seats = tuple(SeatView(name, PERSON) for name in guests)
    asked = ProposalEntry(1, 1, 7, "undo", "declined", "Quiet Heron", "Ben Okafor")
    shown = view(deal(*PLAY, "play 9C"), None, seats=seats, proposals=(asked,))
    everything = page(shown).text
    assert [name for name in guests if name in everything] == []
    assert everything.count("Heron") > 4


def test_a_visitor_can_sit_down_or_take_a_house_seat() -> None:
    offers = {
        button["value"]: button["formaction"]
        for button in page(gathering(None)).all("button")
        if button.get("form") == "verb"
    }
    assert offers == {"1": "/tables/4/sit", "3": "/tables/4/sit"}
    assert "Free seat" in page(gathering(None), "plate-1").text


@pytest.mark.parametrize(
    ("target", "score", "drawn"),
    [(10, 7, "#m10-7"), (10, 12, "#m10-10"), (5, 4, "#m5-4"), (5, 5, None), (7, 3, None)],
)
def test_markers_show_as_many_pips_as_points(target: int, score: int, drawn: str | None) -> None:
    rules = replace(RULE_SETS["classic-24"], target=target)
    made = deal(rules=rules)
    table = TablePicture()
    table.show(view(made, None).scene, made.observe(None, Standing((score, 0))))
    hearts_and_spades = [f"{drawn}h", f"{drawn}s"] if drawn else [None, None]
    shown = [table.values["us.0"], table.values["them.0"]]
    assert [one and re.sub("^[^#]*", "", one) for one in shown] == hearts_and_spades
    assert table.values["score.0"] == f"Ben and Maeve: {score} of {target} points"


def test_the_points_of_a_hand_are_shown_until_the_next() -> None:
    between = next(game for game in moments(RULE_SETS["classic-24"], seed=18) if game.between_deals)
    gained = [page(views(between)[-1], f"points-{side}").text for side in (0, 1)]
    result = between.records[-1].result
    assert f"+{result.points}" in gained[result.side]
    assert "+" not in gained[1 - result.side]


def test_a_complete_trick_is_looked_back_at_in_the_order_played() -> None:
    made = deal(*PLAY, "play QS", "play 9S", "play AS", "play QH")
    last = page(view(made, SOUTH), "last-cards")
    assert "First trick: Iris won it" in last.text
    assert [one["aria-label"] for one in last.all("div") if one.get("role") == "img"] == [
        "Queen of Spades", "9 of Spades", "Ace of Spades", "Queen of Hearts, trump",
    ]  # fmt: skip
    assert "Ben led" in last.text
    assert "Iris won it" in last.text.partition("Maeve")[2]


def test_the_facts_count_the_makers_tricks() -> None:
    made = deal(*PLAY, "play QS", "play 9S", "play AS", "play QH")
    facts = page(view(made, SOUTH), "facts").text
    assert facts == "Hand1To5MakerBenTook0 of 1"


def test_trump_says_who_made_it() -> None:
    assert page(view(deal("pass", "order"), SOUTH), "trump").text == "HeartsJonah ordered it up"
    called = view(deal(*["pass"] * 4, "make D"), SOUTH)
    assert page(called, "trump").text == "DiamondsBen called it"


def test_the_old_words_are_those_of_the_whole_table() -> None:
    old = replace(CLASSIC_24, old_words=True)
    shown = view(deal("pass", "order", rules=old), SOUTH)
    assert page(shown, "said-1").text == "“I assist”"
    assert page(shown, "trump").text == "HeartsJonah assisted"
    assert "Jonah assists" in page(shown, "log-deal").text
