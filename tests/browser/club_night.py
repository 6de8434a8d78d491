"""A club's evening in the browser: its club and members, its event, its tables and its director."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import httpx
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import MakePerson
from tests.browser.person import Person
from tests.browser.tables import play_on
from tests.served import ROOT, Server

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
    page.wait_for_url(re.compile(r"/events/(new|plan)/"))
    if "/plan/" in page.url:  # the club has an event to copy
        page.get_by_role("link", name="Something new").click()
        page.wait_for_url(re.compile(r"/events/new/"))
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


# Many members ---------------------------------------------------------------------------------

#: Makes members of the club who have logged in: prints the keys of their sessions by name.
MEMBERS = """
import json, sys
from django.test import Client
from games.models import Player, User
from tournaments.models import Club
club, keys = Club.objects.get(slug={club!r}), {{}}
for name in {names!r}:
    user, browser = User.objects.create_user(f"{{name.lower()}}@example.com"), Client()
    club.memberships.create(player=Player.objects.create(name=name, user=user))
    browser.force_login(user)
    keys[name] = browser.session.session_key
json.dump(keys, sys.stdout)
"""
#: Points that a hand is won by, as often as at a table.
POINTS = (1, 1, 1, 2, 2, 4)
SIDES = ("north_south", "east_west")
#: The field of the page that finds people, and where an act for one of them leads back to.
FIND = "Name, table or code of a card"
BACK_AT_THEM = re.compile(r"/manage/people/\?q=")


def make_members(server: Server, club: str, names: Sequence[str]) -> dict[str, str]:
    """Let these be members of a club, given by its path; the keys of their sessions by name."""
    script = MEMBERS.format(club=club.strip("/").split("/")[-1], names=list(names))
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "--no-imports", "-c", script],
        cwd=ROOT, env={**server.env, "BOWER_DATA": str(server.data)},
        stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    keys: dict[str, str] = json.loads(done.stdout)
    return keys


class Score(NamedTuple):
    """The points of north–south and east–west."""

    north_south: int
    east_west: int

    @property
    def winner(self) -> int:
        """0 or 1; -1 for a tie."""
        ours, theirs = self
        return (ours < theirs) - (ours == theirs) * 1

    @classmethod
    def by_chance(cls, hands: int, chance: random.Random) -> Score:
        """The score of so many hands."""
        both = [0, 0]
        for _hand in range(hands):
            both[chance.randrange(2)] += chance.choice(POINTS)
        return cls(*both)


@dataclass
class Evening:
    """The event, seen by its director and by a visitor.

    book: the scores that must stand in the end, by round and table. counted: the pages that the
    director has loaded, and the links and buttons they have pressed. walk_ins: who has no account,
    and so cannot play online.
    """

    night: Night
    make: MakePerson
    server: Server
    keys: dict[str, str]
    hands: int
    counted: Counter[str]
    walk_ins: Sequence[str] = ()
    book: dict[tuple[int, int], Score] = field(default_factory=dict)

    def export(self, what: str) -> list[dict[str, Any]]:
        """A table of the event, as any visitor can download it."""
        address = f"{self.night.director.address}{self.night.path}export/{what}.json"
        rows: list[dict[str, Any]] = httpx.get(address).raise_for_status().json()[what]
        return rows

    def tables(self, round_: int) -> dict[int, dict[str, Any]]:
        """The lines of a round's tables by their number."""
        drawn = self.export("pairings")
        return {row["table"]: row for row in drawn if row["round"] == round_ and row["table"]}

    def enters(self, name: str, **options: str) -> Person:
        """A member with a browser of their own."""
        one = self.make(name, server=self.server, account=False, **options)
        cookie = {"name": "bower_session", "value": self.keys[name], "url": one.address}
        one.context.add_cookies([cookie])  # type: ignore[list-item]
        return one

    def online_table(self, round_: int) -> int:
        """A table that is played online; one in the room is moved there if need be."""
        able = {
            table: row["in_room"]
            for table, row in self.tables(round_).items()
            if not any(
                player["name"] in self.walk_ins for side in SIDES for player in row[side]["players"]
            )
        }
        table = min(able, key=lambda one: (able[one], one))
        if able[table]:
            row = self.floor(round_).locator(f"#table-{table}")
            row.get_by_text("Acts").click()
            row.get_by_role("link", name="Move online").click()
            page = self.night.director.page
            page.get_by_role("button", name=f"Move table {table} online").click()
            expect(row.get_by_text("Online", exact=True)).to_be_visible()
        return table

    def called_to(self, round_: int, table: int) -> list[Person]:
        """The four who play at a table, at the event's page in browsers of their own."""
        row = self.tables(round_)[table]
        players = [*row["north_south"]["players"], *row["east_west"]["players"]]
        people = [self.enters(player["name"]) for player in players]
        for one in people:
            one.go(self.night.path)
        return people

    # At a table in the room ---------------------------------------------------------------------

    def room_tables(self, round_: int) -> list[int]:
        """Tables in the room that have not finished, with an account on each side."""
        return [
            table
            for table, row in self.tables(round_).items()
            if row["in_room"] and (round_, table) not in self.book
            if all(self._members(row, side) for side in SIDES)
        ]

    def _members(self, row: dict[str, Any], side: str) -> list[str]:
        return [one["name"] for one in row[side]["players"] if one["name"] in self.keys]

    def phones(self, round_: int, table: int) -> tuple[Person, Person]:
        """One of each side of a table in the room, at its score card on a phone of their own."""
        row = self.tables(round_)[table]
        names = (self._members(row, side)[0] for side in SIDES)
        ours, theirs = (self.enters(name, service_workers="allow") for name in names)
        for one in (ours, theirs):
            one.go(self.night.path)
            one.page.get_by_role("link", name="Enter the score").click()
            one.page.wait_for_url("**/t/*/")
        return ours, theirs

    # What the director does ---------------------------------------------------------------------

    def floor(self, round_: int) -> Locator:
        """The tables of the round on the director's page, once it is drawn."""
        page = self.night.director.page
        if self.night.director.path.partition("?")[0] != f"{self.night.path}manage/":
            self.night.director.go(f"{self.night.path}manage/")
        expect(page.get_by_role("heading", name=f"Tables of round {round_}")).to_be_visible()
        return page.locator(".floor")

    def let_in(self, name: str) -> None:
        """Enter a member, or somebody new on paper, at the door."""
        page, door = self.night.director.page, f"{self.night.path}manage/door/"
        if not self.night.director.path.startswith(door):
            self.night.director.go(door)
        page.locator("#door-name").fill(name)
        if name in self.walk_ins:
            page.get_by_role("button", name=re.compile("^(Add|Let in late)")).click()
        else:
            page.get_by_role(
                "button", name=re.compile(rf"^(Enter|Let in late)\s*: {name}$")
            ).click()
        expect(page.locator("#door-said")).to_have_text(f"{name}: in the event.")

    def substitute(self, name: str, other: str) -> None:
        """Put a member in the seat of a player."""
        director = self.night.director
        director.go(f"{self.night.path}manage/people/")
        director.page.get_by_label(FIND).fill(name)
        director.page.get_by_role("link", name=re.compile(f"^Substitute for {name}")).click()
        director.page.get_by_label("Name", exact=True).fill(other)
        director.page.get_by_role("link", name=re.compile(rf"^Put in\s*: {other}$")).click()
        director.page.get_by_label(re.compile("^(Reason|Remark)")).fill(
            "Has to catch the last bus."
        )
        director.page.locator("form button.button:not(.plain)").last.click()
        director.page.wait_for_url(BACK_AT_THEM)

    def set_by_hand(self, round_: int, table: int, score: Score, *, reason: str = "") -> None:
        """Enter or correct a table's score in the form of the director's page."""
        page = self.night.director.page
        self.night.director.go(f"{self.night.path}manage/?round={round_}")
        page.get_by_role("link", name=re.compile(f"^(Enter|Correct) table {table}$")).click()
        page.locator(f'[name="winner"][value="{score.winner}"]').check()
        for side, points in enumerate(score):
            page.locator(f'[name="points_{side}"]').fill(str(points))
        page.locator('[name="reason"]').fill(reason)
        if (shows := page.get_by_role("button", name="Show what will change")).count():
            shows.click()
        page.get_by_role("button", name="Set the result").click()
        page.wait_for_url("**/manage/*")
        self.book[round_, table] = score

    def finish_round(self, round_: int, chance: random.Random) -> None:
        """Enter a score at every table that has none, those in the room by keyboard in one list."""
        drawn = self.tables(round_)
        left = [table for table in drawn if (round_, table) not in self.book]
        page, room = self.night.director.page, [one for one in left if drawn[one]["in_room"]]
        if room:
            self.floor(round_).page.get_by_role("link", name="Enter results").click()
            page.wait_for_url("**/results/")
        for table in room:
            self.book[round_, table] = score = Score.by_chance(self.hands, chance)
            page.locator(f'[name="points_{table}_0"]').focus()
            for key in (str(score[0]), "Tab", str(score[1]), "Enter"):
                page.keyboard.press(key)
            expect(page.locator(f"#res-{table}").get_by_text("Kept")).to_be_visible()
        for table in left:
            if table not in room:
                score = Score.by_chance(self.hands, chance)
                self.set_by_hand(round_, table, score, reason="Played with cards at the bar.")

    def note_played(self, round_: int, table: int) -> None:
        """Take the score that those at an online table have played into the book, once stored."""
        expect(
            self.floor(round_).get_by_role("link", name=f"Correct table {table}")
        ).to_be_visible()
        (row,) = (
            row for row in self.export("results") if (row["round"], row["table"]) == (round_, table)
        )
        self.book[round_, table] = score_in(row)


def score_in(row: dict[str, Any]) -> Score:
    """The score in a line of the results."""
    return Score(*(row["points"][side] for side in SIDES))


def write_final(writer: Person, score: Score) -> None:
    """Write a match's final score on its card, and sign it."""
    page = writer.page
    page.get_by_role("link", name="Write only the final score").click()
    for side, points in enumerate(score):
        page.locator(f'[name="points_{side}"]').fill(str(points))
    page.get_by_role("button", name=re.compile("^Write ")).click()
    page.get_by_role("button", name=re.compile("^Sign ")).click()
    expect(page.get_by_text("Now the other side signs")).to_be_visible()
