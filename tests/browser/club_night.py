"""A club's evening in the browser: its club, its event, the way to the table and back."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from zoneinfo import ZoneInfo

from playwright.sync_api import Locator, Page, expect

from tests.browser.person import Person, play_on

ZONE = "Europe/Dublin"
NUMBERS = count(1)
#: A match of one hand, which cannot be tied: the dealer must name trump.
ONE_HAND = {"rules": "stick-the-dealer", "match": "deals", "deals": "1", "break_seconds": "0"}
TO_TABLE = re.compile("you are called to table")


@dataclass(frozen=True)
class Night:
    """An event that has been set up.

    Attributes:
        director: who directs it.
        club: the path of its club.
        path: the path of its page.
    """

    director: Person
    club: str
    path: str

    # Before the start ---------------------------------------------------------------------------

    def add_house(self, number: int) -> None:
        """Let so many house players, or pairs of them, come in."""
        page = self._direct()
        page.get_by_label("How many").fill(str(number))
        page.get_by_role("button", name="Add them").click()
        expect(page.get_by_role("status")).to_contain_text("House players have been added")

    def start_in(self, minutes: int) -> None:
        """Move the start to so many minutes from now."""
        page = self.director.page
        self.director.go(f"{self.path}edit/")
        page.get_by_label("Starts", exact=True).fill(_in_minutes(minutes))
        page.get_by_role("button", name="Save", exact=True).click()
        page.wait_for_url(re.compile(r"/events/\d+/$"))

    def start_now(self) -> None:
        """Begin without waiting for the time."""
        page = self._direct()
        page.get_by_role("button", name="Start now …").click()
        page.get_by_role("button", name="Start the event").click()
        expect(page.get_by_role("heading", name="Tables of round 1")).to_be_visible()

    def _direct(self) -> Page:
        self.director.go(f"{self.path}manage/")
        return self.director.page


def found_club(director: Person, joining: str = "open") -> str:
    """Let somebody found a club, without the page for that; return its path."""
    name = f"The Ferry {next(NUMBERS)}"
    return director.post("/clubs/new/", name=name, time_zone=ZONE, joining=joining)


def set_up(director: Person, club: str, name: str, places: int, **fields: str) -> Night:
    """Set an event up through the form as a director does, to begin in 25 minutes; publish it.

    fields: further ones of the form, by name; a check box with "on".
    """
    page = director.page
    director.go(club)
    page.get_by_role("link", name=re.compile("^(New event|Set up an event)$")).first.click()
    form = page.locator("form.event-form")
    form.get_by_label("Name", exact=True).fill(name)
    form.get_by_label("Starts", exact=True).fill(_in_minutes(25))
    form.get_by_label("Places", exact=True).fill(str(places))
    _fill(form, fields)
    form.get_by_role("button", name="Publish", exact=True).click()
    page.wait_for_url(re.compile(r"/events/\d+/$"))
    return Night(director, club, director.path)


def _fill(form: Locator, fields: Mapping[str, str]) -> None:
    for name, value in fields.items():
        field = form.locator(f'[name="{name}"]')
        folded = form.locator("details:not([open])").filter(
            has=field.page.locator(f'[name="{name}"]')
        )
        if folded.count():
            folded.locator("summary").click()
        if value == "on":
            field.check()
        elif field.evaluate("one => one.matches('select')"):
            field.select_option(value)
        else:
            field.fill(value)


def _in_minutes(minutes: int) -> str:
    """A moment as the form's field takes it, in the club's time."""
    return f"{datetime.now(ZoneInfo(ZONE)) + timedelta(minutes=minutes):%Y-%m-%dT%H:%M}"


def join(guest: Person, club: str) -> None:
    """Become a member of a club, without its page."""
    assert guest.post(f"{club}join") == club


def register(player: Person, club: str, name: str) -> None:
    """Register for the club's next event in two clicks from the club's page."""
    player.go(club)
    player.page.get_by_role("link", name=re.compile(name)).first.click()
    player.page.get_by_role("button", name="Register").click()
    expect(player.page.get_by_role("heading", name="You are in")).to_be_visible()


# At the tables --------------------------------------------------------------------------------


def called(player: Person) -> Locator:
    """The banner that calls the player to their table."""
    return player.page.locator("#calls .note").filter(has_text=TO_TABLE)


def answer_call(player: Person, round_: int, *, by_script: bool = True) -> None:
    """Go to the player's table in this round by the banner on the page they are at."""
    banner = called(player).filter(has_text=f"round {round_}:")
    expect(banner).to_be_visible()
    if by_script:
        expect(player.page).to_have_title(re.compile("^Called · "))
    banner.get_by_role("link", name="Go to your table").click()
    player.page.wait_for_url(re.compile(r"/tables/\d+/$"))


def play_matches(
    people: Sequence[Person], chance: random.Random, *, dealt_at_once: bool = False
) -> None:
    """Play the matches at which people sit, table by table, to their ends; see `play_on`."""
    for sitting in at_tables(people):
        while play_on(sitting, chance, dealt_at_once=dealt_at_once):
            pass


def at_tables(people: Sequence[Person]) -> list[list[Person]]:
    """Who sits together, once their tables have dealt."""
    tables: dict[int, list[Person]] = {}
    for one in people:
        tables.setdefault(one.table_id, []).append(one)
        one.wait_until_dealt()
    return list(tables.values())


def back_to_event(player: Person) -> None:
    """Go from the player's table to the event's page."""
    player.page.get_by_role(
        "link", name=re.compile("^Back to the event|^To the event")
    ).first.click()
    player.page.wait_for_url(re.compile(r"/events/\d+/$"))


def play_without_scripts(player: Person) -> None:
    """Play the player's match to its end by plain forms and the reload link."""
    page = player.page
    while not page.get_by_role("link", name="Score sheet").count():
        choices = player.choices
        if page.locator("#question[data-waits-for]").count() and choices.count():
            choices.last.click()
        else:
            page.get_by_role("link", name="Reload").click()


def invitation(owner: Person, club: str) -> str:
    """The link by which others join a club."""
    owner.go(f"{club}members/")
    return owner.page.get_by_label("Anyone with this link can join at once").input_value()
