"""Choosing a partner by typing a part of a name: by keys, by pressing, and without scripts."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.checks import fits, understandable
from tests.browser.club_night import ONE_HAND, Night, found_club, join, set_up
from tests.browser.conftest import MakePerson
from tests.browser.person import Person

PHONE = {"width": 390, "height": 844}


@pytest.fixture
def night(person: MakePerson) -> Night:
    """An event for pairs, in a club with Ben and Iris."""
    maeve = person("Maeve")
    club = found_club(maeve)
    for name in ("Ben", "Iris"):
        join(person(name), club)
    return set_up(maeve, club, "Pairs", 4, format="swiss", check_in_minutes="0", **ONE_HAND)


def at_the_event(one: Person, night: Night) -> Person:
    join(one, night.club)
    one.go(night.path)
    return one


def test_by_keys(person: MakePerson, night: Night) -> None:
    jonah = at_the_event(person("Jonah"), night)
    page = jonah.page
    field = page.get_by_role("combobox", name="Your partner")
    expect(field).to_have_attribute("aria-expanded", "false")
    field.focus()
    page.keyboard.type("i", delay=10)
    offered = page.get_by_role("option")
    expect(offered).to_have_count(1)
    expect(field).to_have_attribute("aria-expanded", "true")
    expect(page.locator("#partner-said")).to_have_text("1 member found.")
    assert understandable(page) == []
    page.keyboard.press("ArrowDown")
    expect(offered).to_have_attribute("aria-selected", "true")
    chosen = offered.get_attribute("id") or ""
    expect(field).to_have_attribute("aria-activedescendant", chosen)
    page.keyboard.press("Escape")
    expect(page.get_by_role("listbox")).to_be_hidden()
    expect(field).to_have_value("i")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(field).to_have_value("Iris")
    expect(field).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Iris is asked")).to_be_visible()

    iris = person("Iris")
    iris.go("/")
    asked = iris.page.get_by_role("region", name="Partner invitations")
    asked.get_by_role("button", name="Accept Jonah").click()
    expect(iris.page.get_by_role("heading", name="You are in")).to_be_visible()


def test_by_pressing_on_a_phone(person: MakePerson, night: Night) -> None:
    jonah = at_the_event(person("Jonah", viewport=PHONE, has_touch=True), night)
    page = jonah.page
    page.get_by_label("Your partner").fill("BE")
    assert fits(page) == []
    page.get_by_role("option", name="Ben").tap()
    expect(page.get_by_label("Your partner")).to_have_value("Ben")
    page.get_by_role("button", name="Ask", exact=True).tap()
    expect(page.get_by_role("heading", name="Ben is asked")).to_be_visible()


def test_half_typed_name_is_kept_when_an_entry_arrives(person: MakePerson, night: Night) -> None:
    jonah = at_the_event(person("Jonah"), night)
    field = jonah.page.get_by_label("Your partner")
    field.focus()
    jonah.page.keyboard.type("Iri")
    expect(jonah.page.get_by_role("option")).to_have_count(1)
    ben = person("Ben")
    ben.go(night.path)
    ben.page.get_by_role("button", name="Find me a partner").click()
    expect(jonah.page.get_by_role("button", name="Ask Ben")).to_be_visible()
    expect(field).to_have_value("Iri")
    expect(field).to_be_focused()
    jonah.page.keyboard.type("s")
    jonah.page.keyboard.press("ArrowDown")
    jonah.page.keyboard.press("Enter")
    jonah.page.keyboard.press("Enter")
    expect(jonah.page.get_by_role("heading", name="Iris is asked")).to_be_visible()


def test_without_scripts(person: MakePerson, night: Night) -> None:
    jonah = at_the_event(person("Jonah", java_script_enabled=False, viewport=PHONE), night)
    jonah.expected = ("status of 422",)  # what Chromium says of a form that was refused
    page = jonah.page
    page.get_by_label("Your partner").fill("Xan")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("is called “Xan”")
    expect(page.get_by_label("Your partner")).to_have_value("Xan")
    page.get_by_label("Your partner").fill("e")
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_role("group", name="Who do you mean?").get_by_label("Ben").check()
    page.get_by_role("button", name="Ask this member").click()
    expect(page.get_by_role("heading", name="Ben is asked")).to_be_visible()
