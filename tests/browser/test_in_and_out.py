"""Lists and search by hand in a browser: on small screens, in the dark, by name."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from playwright.sync_api import ViewportSize, expect

from tests.browser.checks import covered, faint_in_any_scheme, fits, on_phones, understandable
from tests.browser.conftest import MakePerson
from tests.browser.person import Person
from tests.browser.store import confirm_addresses
from tests.served import Server

NUMBERS = count(1)
DESK: ViewportSize = {"width": 1280, "height": 720}
LIST = "name;email\nKit Cole;kit@example.org\nZoë of the rather long name by the mill;\n"


def pages(maeve: Person) -> Iterator[str]:
    """Maeve imports a list into her club and searches for it; each place by a name."""
    maeve.expected = ("status of 422",)  # what Chromium says of refused forms
    page = maeve.page
    name = f"The Loud Mill {next(NUMBERS)}"
    maeve.go("/clubs/new/")
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Found the club").click()
    expect(page.locator(".notes")).to_contain_text("you are its owner")
    maeve.go(f"{maeve.path}members/")
    yield "the members"
    page.get_by_role("link", name="The list").click()
    yield "an empty list"
    page.get_by_label("Or paste").fill(f"{LIST};ben@example.org")
    page.get_by_role("button", name="Preview it").click()
    expect(page.get_by_text("Line 4, name")).to_be_visible()
    yield "a problem"
    page.get_by_label("Or paste").fill(LIST)
    page.get_by_role("button", name="Preview it").click()
    expect(page.get_by_text("1 is invited")).to_be_visible()
    yield "a preview"
    page.get_by_role("button", name="Import 2 of 2 lines").click()
    expect(page.get_by_role("status")).to_contain_text("1 person is invited")
    yield "a list"
    maeve.go("/search/")
    yield "the search"
    page.get_by_label("Name", exact=True).press_sequentially("mill loud")
    expect(page.get_by_role("link", name=name, exact=True)).to_be_visible()
    yield "found as one types"


def test_names_contrast_and_small_screens(person: MakePerson, server: Server) -> None:
    maeve = person("Maeve", has_touch=True)
    confirm_addresses(server)
    wrong = {}
    for place in pages(maeve):
        found = [
            *understandable(maeve.page),
            *faint_in_any_scheme(maeve.page),
            *covered(maeve.page),
            *on_phones(maeve.page, fits),
        ]
        maeve.page.set_viewport_size(DESK)
        if found:
            wrong[place] = found
    assert not wrong


def test_the_field_in_the_head_searches(person: MakePerson) -> None:
    maeve = person("Maeve")
    for width in (320, 390, 800, 1280):
        maeve.page.set_viewport_size({"width": width, "height": 844})
        maeve.go("/")
        field = maeve.page.get_by_label("Search people, clubs and events")
        field.fill("maeve")
        field.press("Enter")
        maeve.page.wait_for_url("**/search/?q=maeve")
        expect(maeve.page.get_by_role("link", name="Maeve").last).to_be_visible()
        assert not fits(maeve.page), width
