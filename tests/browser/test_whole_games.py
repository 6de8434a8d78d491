"""Whole games of every rule set, each player in a browser of their own."""

import random
import re
from contextlib import ExitStack

import pytest
from playwright.sync_api import expect

from games.engine.rules import RULE_SETS, RuleSet
from games.seats.house_rules import HOUSE_RULES
from tests.browser.person import Person
from tests.browser.store import cut_themselves
from tests.browser.tables import play_on, sit_together
from tests.browser.verifying import FITS, STEPS, steps, verdict
from tests.served import Server


def play_to_the_end(people: list[Person], target: int | None) -> None:
    """Play by chance to the end, at so many points if any; check how it ended on every page."""
    chance = random.Random(target)
    with ExitStack() as marks:
        for one in people:
            marks.enter_context(one.no_reload())
        while play_on(people, chance):
            pass
    heads = [one.question[0] for one in people]
    high, low = re.search(r"(\d+)–(\d+)$", heads[0]).groups()  # type: ignore[union-attr]
    assert target is None or int(high) >= target > int(low)
    assert all(head.endswith(f" {high}–{low}") for head in heads)
    if high == low:
        return  # a number of hands can end in a tie
    won = [head.startswith("You win") for head in heads]
    sides = [won[0::2], won[1::2]]
    assert sorted(map(all, sides)) == [False, True], "one side has won, and knows it"
    assert not any(any(side) and not all(side) for side in sides)


def verify(one: Person) -> None:
    """Verify the game just played; the player's own number is in it."""
    one.page.get_by_role("link", name="Score sheet").click()
    one.page.get_by_role("link", name="Verify this match").click()
    assert verdict(one.page).startswith(FITS)
    assert steps(one.page) == dict.fromkeys(STEPS, "good")
    seats = one.page.locator('[data-step="seats"] .said')
    expect(seats).to_contain_text("This browser’s own number is in it")


#: Both end after a hand or two, and the first has all that a game can have.
SHORT = {
    4: {"pack": "33", "cut": "on", "stick_the_dealer": "on", "target": "3"},
    2: {"players": "2", "alone": "off", "target": "3"},
}


@pytest.mark.parametrize("players", SHORT)
def test_people_play_a_short_game(cast: list[Person], server: Server, players: int) -> None:
    cut_themselves(server)
    people = cast[:players]
    sit_together(people, HOUSE_RULES, open_to_all=players == 4, house_rules=SHORT[players])
    play_to_the_end(people, int(SHORT[players]["target"]))
    for one in people:
        verify(one)


@pytest.mark.thorough
@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS)
def test_people_play_a_whole_game(cast: list[Person], server: Server, rules: RuleSet) -> None:
    cut_themselves(server)
    people = cast[: rules.players]
    sit_together(people, rules.key)
    play_to_the_end(people, rules.target)
    verify(people[0])
