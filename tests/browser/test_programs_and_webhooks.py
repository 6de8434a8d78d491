"""Programs and webhooks by hand in a browser: on small screens, in the dark, by name."""

from __future__ import annotations

from collections.abc import Iterator

from playwright.sync_api import Page, expect

from tests.browser.checks import walk
from tests.browser.club_night import found_club
from tests.browser.conftest import MakePerson
from tests.browser.person import Person

ADDRESS = "https://a-rather-long-name-of-a-host.example.invalid/euchre/results?of=the-old-mill"


def pages(maeve: Person) -> Iterator[tuple[str, Page]]:
    """Maeve makes a program and a webhook, and looks at each; each place by a name."""
    maeve.expected = ("status of 422", "status of 403")  # what Chromium says of refused forms
    page = maeve.page
    maeve.go("/you/programs/")
    yield "no programs", page
    page.get_by_label("Its name").fill("Robo the patient card counter")
    page.get_by_role("button", name="Create bot").click()
    expect(page.get_by_text("bower_").first).to_be_visible()
    yield "a program's token", page
    page.locator("summary", has_text="Change").first.click()
    yield "a program's verbs", page
    page.get_by_role("button", name="Retire").click()
    expect(page.get_by_role("status")).to_contain_text("is retired")
    maeve.go(f"{found_club(maeve)}settings/")
    page.get_by_role("link", name="Webhooks of").click()
    yield "no webhooks", page
    page.get_by_label("Address").fill("http://example.org/")
    page.get_by_role("button", name="Add the webhook").click()
    expect(page.get_by_text("must start with https://")).to_be_visible()
    yield "a wrong address", page
    page.get_by_label("Address").fill(ADDRESS)
    page.get_by_role("button", name="Add the webhook").click()
    expect(page.get_by_text("whsec_")).to_be_visible()
    yield "a webhook's secret", page
    page.get_by_role("link", name=ADDRESS).click()
    yield "a webhook", page
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Send a test").click()
    expect(page.get_by_text("Waiting", exact=True)).to_be_visible()
    yield "a webhook's message", page
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("status")).to_contain_text("sent again")


def test_pages_are_readable_and_fit_a_phone(person: MakePerson) -> None:
    walk(pages(person("Maeve", has_touch=True)))
