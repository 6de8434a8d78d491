"""Whole games of every rule set, each player in a browser of their own."""

import random
import re
from contextlib import ExitStack

import pytest
from playwright.sync_api import expect

from games.engine.rules import CLASSIC_24, HEADS_UP, JOKER_33, STICK_THE_DEALER, RuleSet
from tests.browser.conftest import MakePerson
from tests.browser.person import Person, play_on, sit_together
from tests.browser.store import cut_themselves
from tests.browser.verifying import FITS, STEPS, states, verdict
from tests.served import Server


def play_to_the_end(people: list[Person], rules: RuleSet) -> None:
    """Play by chance until the game is over; check how it ended on every page."""
    chance = random.Random(rules.key)
    with ExitStack() as marks:
        for one in people:
            marks.enter_context(one.no_reload())
        while play_on(people, chance):
            pass
    heads = [one.question[0] for one in people]
    high, low = re.search(r"(\d+)–(\d+)$", heads[0]).groups()  # type: ignore[union-attr]
    assert int(high) >= (rules.target or 0) > int(low)
    assert all(head.endswith(f" {high}–{low}") for head in heads)
    won = [head.startswith("You win") for head in heads]
    sides = [won[0::2], won[1::2]]
    assert sorted(map(all, sides)) == [False, True], "one side has won, and knows it"
    assert not any(any(side) and not all(side) for side in sides)


def verify(one: Person) -> None:
    """Verify the game just played; the player's own number is in it."""
    one.page.get_by_role("link", name="Score sheet").click()
    one.page.get_by_role("link", name="Verify this match").click()
    assert verdict(one.page).startswith(FITS)
    assert states(one.page) == dict.fromkeys(STEPS, "good")
    seats = one.page.locator('[data-step="seats"] .said')
    expect(seats).to_contain_text("This browser’s own number is in it")


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param(CLASSIC_24, marks=pytest.mark.thorough),
        pytest.param(STICK_THE_DEALER, marks=pytest.mark.thorough),
        JOKER_33,
    ],
    ids=lambda rules: rules.key,
)
def test_four_people_play_a_whole_game(cast: list[Person], server: Server, rules: RuleSet) -> None:
    cut_themselves(server)
    sit_together(cast, rules.key, open_to_all=rules is not CLASSIC_24)
    play_to_the_end(cast, rules)
    for one in cast if rules is JOKER_33 else cast[:1]:
        verify(one)


def test_two_people_play_heads_up(person: MakePerson) -> None:
    people = [person("Maeve"), person("Ben")]
    sit_together(people, HEADS_UP.key)
    play_to_the_end(people, HEADS_UP)
