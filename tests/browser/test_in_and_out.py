"""Lists and search by hand in a browser: on small screens, in the dark, by name."""

from __future__ import annotations

from collections.abc import Iterator

from playwright.sync_api import Page, expect

from tests.browser.checks import fits, walk
from tests.browser.club_night import found_club
from tests.browser.conftest import MakePerson
from tests.browser.person import Person
from tests.browser.store import confirm_addresses
from tests.served import Server

LIST = "name;email\nKit Cole;kit@example.org\nZoë of the rather long name by the mill;\n"


def pages(maeve: Person) -> Iterator[tuple[str, Page]]:
    """Maeve imports a list into her club and searches for it; each place by a name."""
    maeve.expected = ("status of 422",)  # what Chromium says of refused forms
    page = maeve.page
    club = found_club(maeve)
    maeve.go(f"{club}members/")
    name = page.locator(".crumbs a").last.inner_text()
    yield "the members", page
    page.get_by_role("link", name="The list").click()
    yield "an empty list", page
    page.get_by_label("Or paste").fill(f"{LIST};ben@example.org")
    page.get_by_role("button", name="Preview it").click()
    expect(page.get_by_text("Line 4, name")).to_be_visible()
    yield "a problem", page
    page.get_by_label("Or paste").fill(LIST)
    page.get_by_role("button", name="Preview it").click()
    expect(page.get_by_text("1 is invited")).to_be_visible()
    yield "a preview", page
    page.get_by_role("button", name="Import 2 of 2 lines").click()
    expect(page.get_by_role("status")).to_contain_text("1 person is invited")
    yield "a list", page
    maeve.go("/search/")
    yield "the search", page
    page.get_by_label("Name", exact=True).press_sequentially(
        " ".join(reversed(name.lower().split()))
    )
    expect(page.get_by_role("link", name=name, exact=True)).to_be_visible()
    yield "found as one types", page


def test_pages_are_readable_and_fit_a_phone(person: MakePerson, server: Server) -> None:
    maeve = person("Maeve", has_touch=True)
    confirm_addresses(server)
    walk(pages(maeve))


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
