"""How a hand and a game ended: shown once they are over, and never with a card nobody has seen."""

import re
import uuid
from datetime import UTC, datetime
from typing import Any

import pytest

from games.bots.worth import of_sides
from games.engine.cards import card_text
from games.engine.game import Game
from games.engine.rules import CLASSIC_24, RULE_SETS
from games.engine.scoring import DealRecord, score_deal
from games.live.state import LiveGame
from games.picture import endings
from games.picture.cast import cast_of
from games.picture.phrases import together
from games.picture.prompts import prompt_of
from games.picture.values import own_values, spoken
from games.records.sums import DealTotals
from tests.chance import PUBLISHED
from tests.games.picture.pages import draw, page
from tests.games.picture.scenes import NAMES, SOUTH, deal, moments, scene, view, views

CAST = cast_of(NAMES[4])


def ending(game: Game) -> dict[str, Any]:
    """What everybody sees of how something ended, at one moment of a game."""
    shown = views(game)[-1]
    assert shown.observation is not None
    cast = cast_of(NAMES[game.rules.players])
    return endings.ending_values(shown.scene, shown.observation, cast)


@pytest.mark.parametrize("key", PUBLISHED)
def test_nothing_is_shown_of_the_end_before_it(key: str) -> None:
    """Of a hand while it is played, and of a game while it is."""
    for game in moments(RULE_SETS[key], seed=5):
        told = ending(game)
        over, ended = game.standing.over, game.between_deals and game.deal.maker >= 0
        assert bool(told["tally"]) is (ended and not over)
        assert bool(told["recap"]) is (ended and not over)
        assert bool(told["hands"]) is bool((ended or over) and game.deal.tricks)
        assert bool(told["story"]) is over


@pytest.mark.parametrize("key", PUBLISHED)
def test_all_hands_hold_what_was_played_and_no_other_card(key: str) -> None:
    for game in moments(RULE_SETS[key], seed=11):
        hands = ending(game)["hands"]
        shown = {cell["card"] for row in hands for cell in row["cells"] if "card" in cell}
        played = {card_text(card) for trick in game.deal.tricks for _, card in trick.plays}
        assert shown == (played if hands else set())
        for row in hands:
            assert len(row["cells"]) == 1 + len(game.deal.tricks)


def test_an_abandoned_game_is_not_shown_as_being_played() -> None:
    made = deal("order", "discard TD", "play 9C")
    given_up = view(made, SOUTH, resigned=1)
    told = endings.ending_values(given_up.scene, given_up.observation, CAST)
    assert (told["hands"], told["hands.more"]) == ([], None)
    assert told["hands.title"] == "This hand was not finished"
    assert spoken(given_up, own_values(given_up, CAST), CAST) == f"{together(CAST, 1)} resign."


def test_a_game_given_up_has_its_story_and_says_how_it_was_won() -> None:
    game = next(one for one in moments(CLASSIC_24, seed=18) if one.between_deals)
    before = game.standing.score
    ahead = int(before[1] > before[0])
    fields = {"state": "finished", "records": game.records, "resigned": ahead}
    given_up = view(game, None, **fields)
    told = endings.ending_values(given_up.scene, given_up.observation, CAST)
    assert counts(told["story"])["Tricks"] != (0, 0)
    assert not part_of(told["story"], "turning"), "no hand turned it"
    assert (told["tally"], told["recap"]) == ([], [])
    for seat in range(4):
        prompt = prompt_of(view(game, seat, **fields), CAST)
        assert prompt is not None
        who = "You" if seat % 2 != ahead else together(CAST, 1 - ahead)
        assert prompt.head == f"{who} win by resignation"
        stood = f"{before[ahead]}–{before[1 - ahead]}"
        assert prompt.more == f"One hand. {together(CAST, ahead)} resign at {stood}."


def test_a_hand_that_is_over_shows_who_took_what() -> None:
    game = next(one for one in moments(CLASSIC_24, seed=18) if one.between_deals)
    told, record = ending(game), game.records[-1]
    token, tricks = told["tally"]
    assert (told["tally.side"], token["points"]) == (
        record.result.side, f"+{record.result.points}",
    )  # fmt: skip
    assert [one["text"].split()[-1] for one in tricks["sides"][1:]] == [
        str(count) for count in record.result.tricks
    ]
    assert [one["text"].split(" · ")[1] for one in told["recap"]] == [
        CAST[trick.winner].short for trick in game.deal.tricks
    ]
    # Who plays has the place of the hand free for it.
    assert page(view(game, SOUTH), "hand").all("button") == []


def record(number: int, makers: int, tricks: tuple[int, int], score: tuple[int, int]) -> DealRecord:
    """A line of the score sheet."""
    result = score_deal(CLASSIC_24, makers, tricks, alone=number == 2)
    return DealRecord(number, 0, makers, 0, number == 2, result, score)


#: North and South make it, are euchred alone, and march; then East and West are euchred.
RECORDS = (
    record(1, 0, (3, 2), (1, 0)), record(2, 0, (1, 4), (1, 2)),
    record(3, 0, (5, 0), (3, 2)), record(4, 1, (3, 2), (5, 2)),
)  # fmt: skip


def story(worths: tuple[float, float] | None = None) -> list[dict[str, Any]]:
    """The story of that game."""
    *_, game = moments(CLASSIC_24, seed=3)
    shown = scene(records=RECORDS, hand_values=worths)
    told: list[dict[str, Any]] = endings.ending_values(shown, game.observe(), CAST)["story"]
    return told


def part_of(told: list[dict[str, Any]], name: str) -> dict[str, Any]:
    """One part of a story, empty where it has none."""
    return next((one for one in told if one["as"] == name), {})


def counts(told: list[dict[str, Any]]) -> dict[str, tuple[object, object]]:
    """What both sides did."""
    rows = part_of(told, "story")["rows"]
    return {row["what"]: (row["first"], row["second"]) for row in rows}


def test_the_story_counts_what_both_sides_did() -> None:
    assert counts(story()) == {
        "Named trump": (3, 1), "Of those, made": (2, 0), "Euchred": (1, 1),
        "Marches": (1, 0), "Lone hands": ("0 of 1", "0 of 0"), "Tricks": (12, 8),
    }  # fmt: skip


def test_the_story_names_the_hand_from_which_the_winner_led() -> None:
    assert part_of(story(), "turning")["text"] == "hand 3, Ben and Maeve +2"
    drawn = page(view(_over(), None, records=RECORDS, state="finished"), "story")
    assert [link["href"] for link in drawn.all("a")] == ["/games/game/replay/?at=3.0"]


def _over() -> Game:
    *_, game = moments(CLASSIC_24, seed=3)
    return game


@pytest.mark.parametrize(
    ("worths", "words", "bar"),
    [
        ((10.0, 9.0), "Ben and Maeve were worth 0.25 tricks a hand more: 2.50 against 2.25", -17),
        ((9.0, 10.0), "Jonah and Iris were worth 0.25 tricks a hand more", 17),
        ((40.0, 0.0), "Ben and Maeve were worth 10.00 tricks", -100),
        ((9.0, 9.0), "Both sides were dealt equally good cards", 0),
    ],
)
def test_the_luck_is_that_of_the_players_records(
    worths: tuple[float, float], words: str, bar: int
) -> None:
    luck = part_of(story(worths=worths), "luck")
    assert words in luck["text"]
    assert (luck["x"], luck["width"]) == (100 + min(bar, 0), abs(bar))
    totals = DealTotals(deals=len(RECORDS), worth=worths[0], worth_against=worths[1])
    assert totals.luck.value == pytest.approx((worths[0] - worths[1]) / len(RECORDS))


def test_what_all_read_of_an_ending_names_people() -> None:
    *_, game = moments(CLASSIC_24, seed=23)
    drawn = draw(views(game)[-1])
    for part in ("tally", "recap", "all-hands-cards", "story"):
        assert not re.search(r"\b(you|us|them)\b", page_text(drawn[part]), re.IGNORECASE)


def page_text(html: str) -> str:
    """What is written in some HTML."""
    return re.sub(r"<[^>]*>", " ", html)


def test_who_sat_out_has_no_cards_left_where_the_tricks_are_shown() -> None:
    made = deal("order alone", "discard TD")
    (out,) = made.sitting_out
    assert page(view(made, out), "hand").text == ""
    while made.result is None:
        made.push(made.legal_actions()[0])
    assert page(view(made, out), "hand").all("i") == []
    assert page(view(made, out), "hand").all("button") == []
    rows = page(view(made, None), "all-hands-cards")
    assert "sat out" in rows.text
    assert "Cards that were not played appear in the replay after the game." in rows.text


@pytest.mark.parametrize("key", PUBLISHED)
def test_the_luck_is_hidden_until_the_end(key: str) -> None:
    """And then it is what players' records add up, hand by hand."""
    for game in moments(RULE_SETS[key], seed=29):
        playing = LiveGame(uuid.UUID(int=1), 1, game, {}, lambda _: 0, datetime.now(UTC))
        if not game.standing.over:
            assert playing.dealt is None
            continue
        each = [of_sides(one.rules, one.start[0]) for one in game.deals]
        assert len(each) == len(game.records)
        assert playing.dealt == tuple(sum(side) for side in zip(*each, strict=True))
