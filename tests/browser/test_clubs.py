"""A club from its founding on, by hand in a browser: on small screens, in the dark, by keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from playwright.sync_api import expect

from tests.browser.checks import walk
from tests.browser.conftest import MakePerson
from tests.browser.person import Person

NUMBERS = count(1)


def club_life(maeve: Person, ben: Person) -> Iterator[tuple[str, Person]]:
    """Maeve founds a club and looks after it, Ben asks to join; each place by a name."""
    name = f"The Old Mill {next(NUMBERS)}"
    maeve.expected = ("status of 422",)  # what Chromium says of a form that was refused
    page = maeve.page
    maeve.go("/clubs/")
    yield "list", maeve
    page.get_by_role("link", name="Found a club").first.click()
    yield "found", maeve
    page.get_by_role("button", name="Found the club").click()
    yield "found: errors", maeve
    page.get_by_label("Name").fill(name)
    page.get_by_label("Time zone").select_option("Europe/Dublin")
    page.get_by_label("A director approves").check()
    page.get_by_role("button", name="Found the club").click()
    expect(page.locator(".notes")).to_contain_text("you are its owner")
    yield "empty club", maeve
    club = maeve.path
    yield from _rules_and_league(maeve, club)
    yield from _joining(maeve, ben, club)
    maeve.go(f"{club}settings/")
    yield "settings", maeve
    maeve.go("/")
    expect(page.get_by_role("link", name=name)).to_be_visible()
    yield "home", maeve


def _rules_and_league(maeve: Person, club: str) -> Iterator[tuple[str, Person]]:
    page = maeve.page
    maeve.go(f"{club}rules/new/")
    yield "rules form", maeve
    page.get_by_label("Name").fill("Mill rules")
    page.locator('[name="ends"][value="hands"]').check()
    page.get_by_label("A maker may play alone").uncheck()
    page.get_by_label("Partner’s best").check()
    page.get_by_role("button", name="Save our rules").click()
    expect(page.get_by_text("two things contradict each other")).to_be_visible()
    yield "rules form: errors", maeve
    page.get_by_role("button", name="A maker may play alone").click()
    expect(page.get_by_role("heading", name="Mill rules")).to_be_visible()
    yield "rules", maeve
    yield from _league(maeve, club)


def _league(maeve: Person, club: str) -> Iterator[tuple[str, Person]]:
    page = maeve.page
    maeve.go(f"{club}seasons/")
    yield "season", maeve
    page.get_by_role("link", name="Start a league").click()
    page.get_by_label("Name", exact=True).fill("Winter")
    page.get_by_label("First night").fill("2026-12-01")
    page.get_by_role("button", name="Start the league").click()
    expect(page.get_by_text("Say how many nights, or which day is the last.")).to_be_visible()
    yield "league: errors", maeve
    page.get_by_label("Nights", exact=True).fill("10")
    page.get_by_role("radio", name="Two divisions").check()
    page.get_by_role("button", name="Say it in words").click()
    expect(page.get_by_text("10 Tuesdays from 1 December 2026")).to_be_visible()
    page.get_by_role("radio", name="Our own points").check()
    page.get_by_label("By place", exact=True).fill("4, 6")
    page.get_by_role("button", name="Start the league").click()
    expect(page.get_by_text("more than a better one")).to_be_visible()
    yield "league: wrong points", maeve
    page.get_by_label("By place", exact=True).fill("6, 4")
    page.get_by_role("radio", name="Named").check()
    page.get_by_label("Names of the divisions").fill("First, First")
    page.get_by_label("Go up and down").fill("1")
    page.get_by_role("button", name="Start the league").click()
    expect(page.get_by_text("cannot have the same name")).to_be_visible()
    yield "league: one name twice", maeve
    page.get_by_label("Names of the divisions").fill("First, Second")
    page.get_by_role("button", name="Start the league").click()
    expect(page.get_by_role("heading", name="Who plays where")).to_be_visible()
    yield "who plays where", maeve
    page.get_by_label("Maeve").select_option("Second")
    page.get_by_role("button", name="Save who plays where").click()
    expect(page.get_by_role("heading", name="Second")).to_be_visible()
    yield "season with divisions", maeve
    page.get_by_role("link", name="Next season").click()
    yield "next season", maeve
    page.get_by_role("button", name="Make the season").click()
    expect(page.get_by_text("Fill this in.")).to_be_visible()
    yield "next season: errors", maeve
    page.get_by_label("Name").fill("Spring")
    page.get_by_role("button", name="Make the season").click()
    expect(page.get_by_role("heading", name="Season Spring")).to_be_visible()


def _joining(maeve: Person, ben: Person, club: str) -> Iterator[tuple[str, Person]]:
    page = maeve.page
    ben.go(club)
    yield "stranger", ben
    ben.page.get_by_label("A few words about you").fill("I play on Fridays.")
    ben.page.get_by_role("button", name="Ask to join").click()
    yield "asked", ben
    maeve.go(club)
    page.get_by_role("link", name="Answer").click()
    yield "requests", maeve
    page.get_by_role("button", name="Let in Ben").click()
    expect(page.locator(".notes")).to_contain_text("Ben is a member now")
    page.get_by_text("Change Ben").click()
    page.get_by_label("Role of Ben").select_option("Moderator")
    yield "roles", maeve
    page.get_by_role("button", name="Save role").click()
    expect(page.locator(".notes")).to_contain_text("Ben: moderator")
    ben.go(f"{club}members/")
    yield "members", ben
    ben.go(club)
    yield "member", ben


def test_pages_are_readable_and_fit_a_phone(person: MakePerson) -> None:
    maeve, ben = (person(name, has_touch=True) for name in ("Maeve", "Ben"))
    walk((place, who.page) for place, who in club_life(maeve, ben))


def test_without_scripts_everything_works(person: MakePerson) -> None:
    people = person("Maeve", java_script_enabled=False), person("Ben", java_script_enabled=False)
    *_, (last, _who) = club_life(*people)
    assert last == "home"
