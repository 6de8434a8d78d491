"""The pages of records in a browser: on small screens, in the dark, by name and by structure."""

from __future__ import annotations

from collections.abc import Iterator

from playwright.sync_api import Page, expect

from tests.browser.checks import walk
from tests.browser.conftest import MakePerson
from tests.browser.person import Person
from tests.browser.store import rated_game
from tests.served import Server

PAGES = ("", "record/", "games/?result=won", "games/?from=2000-01-01&to=2000-01-02", "and/")


def pages(maeve: Person, server: Server) -> Iterator[tuple[str, Page]]:
    """Walk through the record of somebody who has played; each place by a name."""
    of = rated_game(server).paths["player"].split("ratings")[0]
    for page in PAGES:
        maeve.go(of + page)
        yield page, maeve.page
    maeve.page.get_by_role("link", name="Both").first.click()
    expect(maeve.page.get_by_role("heading", name="As partners")).to_be_visible()
    yield "two players", maeve.page
    maeve.go(of + "compare/")
    yield "compare", maeve.page
    maeve.go(of + "games/?from=soon")
    yield "refused", maeve.page


def test_pages_are_readable_and_fit_a_phone(person: MakePerson, server: Server) -> None:
    maeve = person("Maeve", has_touch=True)
    maeve.expected = ("status of 400",)
    walk(pages(maeve, server))


def test_a_record_is_asked_for_and_kept_private_without_scripts(
    person: MakePerson, server: Server
) -> None:
    of = rated_game(server).paths["player"].split("ratings")[0]
    maeve = person("Maeve", java_script_enabled=False)
    maeve.go(of + "record/")
    maeve.page.get_by_label("Rule set", exact=True).select_option("Classic, 24 cards")
    maeve.page.get_by_role("button", name="Show").click()
    expect(maeve.page.get_by_label("Rule set", exact=True)).to_have_value("Classic, 24 cards")
    maeve.page.get_by_role("link", name="games won").first.click()
    expect(maeve.page.get_by_role("link", name="remove this filter")).to_be_visible()
    maeve.go("/you/record/")
    maeve.page.get_by_label("Only me").check()
    maeve.page.get_by_role("button", name="Save").click()
    maeve.page.get_by_text("Saved.").wait_for()
    maeve.go("/you/record/")
    expect(maeve.page.get_by_label("Only me")).to_be_checked()
    maeve.page.get_by_label("Everybody: my page").check()
    maeve.page.get_by_role("button", name="Save").click()
    maeve.page.get_by_text("Saved.").wait_for()
    maeve.go("/you/record/")
    expect(maeve.page.get_by_label("Everybody: my page")).to_be_checked()
