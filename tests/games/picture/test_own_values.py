"""What one viewer alone is shown: their hand, and what they are asked."""

from collections.abc import Iterator, Mapping

from games.engine.actions import action_text
from games.engine.rules import JOKER_33, RULE_SETS, RuleSet
from games.picture.cast import cast_of
from games.picture.frames import TablePicture
from games.picture.scene import View, Viewer
from games.picture.values import own_values, spoken
from tests.games.picture.pages import draw, enabled, page
from tests.games.picture.scenes import (
    EAST,
    NAMES,
    NORTH,
    PEOPLE,
    SOUTH,
    WEST,
    deal,
    every_rule_set,
    gathering,
    moments,
    scene,
    view,
    views,
)

PLAY = ("order", "discard TD")


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


def test_a_hand_is_sorted_with_the_left_bower_among_the_trumps() -> None:
    cards = page(view(deal(*PLAY, "play 9C", "play AD"), SOUTH), "hand").all("button")
    assert [card["aria-label"] for card in cards] == [
        "Jack of Hearts, right bower",
        "Jack of Diamonds, left bower",
        "Ace of Spades",
        "King of Spades",
        "9 of Diamonds",
    ]


def test_a_card_that_may_not_be_played_says_why_and_can_be_reached() -> None:
    cards = page(view(deal(*PLAY, "play QS", "play 9S"), SOUTH), "hand").all("button")
    may = {card["value"]: card.get("data-why") for card in cards}
    follow = "You must follow spades."
    assert may == {
        "play JH": follow, "play JD": follow, "play AS": None, "play KS": None, "play 9D": follow,
    }  # fmt: skip
    assert all("disabled" not in card for card in cards)
    assert "9 of Diamonds. You must follow spades." in [card["aria-label"] for card in cards]


def test_the_turn_up_in_the_dealers_hand_is_marked() -> None:
    drawn = page(view(deal("order"), WEST), "hand")
    taken = [card["value"] for card in drawn.all("button") if "data-taken" in card]
    assert taken == ["discard KH"]
    assert len(drawn.all("button")) == 6
    assert [str(card["aria-label"]) for card in drawn.all("button") if "data-taken" in card] == [
        "King of Hearts, trump, turn-up"
    ]


def test_no_card_can_be_chosen_while_others_are_in_turn() -> None:
    hand = page(view(deal(*PLAY), SOUTH), "hand")
    assert "data-choose" not in hand.elements[0][1]
    cards = hand.all("button")
    assert "Jack of Diamonds, left bower" in [card["aria-label"] for card in cards]
    for card in cards:
        assert card["type"] == "button"
        assert not {"form", "name", "value"} & set(card)


def test_the_cards_of_whoever_is_in_turn_can_be_chosen() -> None:
    hand = page(view(deal(*PLAY), NORTH), "hand")
    assert "data-choose" in hand.elements[0][1]
    assert [card["value"] for card in hand.all("button")] == [
        "play TH", "play 9H", "play QS", "play TC", "play 9C",
    ]  # fmt: skip


def test_nobody_chooses_in_the_place_of_a_stand_in() -> None:
    seats = (PEOPLE[0]._replace(stand_in=True), *PEOPLE[1:])
    hand = page(view(deal(*PLAY), NORTH, seats=seats), "hand")
    assert "data-choose" not in hand.elements[0][1]
    assert [card.get("value") for card in hand.all("button")] == [None] * 5


def test_naming_the_jokers_suit_shows_no_card_of_ones_own() -> None:
    hands = ("9H TH 9C TC QS", "AH 9S TS JS AD", "JH JD AS KS 9D", "QH AC KC QC TD")
    made = deal(rules=JOKER_33, hands=hands, turn_up="Jo")
    drawn = page(view(made, WEST), "hand")
    assert drawn.all("use") == []
    assert enabled(draw(view(made, WEST))) == {"name C", "name D", "name H", "name S"}
    assert "Joker" in str(draw(view(made, WEST))["kitty"])


def test_a_stand_in_is_marked_and_its_owner_can_take_the_seat_back() -> None:
    seats = (PEOPLE[0]._replace(stand_in=True, away=True), *PEOPLE[1:])
    made = deal(*PLAY)
    mine = view(made, NORTH, seats=seats)
    assert page(mine, "question").all("button")[0]["formaction"] == "/tables/4/take-back"
    assert enabled(draw(mine)) == set()
    heard = page(view(made, SOUTH, seats=seats), "marks-0").heard
    assert "Away, a house player plays for Ben" in heard


def test_a_seated_player_can_start_or_stand_up() -> None:
    buttons = page(gathering(SOUTH), "question").all("button")
    asked = [button["formaction"] for button in buttons if "formaction" in button]
    assert asked == ["/tables/4/start", "/tables/4/stand"]


def test_a_finished_game_offers_its_review_its_sheet_and_another() -> None:
    *_, game = moments(RULE_SETS["classic-24"], seed=17)
    shown = views(game)
    prompt = page(shown[SOUTH], "question")
    links = {link["href"]: link["class"] for link in prompt.all("a")}
    assert links == {
        "/games/game/": "button plain",
        "/games/game/replay/": "button plain",
        "/games/game/review/": "button plain two-lines",
        "/": "button plain",
    }
    (again,) = prompt.all("button")
    assert (again["formaction"], again["class"]) == ("/tables/4/again", "button")
    assert page(shown[-1], "question").all("button") == []


def test_between_deals_the_next_hand_can_be_asked_for() -> None:
    between = next(g for g in moments(RULE_SETS["classic-24"], seed=18) if g.between_deals)
    assert enabled(draw(views(between)[SOUTH])) == {"next"}


def drawn(rules: RuleSet, seed: int) -> Iterator[tuple[View, Mapping[str, str]]]:
    """What every seat and a spectator are shown of every moment of a random game, and its parts."""
    for game in moments(rules, seed):
        table = TablePicture()
        for shown in views(game):
            yield shown, draw(shown, table)


def test_only_the_dealer_sees_the_discard() -> None:
    made = deal(*PLAY)
    for seat in (NORTH, EAST, SOUTH, WEST, None):
        told = page(view(made, seat), "discarded")
        assert told.text == ("You discarded 10 of Diamonds" if seat == WEST else "")
        assert ("hidden" in told.elements[0][1]) is (seat != WEST)
    made.push(made.legal_actions()[0])
    assert page(view(made, WEST), "discarded").text


def test_the_question_is_announced_after_the_news() -> None:
    made = deal(*PLAY, "play QS")
    cast = cast_of(NAMES[4])

    def heard(seat: int | None) -> str:
        shown = view(made, seat)
        return spoken(shown, own_values(shown, cast), cast)

    assert heard(EAST) == "Ben plays Queen of Spades. Your turn: follow spades."
    for seat in (NORTH, SOUTH, None):
        assert heard(seat) == "Ben plays Queen of Spades."


def test_a_seat_request_shows_its_state() -> None:
    shown = View(scene(), Viewer(None, asked=EAST), deal().observe())
    told = page(shown, "asked")
    assert "You have asked for a seat: East." in told.text
    assert [one["formaction"] for one in told.all("button")] == ["/tables/4/ask-no-more"]
    refused = page(shown._replace(viewer=Viewer(None, refused=True)), "asked")
    assert refused.text == "The players have refused you a seat in this game."
    assert page(shown._replace(viewer=Viewer(None)), "asked").text == ""


def test_a_closed_table_has_one_way_on() -> None:
    shown = gathering(None)._replace(scene=scene(state="closed"))
    assert [link["href"] for link in page(shown, "question").all("a")] == ["/"]


def test_a_cut_is_a_range_within_the_rules() -> None:
    game = next(moments(JOKER_33, seed=1))
    (lift,) = page(view(game, game.turn), "question").all("input")
    assert (lift["min"], lift["max"], lift["name"], lift["form"]) == ("4", "29", "lift", "act")
