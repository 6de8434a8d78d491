"""An event's page in a browser: it moves by itself, shows where one stands, and fits everywhere."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from playwright.sync_api import expect

from tests.browser.checks import faint_in_any_scheme, fits, understandable
from tests.browser.club_night import found_club
from tests.browser.conftest import MakePerson
from tests.browser.person import PATIENCE, Person
from tests.served import Server

SIZES = ((1280, 900), (390, 844), (320, 568))


@pytest.fixture(scope="module")
def brisk(start_server: Callable[..., Server]) -> Server:
    """A server on which house players begin the next hand at once."""
    return start_server(NEXT_DEAL_PAUSE="0")


def event_of(greta: Person, **fields: str) -> str:
    """Let Greta found a club and publish an event; the path of its page."""
    page = greta.page
    greta.go(f"{found_club(greta)}events/new/")
    page.get_by_label("Name", exact=True).fill("Thursday")
    page.locator('[name="starts"]').fill(f"{datetime.now(tz=UTC).year + 1}-11-26T19:30")
    pause = page.locator('[name="break_seconds"]')
    page.locator("details").filter(has=pause).locator("summary").click()
    pause.select_option("0")
    for name, value in fields.items():
        page.locator(f'[name="{name}"]').select_option(value)
    page.get_by_role("button", name="Publish", exact=True).click()
    page.wait_for_url("**/events/*/")
    return greta.path


def begin(greta: Person, path: str, house: int) -> None:
    """Let house players in and begin, in another tab of Greta's."""
    tab = greta.context.new_page()
    tab.goto(f"{greta.address}{path}manage/")
    tab.get_by_label("How many").fill(str(house))
    tab.get_by_role("button", name="Add them").click()
    expect(tab.get_by_role("status")).to_contain_text("House players have been added")
    tab.get_by_role("button", name="Start now …").click()
    tab.get_by_role("button", name="Start the event").click()
    expect(tab.get_by_role("heading", name=re.compile(r"Tables of round \d"))).to_be_visible()
    tab.close()


def test_player_sees_their_table_called_and_their_rows_marked(
    person: MakePerson, brisk: Server
) -> None:
    greta = person("Greta", server=brisk)
    page = greta.page
    path = event_of(greta)
    page.get_by_role("button", name="Register").click()
    expect(page.get_by_role("heading", name="You are in")).to_be_visible()
    begin(greta, path, 7)
    mine = page.locator("#event-mine")
    expect(mine.get_by_role("heading", name=re.compile(r"^Table \d$"))).to_be_visible()
    own = page.locator("#event-pairings tr.mine")
    expect(own).to_have_count(1)
    with greta.no_reload():
        expect(page.locator("#event-clock")).to_contain_text("1 of 2 tables finished")
        expect(own).to_have_count(1)
        expect(own).to_contain_text("Greta")
        expect(page.locator("#link")).to_contain_text("Live")
    mine.get_by_role("link", name="Go to your table").click()
    page.wait_for_url("**/tables/*/")


def test_a_knock_out_of_house_players_fits_everywhere(person: MakePerson, brisk: Server) -> None:
    greta = person("Greta", server=brisk)
    page = greta.page
    path = event_of(greta, format="single_elimination")
    begin(greta, path, 5)
    expect(page.locator("#event-prizes li").first).to_be_visible(timeout=10_000 * PATIENCE)
    for part in ("", "bracket/", "standings/", "rounds/1/"):
        greta.go(f"{path}{part}")
        assert faint_in_any_scheme(page) == [], part
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            assert fits(page) == [], f"{part} at {width}"
            assert understandable(page) == [], f"{part} at {width}"
    greta.go(f"{path}bracket/")
    picture = page.locator("svg.bracket-picture")
    expect(picture.get_by_role("link", name=re.compile("^Quarter-final: "))).to_be_visible()
    page.locator("#matches").get_by_role("link", name="Score sheet").first.click()
    expect(page.get_by_role("heading", name="Score sheet")).to_be_visible()
