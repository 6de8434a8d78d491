"""What somebody is reading stays when the table moves on, and what the end of a game adds."""

from __future__ import annotations

import random
import re

from playwright.sync_api import expect

from games.engine.rules import HEADS_UP
from tests.browser.conftest import MakePerson
from tests.browser.tables import all_show, play_on, sit_together

HOUSE = dict.fromkeys(("north", "east", "west"), "house")


def test_all_hands_stay_while_the_next_hand_begins(person: MakePerson) -> None:
    maeve, ben = people = [person("Maeve"), person("Ben")]
    sit_together(people, HEADS_UP.key)
    chance = random.Random(3)
    while "next" not in {now["asked"] for now in all_show(people)}:
        play_on(people, chance)
    maeve.page.get_by_role("button", name="See all hands").click()
    hands = maeve.page.get_by_role("table", name="Each player’s card in each trick")
    expect(hands).to_be_visible()
    shown = hands.inner_text()
    ben.call("Next hand")
    expect(maeve.page.locator("#ended").get_by_text("The next hand has begun.")).to_be_visible()
    expect(hands).to_be_visible()
    assert hands.inner_text() == shown
    maeve.page.get_by_role("button", name="To the table").click()
    expect(hands).to_be_hidden()


def test_the_end_of_a_game_offers_its_review_second(person: MakePerson) -> None:
    maeve = person("Maeve")
    maeve.make_table("house-rules", seats=HOUSE, house_rules={"target": "1"})
    maeve.wait_until_dealt()
    chance = random.Random(3)
    while maeve.wait_for_turn() != "over":
        maeve.choose(chance)
    ways = maeve.page.locator("#question .calls > *")
    expect(ways.nth(0)).to_have_text("Play again")
    expect(ways.nth(1)).to_have_text(
        re.compile(r"Review(Ready in about a minute|No mistakes|\d+ of your \d+ decisions .*)")
    )
    assert [one.strip() for one in ways.all_inner_texts()[2:]] == ["Score sheet", "Replay", "Leave"]
