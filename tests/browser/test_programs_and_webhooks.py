"""Programs and webhooks by hand in a browser: on small screens, in the dark, by name."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from playwright.sync_api import expect

from tests.browser.checks import covered, faint_in_any_scheme, fits, on_phones, understandable
from tests.browser.conftest import MakePerson
from tests.browser.person import Person

NUMBERS = count(1)
ADDRESS = "https://a-rather-long-name-of-a-host.example.invalid/euchre/results?of=the-old-mill"


def pages(maeve: Person) -> Iterator[str]:
    """Maeve makes a program and a webhook, and looks at each; each place by a name."""
    maeve.expected = ("status of 422", "status of 403")  # what Chromium says of refused forms
    page = maeve.page
    maeve.go("/you/programs/")
    yield "no programs"
    page.get_by_label("Its name").fill("Robo the patient card counter")
    page.get_by_role("button", name="Create bot").click()
    expect(page.get_by_text("bower_").first).to_be_visible()
    yield "a program's token"
    page.locator("summary", has_text="Change").first.click()
    yield "a program's verbs"
    page.get_by_role("button", name="Retire").click()
    expect(page.get_by_role("status")).to_contain_text("is retired")
    maeve.go("/clubs/new/")
    page.get_by_label("Name").fill(f"The Quiet Mill {next(NUMBERS)}")
    page.get_by_role("button", name="Found the club").click()
    expect(page.locator(".notes")).to_contain_text("you are its owner")
    maeve.go(f"{maeve.path}settings/")
    page.get_by_role("link", name="Webhooks of").click()
    yield "no webhooks"
    page.get_by_label("Address").fill("http://example.org/")
    page.get_by_role("button", name="Add the webhook").click()
    expect(page.get_by_text("must start with https://")).to_be_visible()
    yield "a wrong address"
    page.get_by_label("Address").fill(ADDRESS)
    page.get_by_role("button", name="Add the webhook").click()
    expect(page.get_by_text("whsec_")).to_be_visible()
    yield "a webhook's secret"
    page.get_by_role("link", name=ADDRESS).click()
    yield "a webhook"
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Send a test").click()
    expect(page.get_by_text("Waiting")).to_be_visible()
    yield "a webhook's message"
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("status")).to_contain_text("sent again")


def test_small_screens(person: MakePerson) -> None:
    maeve = person("Maeve", has_touch=True)
    wrong = {place: on_phones(maeve.page, fits, covered) for place in pages(maeve)}
    assert not {place: found for place, found in wrong.items() if found}


def test_names_structure_and_contrast(person: MakePerson) -> None:
    maeve = person("Maeve")
    wrong = {
        place: [*understandable(maeve.page), *faint_in_any_scheme(maeve.page)]
        for place in pages(maeve)
    }
    assert not {place: found for place, found in wrong.items() if found}
