"""The parts of a table's page: the right words and controls in each state, and nothing more."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

from games.engine.actions import action_text
from games.engine.cards import card_text, cards_in
from games.engine.observation import Standing
from games.engine.rules import JOKER_33, RULE_SETS, RuleSet
from games.picture import drawing
from games.picture.render import Drawings, TablePicture, deal_log, draw
from games.picture.scene import GUEST, HOUSE, PERSON, SeatView, View, Viewer
from tests.games.picture.scenes import (
    EAST,
    NAMES,
    NORTH,
    PEOPLE,
    SOUTH,
    WEST,
    deal,
    gathering,
    moments,
    scene,
    view,
    views,
)
from tests.volume import volume

PLAY = ("order", "discard TD")
VOID = {"input", "use"}
#: To two points, to five or to their own end: a hand or two of each, some hands, whole games.
every_rule_set = pytest.mark.parametrize(
    "rules",
    [
        volume(replace(rules, target=2), replace(rules, target=5), rules)
        for rules in RULE_SETS.values()
    ],
    ids=RULE_SETS,
)


class Page(HTMLParser):
    """Reads a part strictly: each tag is closed in its turn.

    Attributes:
        elements: (tag, attributes) in order.
        text: all that is written.
    """

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.roots = 0
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == [], f"not closed: {self._open} in {html}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.roots += not self._open
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """The attributes of every element of a kind."""
        return [attributes for name, attributes in self.elements if name == tag]


def page(shown: View, *names: str) -> Page:
    """Some parts of a view, or all of them."""
    return page_of(draw(shown), *names)


def page_of(parts: Mapping[str, str], *names: str) -> Page:
    """Some of the parts drawn, or all of them."""
    return Page("".join(parts[name] for name in names or parts))


def drawn(rules: RuleSet, seed: int) -> Iterator[tuple[View, Mapping[str, str]]]:
    """What every seat and a spectator are shown of every moment of a random game, and its parts.

    What is the same for all is drawn once a moment, as at a table; nothing is kept of an earlier
    one.
    """
    for game in moments(rules, seed):
        drawings = Drawings()
        for shown in views(game):
            yield shown, draw(shown, drawings)


def parts_in(changes: str) -> dict[str, str]:
    """The parts that a frame puts in place, from the inside of its JSON text."""
    swap = r'<hx-partial hx-target="#([\w-]+)" hx-swap="outerMorph">(.*?)</hx-partial>'
    return dict(re.findall(swap, json.loads(f'"{changes}"'), re.DOTALL))


def enabled(parts: Mapping[str, str]) -> set[str]:
    """The actions that can be sent from a page, as text."""
    found = set()
    for button in page_of(parts, "prompt", "hand").all("button"):
        if button.get("form") == "act" and "aria-disabled" not in button:
            found.add(str(button["value"]))
    return found


# Every state ------------------------------------------------------------------------------


@every_rule_set
def test_every_part_is_one_element_with_its_own_id(rules: RuleSet) -> None:
    for name, html in {part for _shown, parts in drawn(rules, seed=11) for part in parts.items()}:
        read = Page(html)
        assert read.roots == 1
        assert read.elements[0][1]["id"] == name
        assert not any("style" in attributes for _, attributes in read.elements)


@every_rule_set
def test_no_id_stands_twice_on_a_page(rules: RuleSet) -> None:
    for _shown, parts in drawn(rules, seed=12):
        ids = re.findall(r' id="([^"]*)"', "".join(parts.values()))
        assert len(ids) == len(set(ids))


@every_rule_set
def test_exactly_the_legal_actions_can_be_pressed(rules: RuleSet) -> None:
    """Over random games; "alone" is a box beside a suit, and a cut a number beside its button."""
    for shown, parts in drawn(rules, seed=13):
        assert shown.observation is not None
        texts = {action_text(action) for action in shown.observation.legal}
        if any(text.startswith("cut") for text in texts):
            assert enabled(parts) == {"cut", "cut auto"}
        else:
            plain = {text for text in texts if not text.endswith("alone") or "order" in text}
            assert enabled(parts) == plain


@every_rule_set
def test_equal_views_give_equal_bytes(rules: RuleSet) -> None:
    """With nothing kept, and with the same values in other objects."""
    first = [parts for _shown, parts in drawn(rules, seed=14)]
    drawing.forget()
    assert [parts for _shown, parts in drawn(rules, seed=14)] == first


@every_rule_set
def test_what_is_kept_of_earlier_pictures_changes_nothing(rules: RuleSet) -> None:
    """Forwards through a game and then backwards, as no table ever goes."""
    kept = Drawings()
    fresh = list(drawn(rules, seed=15))
    for shown, parts in (*fresh, *reversed(fresh)):
        assert draw(shown, kept) == parts


@every_rule_set
def test_the_frames_of_a_socket_make_its_whole_picture(rules: RuleSet) -> None:
    """Whatever sheet it was last shown: one socket in five misses pictures on the way."""
    drawings = Drawings()
    sockets: dict[Viewer, tuple[TablePicture | None, dict[str, str]]] = {}
    for number, game in enumerate(moments(rules, seed=19)):
        shown = views(game)
        sheet = drawings.sheet(shown[0].scene, shown[0].observation)
        fresh = Drawings()
        for one in shown:
            picture = drawings.picture(one, sheet)
            before, page_parts = sockets.get(one.viewer, (None, {}))
            if one.viewer.seat == 1 and number % 5:
                continue
            page_parts.update(parts_in(picture.changes(before)))
            assert page_parts == draw(one, fresh)
            sockets[one.viewer] = (picture, page_parts)


@every_rule_set
def test_what_everybody_is_shown_is_the_same_whoever_it_is_drawn_for(rules: RuleSet) -> None:
    for game in moments(rules, seed=20):
        public = game.observe()
        sheets = []
        for one in views(game):
            assert one.observation is not None
            assert one.observation.public == public
            sheets.append(Drawings().sheet(one.scene, one.observation).parts)
        assert all(sheet == sheets[0] for sheet in sheets)


@every_rule_set
def test_nobody_is_sent_the_words_for_another(rules: RuleSet) -> None:
    """What is drawn for all holds both wordings; what is sent, one, and no mark of the other."""
    for shown, parts in drawn(rules, seed=21):
        text = "".join(parts.values())
        assert not re.search("[\ue000-\uf8ff]", text)
        if shown.viewer.seat is None:
            assert not re.search(r"\b[Yy]ou\b", text.replace("You are watching.", ""))


@every_rule_set
def test_a_spectator_is_given_no_action(rules: RuleSet) -> None:
    for game in moments(rules, seed=15):
        parts = draw(views(game)[-1])
        assert enabled(parts) == set()
        assert page_of(parts, "hand").all("button") == []


@every_rule_set
def test_only_cards_that_a_viewer_has_seen_are_on_his_page(rules: RuleSet) -> None:
    """Every ``#face-`` on a page is a card of his own, of a trick, or the turn-up."""
    for shown, parts in drawn(rules, seed=16):
        seen = shown.observation
        assert seen is not None
        known = {card_text(card) for card in cards_in(seen.hand)}
        tricks = [trick.plays for trick in seen.tricks] + [seen.plays]
        known |= {card_text(card) for plays in tricks for _, card in plays}
        known |= {card_text(seen.turn_up)} if seen.turn_up >= 0 else set()
        faces = re.findall(r'"#face-(\w+)"', "".join(parts.values()))
        shown_cards = {face.replace("10", "T").upper() for face in faces}
        assert shown_cards <= {text.upper() for text in known}


# The cards --------------------------------------------------------------------------------


def test_a_hand_is_sorted_with_the_left_bower_among_the_trumps() -> None:
    cards = page(view(deal(*PLAY, "play 9C", "play AD"), SOUTH), "hand").all("button")
    assert [card["aria-label"] for card in cards] == [
        "Jack of Hearts, right bower",
        "Jack of Diamonds, left bower",
        "Ace of Spades",
        "King of Spades",
        "Nine of Diamonds",
    ]


def test_a_card_that_may_not_be_played_says_why_and_can_be_reached() -> None:
    cards = page(view(deal(*PLAY, "play QS", "play 9S"), SOUTH), "hand").all("button")
    may = {card["value"]: card.get("data-why") for card in cards}
    follow = "You must follow spades."
    assert may == {
        "play JH": follow, "play JD": follow, "play AS": None, "play KS": None, "play 9D": follow,
    }  # fmt: skip
    assert all("disabled" not in card for card in cards)
    assert "Nine of Diamonds. You must follow spades." in [card["aria-label"] for card in cards]


def test_the_turn_up_in_the_dealers_hand_is_marked() -> None:
    drawn = page(view(deal("order"), WEST), "hand")
    taken = [card["value"] for card in drawn.all("button") if "taken" in str(card["class"])]
    assert taken == ["discard KH"]
    assert len(drawn.all("button")) == 6
    assert "turn-up" in drawn.text


def test_cards_are_not_buttons_while_others_are_in_turn() -> None:
    drawn = page(view(deal(*PLAY), SOUTH), "hand")
    assert drawn.all("button") == []
    names = [one["aria-label"] for one in drawn.all("div") if one.get("role") == "img"]
    assert "Jack of Diamonds, left bower" in names


def test_who_names_the_jokers_suit_sees_no_card_of_his() -> None:
    hands = ("9H TH 9C TC QS", "AH 9S TS JS AD", "JH JD AS KS 9D", "QH AC KC QC TD")
    made = deal(rules=JOKER_33, hands=hands, turn_up="Jo")
    drawn = page(view(made, WEST), "hand")
    assert drawn.all("use") == []
    assert enabled(draw(view(made, WEST))) == {"name C", "name D", "name H", "name S"}
    assert "Joker" in str(draw(view(made, WEST))["kitty"])


def test_the_trick_names_who_played_and_who_is_winning() -> None:
    shown = view(deal(*PLAY, "play QS", "play 9S"), SOUTH)
    assert 'aria-label="Queen of Spades, led by Ben, winning so far"' in draw(shown)["spot-0"]
    assert 'aria-label="Nine of Spades, played by Jonah"' in draw(shown)["spot-1"]
    assert page(shown, "trick-name").text == "First trick, Ben led"


def test_a_complete_trick_stays_with_its_winner_until_he_leads() -> None:
    made = deal(*PLAY, "play QS", "play 9S", "play AS", "play QH")
    parts = draw(view(made, SOUTH))
    assert 'data-won="west"' in parts["turn"]  # Iris sits to the left of Maeve
    assert "Queen of Hearts, trump, played by Iris, won the trick" in parts["spot-3"]


def test_a_turn_up_turned_down_lies_face_up_half_under_the_pack() -> None:
    drawn = page(view(deal(*["pass"] * 4), NORTH), "kitty")
    assert "King of Hearts, turned down" in [one.get("aria-label") for one in drawn.all("div")]
    assert "hearts may not be named" in drawn.text


def test_a_trick_tells_the_same_to_all_who_have_no_part_in_it() -> None:
    made = deal(*PLAY, "play QS")
    assert draw(view(made, SOUTH))["spot-0"] == draw(view(made, EAST))["spot-0"]
    assert draw(view(made, SOUTH))["spot-0"] != draw(view(made, NORTH))["spot-0"]


def test_one_play_changes_few_parts() -> None:
    made = deal(*PLAY)
    before = draw(view(made, SOUTH, version=3))
    made.push(made.legal_actions()[0])
    after = draw(view(made, SOUTH, version=4))
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {
        "stamp", "turn", "backs-0", "spot-0", "trick-name", "log-trick-1", "prompt", "live",
    }  # fmt: skip


# Seats ------------------------------------------------------------------------------------


def test_marks_stand_in_their_order_each_with_a_word() -> None:
    seats = (*PEOPLE[:3], SeatView("Rowan", HOUSE))
    made = deal("pass", "pass", "pass", "order alone", "discard TD")
    assert page(view(made, SOUTH, seats=seats), "marks-3").text.split() == [
        "Dealer", "Alone", "hearts", "House",
    ]  # fmt: skip


def test_a_stand_in_is_marked_and_its_owner_can_take_the_seat_back() -> None:
    seats = (PEOPLE[0]._replace(stand_in=True, away=True), *PEOPLE[1:])
    made = deal(*PLAY)
    mine = view(made, NORTH, seats=seats)
    assert page(mine, "prompt").all("button")[0]["formaction"] == "/tables/4/take-back"
    assert enabled(draw(mine)) == set()
    assert "House player for Ben" in page(view(made, SOUTH, seats=seats), "marks-0").text


def test_who_is_away_is_marked() -> None:
    seats = (PEOPLE[0]._replace(away=True), *PEOPLE[1:])
    assert "Away" in page(view(deal(), SOUTH, seats=seats), "marks-0").text


def test_the_last_call_stands_at_its_seat_until_the_play() -> None:
    assert page(view(deal("pass", "pass"), SOUTH), "said-1").text == "“I pass”"
    assert page(view(deal("pass", "order"), SOUTH), "said-1").text == "“I assist”"
    assert page(view(deal("pass", "order", "discard TD"), SOUTH), "said-1").text == ""


def test_who_sits_out_is_shown_as_such() -> None:
    shown = view(deal("order alone", "discard TD"), EAST)
    assert "Sitting out" in page(shown, "plate-2").text
    assert page(shown, "spot-2").text.strip() == "Maeve sits out"
    assert page(shown, "backs-2").elements[0][1]["aria-label"] == "five cards, face down"


# Before, between and after games ----------------------------------------------------------


def test_a_visitor_can_sit_down_or_take_a_house_seat() -> None:
    offers = {
        button["value"]: button["formaction"]
        for button in page(gathering(None)).all("button")
        if button["form"] == "verb"
    }
    assert offers == {"1": "/tables/4/sit", "3": "/tables/4/sit"}
    assert "Free seat" in page(gathering(None), "plate-1").text


def test_a_seated_player_can_start_or_stand_up() -> None:
    buttons = page(gathering(SOUTH)).all("button")
    assert [button["formaction"] for button in buttons] == ["/tables/4/start", "/tables/4/stand"]


def test_a_finished_game_offers_to_be_verified_its_sheet_and_another() -> None:
    *_, game = moments(RULE_SETS["classic-24"], seed=17)
    shown = views(game)
    prompt = page(shown[SOUTH], "prompt")
    links = {link["href"]: link["class"] for link in prompt.all("a")}
    assert links == {
        "/games/game/verify/": "button",
        "/games/game/": "button plain",
        "/": "button plain",
    }
    assert [one["formaction"] for one in prompt.all("button")] == ["/tables/4/again"]
    assert page(shown[-1], "prompt").all("button") == []


def test_between_deals_the_next_hand_can_be_asked_for() -> None:
    between = next(g for g in moments(RULE_SETS["classic-24"], seed=18) if g.between_deals)
    assert enabled(draw(views(between)[SOUTH])) == {"next"}


def test_a_closed_table_has_one_way_on() -> None:
    shown = gathering(None)._replace(scene=scene(state="closed"))
    assert [link["href"] for link in page(shown, "prompt").all("a")] == ["/"]


def test_a_cut_is_a_range_within_the_rules() -> None:
    game = next(moments(JOKER_33, seed=1))
    (lift,) = page(view(game, game.turn), "prompt").all("input")
    assert (lift["min"], lift["max"], lift["name"], lift["form"]) == ("4", "29", "lift", "act")


# The score --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "score", "drawn"),
    [(10, 7, "#m10-7h"), (10, 12, "#m10-10h"), (5, 4, "#m5-4h"), (5, 5, None), (7, 3, None)],
)
def test_markers_show_as_many_pips_as_points(target: int, score: int, drawn: str | None) -> None:
    rules = replace(RULE_SETS["classic-24"], target=target)
    made = deal(rules=rules)
    shown = view(made, SOUTH)._replace(observation=made.observe(SOUTH, Standing((score, 0))))
    ours = draw(shown)["plaque"].partition('data-side="them"')[0]
    assert re.findall(r'href="(#m[^"]*)"', ours) == ([drawn] if drawn else [])
    assert f"Us: {score} of {target} points" in ours


# Names ------------------------------------------------------------------------------------


NASTY = '<b>x" onload=alert(1)'


@pytest.mark.parametrize("kind", [PERSON, GUEST, HOUSE])
def test_a_name_is_never_markup(kind: str) -> None:
    seats = (SeatView(NASTY, kind), *PEOPLE[1:])
    made = deal("pass", "pass", "pass", "order", "discard TD", "play 9C", "play AD")
    for seat in (SOUTH, NORTH, None):
        drawn = page(view(made, seat, seats=seats, wait=0))
        assert drawn.all("b") == [{}]  # the plaque's own
        assert not any("onload" in attributes for _, attributes in drawn.elements)


def test_a_deal_can_be_told_on_another_page() -> None:
    made = deal(*PLAY, "play QS", "play 9S", "play AS", "play QH")
    log = Page(deal_log(made.observe(None), NAMES[4]))
    assert log.roots == 1
    assert "Iris wins it" in log.text


def test_everything_kept_can_be_forgotten() -> None:
    draw(view(deal(), SOUTH))
    drawing.forget()
    kept: Any = drawing.html
    assert kept.cache_info().currsize == 0
