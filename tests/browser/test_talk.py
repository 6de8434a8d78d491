"""Talk at a table: a phrase, words, a mute, a report, and a moderator's silence."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.checks import crowded
from tests.browser.conftest import MakePerson
from tests.browser.person import Person
from tests.browser.store import rows
from tests.browser.tables import sit_together
from tests.served import Server

RUDE = "You are useless, stay at home"


@pytest.fixture
def two(person: MakePerson) -> tuple[Person, Person]:
    """Maeve and Ben at a table for two."""
    maeve, ben = person("Maeve"), person("Ben")
    sit_together([maeve, ben], "heads-up")
    return maeve, ben


def say(one: Person, words: str) -> None:
    one.page.get_by_label("Say something").fill(words)
    one.page.keyboard.press("Enter")


def line(one: Person, words: str) -> Locator:
    return one.page.locator("#talk > li").filter(has_text=words)


def test_a_phrase_a_mute_and_a_report_by_keyboard(two: tuple[Person, Person]) -> None:
    maeve, ben = two
    ben.expected = maeve.expected = ("status of 422", "status of 429")
    chip = ben.page.get_by_role("button", name="Good luck")
    chip.focus()
    ben.page.keyboard.press("Enter")
    expect(maeve.page.locator(".spoke:visible")).to_have_text("Good luck")
    expect(line(maeve, "Good luck")).to_be_visible()
    expect(chip).to_have_attribute("aria-disabled", "true")
    expect(maeve.page.locator(".spoke:visible")).to_have_count(0)  # after four seconds
    expect(chip).not_to_have_attribute("aria-disabled", "true")

    say(ben, "see bower.club")
    expect(ben.page.locator("#not-said")).to_contain_text("are not sent here")
    expect(ben.page.get_by_label("Say something")).to_have_value("see bower.club")
    say(ben, RUDE)
    expect(ben.page.get_by_label("Say something")).to_have_value("")

    said = line(maeve, RUDE)
    summary = said.locator("summary").first
    summary.focus()
    maeve.page.keyboard.press("Enter")
    maeve.page.keyboard.press("Escape")
    expect(summary).to_be_focused()
    maeve.page.keyboard.press("Enter")
    said.get_by_text("Report this line").click()
    said.get_by_role("button", name="Rude or insulting").press("Enter")
    expect(maeve.page.locator("#not-said")).to_have_text("Thank you. A moderator reads it.")

    summary.press("Enter")
    said.get_by_role("button", name="Mute Ben").press("Enter")
    expect(maeve.page.get_by_text("You muted Ben.")).to_be_visible()
    say(ben, "Do you hear me?")
    expect(line(ben, "Do you hear me?")).to_be_visible()
    say(maeve, "All is quiet")
    expect(line(ben, "All is quiet")).to_be_visible()
    for words in (RUDE, "Do you hear me?"):
        expect(line(maeve, words)).to_have_count(0)
        assert words not in maeve.page.content()
    maeve.page.get_by_role("button", name="Undo muting Ben").press("Enter")
    expect(line(maeve, "Do you hear me?")).to_be_visible()


def test_a_moderator_silences(
    two: tuple[Person, Person], person: MakePerson, server: Server
) -> None:
    maeve, ben = two
    say(ben, RUDE)
    said = line(maeve, RUDE)
    said.locator("summary").first.click()
    said.get_by_text("Report this line").click()
    said.get_by_role("button", name="Rude or insulting").click()
    expect(maeve.page.locator("#not-said")).to_have_text("Thank you. A moderator reads it.")

    iris = person("Iris")
    staff = "UPDATE games_user SET is_staff = ? WHERE email = 'iris@example.com'"
    rows(server, staff, 1)
    try:
        iris.go("/moderation/")
        iris.page.get_by_role("button", name="Open the case of Ben").first.click()
        expect(iris.page.locator(".transcript .reported")).to_contain_text(RUDE)
        iris.page.get_by_role("radio", name="Silence, 1 day").check()
        iris.page.get_by_label("Reason, read by the people concerned").fill("Insulting a player.")
        iris.page.get_by_role("button", name="Decide").click()
        iris.page.get_by_text("You can take it back at any time").first.wait_for()
        # At once, on the page that is open.
        expect(ben.page.locator(".talk .why-not")).to_contain_text("Insulting a player.")
        expect(ben.page.get_by_label("Say something")).to_be_hidden()
        ben.page.get_by_role("button", name="Thank you").click()
        expect(line(maeve, "Thank you")).to_be_visible()

        iris.page.locator(".record summary").first.click()
        iris.page.get_by_label("Reason, for the record").first.fill("My mistake.")
        iris.page.get_by_role("button", name="Undo this").first.click()
        expect(ben.page.get_by_label("Say something")).to_be_visible()
    finally:
        rows(server, "DELETE FROM games_talkreport")
        rows(server, staff, 0)


def test_the_sheet_of_a_phone(person: MakePerson) -> None:
    maeve = person("Maeve", viewport={"width": 390, "height": 844})
    ben = person("Ben")
    sit_together([maeve, ben], "heads-up")
    say(ben, "Good evening")
    expect(maeve.page.locator("#new-lines")).to_have_text("1 new line")
    maeve.page.get_by_role("button", name="Talk and log").click()
    expect(line(maeve, "Good evening")).to_be_visible()
    expect(maeve.page.locator("#log")).to_be_hidden()
    assert not crowded(maeve.page)
    maeve.page.get_by_role("button", name="Log", exact=True).click()
    expect(maeve.page.locator("#log")).to_be_visible()
    maeve.page.get_by_role("button", name="Close").first.click()
    expect(maeve.page.locator("#new-lines")).to_be_hidden()


def test_the_menu_of_a_plate_by_keyboard(two: tuple[Person, Person]) -> None:
    maeve, ben = two
    page, menu = maeve.page, maeve.page.get_by_role("group", name="About this player")
    plates = page.locator(".plate button")
    expect(plates).to_have_count(1)  # none at one's own
    plate = page.get_by_role("button", name="Ben: friend, mute or keep apart")
    box = plate.locator("..").bounding_box()
    plate.focus()
    page.keyboard.press("Enter")
    expect(menu.get_by_role("button", name="Add friend")).to_be_focused()
    expect(plate).to_have_attribute("aria-expanded", "true")
    for key, name in (
        ("ArrowDown", "Mute Ben"),
        ("ArrowDown", "Don’t seat me with Ben"),
        ("ArrowDown", "Add friend"),
        ("ArrowUp", "Don’t seat me with Ben"),
    ):
        page.keyboard.press(key)
        expect(menu.get_by_role("button", name=name)).to_be_focused()
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    expect(plate).to_be_focused()
    expect(plate).to_have_attribute("aria-expanded", "false")
    assert plate.locator("..").bounding_box() == box

    page.keyboard.press("Enter")
    menu.get_by_role("button", name="Add friend").press("Enter")
    expect(menu.get_by_text("Asked")).to_be_visible()
    expect(page.locator("#live")).to_have_text("Asked. You are friends when Ben says yes.")
    menu.get_by_role("button", name="Mute Ben").press("Enter")
    expect(menu.get_by_role("button", name="Hear Ben again")).to_be_visible()

    ben.page.get_by_role("button", name="Maeve: friend").click()
    ben.page.get_by_role("button", name="Accept").click()
    expect(ben.page.locator("#about p")).to_contain_text("You and Maeve are friends")


def test_only_people_have_a_menu_at_their_plates(person: MakePerson) -> None:
    maeve, ben, plain = (
        person("Maeve"),
        person("Ben"),
        person("Iris", java_script_enabled=False),
    )
    maeve.make_table("heads-up", seats={"south": "me", "north": "house"})
    expect(maeve.page.locator(".plate button:visible")).to_have_count(0)
    for one, count in ((ben, 1), (plain, 0)):
        one.go(maeve.path)
        expect(one.page.locator(".plate button:visible")).to_have_count(count)
    ben.page.get_by_role("button", name="Maeve: friend").click()
    expect(ben.page.get_by_role("button", name="Mute Maeve")).to_be_visible()
