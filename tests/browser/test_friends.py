"""Two members become friends, find each other online, and sit down at a table together."""

from __future__ import annotations

import re

from tests.browser.checks import fits
from tests.browser.conftest import MakePerson

#: The longest name there may be, in two words.
LONG = "Wilhelmina Featherstonehaugh-X"
#: Where the name, what is done, and the button of a friend's line are, with that name.
_LINE = """(name) => {
  const line = document.querySelector(".friends > li");
  line.querySelector(".inrow").textContent = name;
  const words = document.createRange();
  words.selectNodeContents(line.querySelector(".inrow"));
  const boxes = [words, line.querySelector("small"), line.querySelector(".button")];
  return boxes.map(one => one.getBoundingClientRect()).flatMap(box => [box.top, box.bottom]);
}"""


def test_asked_accepted_invited_and_seated(person: MakePerson) -> None:
    orla, finn = person("Orla"), person("Finn")  # who sit at no table of another test
    finn.go("/you/")
    finn.go("/search/?q=Orla")
    finn.page.get_by_role("link", name="Orla").first.click()
    finn.page.get_by_role("button", name="Add friend").click()
    finn.page.get_by_text("You are friends when Orla says yes").wait_for()
    finn.page.locator(".tag", has_text="Asked").wait_for()
    orla.go("/you/friends/")
    orla.page.get_by_role("button", name="Accept").click()
    orla.page.get_by_text("You and Finn are friends.").wait_for()
    invite = orla.page.get_by_role("button", name="Invite Finn")
    finn.go("/you/friends/")
    invite.click()
    orla.page.wait_for_url(re.compile(r"/tables/\d+/$"))
    finn.page.get_by_text("Orla invites you to a table").wait_for()  # without loading the page
    finn.page.get_by_role("link", name="Go to the table").click()
    finn.page.wait_for_url(re.compile(r"/tables/\d+/$"))
    finn.page.get_by_role("button", name=re.compile("Sit")).first.click()
    orla.page.locator(".seat").filter(has_text="Finn").wait_for()


def test_by_keyboard_and_without_scripts(person: MakePerson) -> None:
    iris, jonah = person("Iris"), person("Jonah", java_script_enabled=False)
    iris.go("/search/?q=Jonah")
    iris.page.get_by_role("link", name="Jonah").first.click()
    iris.page.get_by_role("button", name="Add friend").press("Enter")
    iris.page.locator(".tag", has_text="Asked").wait_for()
    jonah.go("/you/friends/")
    jonah.page.get_by_role("button", name="Decline").click()
    jonah.page.get_by_text("Play a game, then add the people you liked.").wait_for()
    iris.go("/you/friends/")
    iris.page.get_by_text("Requests you sent").wait_for()


def test_a_friend_in_the_lobby_is_joined_and_a_long_name_covers_nothing(person: MakePerson) -> None:
    petra, ruben = person("Petra"), person("Ruben")
    petra.go("/search/?q=Ruben")
    petra.page.get_by_role("link", name="Ruben").first.click()
    petra.page.get_by_role("button", name="Add friend").click()
    petra.page.locator(".tag", has_text="Asked").wait_for()
    ruben.go("/you/friends/")
    ruben.page.get_by_role("button", name="Accept").click()
    ruben.page.get_by_text("You and Petra are friends.").wait_for()
    ruben.go("/tables/new/")
    ruben.page.get_by_role("button", name="Make the table").click()
    ruben.page.wait_for_url(re.compile(r"/tables/\d+/$"))
    for path in ("/", "/play/", "/you/friends/"):
        petra.go(path)
        petra.page.get_by_text("At a table with three free seats").wait_for()
        for width in (1280, 390, 320):
            petra.page.set_viewport_size({"width": width, "height": 844})
            starts, name_ends, begins, ends, top, bottom = petra.page.evaluate(_LINE, LONG)
            assert name_ends <= begins, f"{path} at {width}: the name covers what is done"
            assert top < ends, f"{path} at {width}: the button is in a line of its own"
            assert starts < bottom
            assert fits(petra.page) == []
    petra.go("/play/")
    petra.page.get_by_role("link", name="Join Ruben").press("Enter")
    petra.page.get_by_role("button", name=re.compile("Sit")).first.click()
    ruben.page.locator(".seat").filter(has_text="Petra").wait_for()
