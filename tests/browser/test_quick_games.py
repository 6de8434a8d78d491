"""Strangers press "Play now": they meet at tables, and take the house's seats between hands."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.browser.conftest import CAST, MakePerson
from tests.browser.person import Person
from tests.served import Server


@pytest.fixture(scope="module")
def site(start_server: Callable[..., Server]) -> Server:
    """A server that gathers those who press, and deals the next hand after ten seconds."""
    return start_server(QUICK_GATHER="5", NEXT_DEAL_PAUSE="10")


@pytest.fixture
def four(person: MakePerson, site: Server) -> list[Person]:
    """Four people with accounts, each with the page of the games open."""
    people = [person(name, server=site) for name in CAST]
    for one in people:
        one.go("/play/")
    return people


def press(one: Person, rules: str) -> None:
    """Press "Play now" for a game."""
    one.page.locator(f'[name="rules"][value="{rules}"]').check()
    one.page.get_by_role("button", name="Play now").click()


def at_table(one: Person) -> int:
    """Wait until the queue has led them to a table with cards, and return its number."""
    one.page.wait_for_url(re.compile(r"/tables/\d+/$"))
    one.wait_until_dealt()
    return one.table_id


def play_to_last_card(one: Person) -> None:
    """Play until their turn to play the last card of a hand, in this hand or a later one."""
    while one.wait_for_turn() != "card" or one.cards.count() > 1:
        one.press(one.choices.first)


def test_four_strangers_get_two_tables_for_two(four: list[Person]) -> None:
    for one in four:
        press(one, "heads-up")
    tables = [at_table(one) for one in four]
    assert [tables.count(table) for table in tables] == [2, 2, 2, 2]


def test_eight_strangers_get_two_tables(
    person: MakePerson, site: Server, four: list[Person]
) -> None:
    others = [person(name, server=site) for name in ("Nell", "Cian", "Pat", "Sean")]
    for one in others:
        one.go("/play/")
    eight = [*four, *others]
    for one in eight:
        press(one, "joker-33")
    tables = [at_table(one) for one in eight]
    assert {tables.count(table) for table in tables} == {4}


def test_one_leaves_and_a_newcomer_takes_the_house_seat_after_the_hand(four: list[Person]) -> None:
    maeve, ben, iris, _ = four
    for one in (maeve, ben):
        press(one, "classic-24")
    assert at_table(maeve) == at_table(ben)
    ben.wait_until_live()
    ben.page.get_by_role("button", name="My table").click()
    ben.page.get_by_role("button", name="Leave or resign").click()
    ben.page.get_by_role("button", name="Leave for good").click()
    ben.page.wait_for_url(f"{ben.address}/")
    play_to_last_card(maeve)
    press(iris, "classic-24")
    iris.page.get_by_role("heading", name="You sit down after this hand").wait_for()
    assert "Maeve is playing a hand" in iris.page.locator("#seating").inner_text()
    maeve.page.get_by_role("status").filter(has_text="Iris sits down after this hand").wait_for()
    maeve.play_a_card()
    assert at_table(iris) == maeve.table_id
    iris.page.locator(".seat[data-at=south] .name").get_by_text("Iris").wait_for()
    maeve.page.locator(".seat").filter(has_text="Iris").wait_for()
