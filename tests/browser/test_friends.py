"""Two members become friends, find each other online, and sit down at a table together."""

from __future__ import annotations

import re

from tests.browser.conftest import MakePerson


def test_asked_accepted_invited_and_seated(person: MakePerson) -> None:
    orla, finn = person("Orla"), person("Finn")  # who sit at no table of another test
    finn.go("/you/")
    finn.go("/search/?q=Orla")
    finn.page.get_by_role("link", name="Orla").first.click()
    finn.page.get_by_role("button", name="Ask to be friends").click()
    finn.page.get_by_text("You are friends when Orla says yes").wait_for()
    finn.page.get_by_text("Asked to be friends").wait_for()
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
    iris.page.get_by_role("button", name="Ask to be friends").press("Enter")
    iris.page.get_by_text("Asked to be friends").wait_for()
    jonah.go("/you/friends/")
    jonah.page.get_by_role("button", name="Decline").click()
    jonah.page.get_by_text("Play a game, then add the people you liked.").wait_for()
    iris.go("/you/friends/")
    iris.page.get_by_text("You have asked them").wait_for()


def test_a_standing_table_is_made_agreed_to_and_opened(person: MakePerson) -> None:
    tess, hugo = person("Tess"), person("Hugo", java_script_enabled=False)
    tess.go("/search/?q=Hugo")
    tess.page.get_by_role("link", name="Hugo").first.click()
    tess.page.get_by_role("button", name="Ask to be friends").click()
    tess.page.get_by_text("Asked to be friends").wait_for()
    hugo.go("/you/friends/")
    hugo.page.get_by_role("button", name="Accept").click()
    tess.go("/you/friends/")
    tess.page.get_by_role("link", name="New standing table").click()
    tess.page.get_by_label("Name of the table").fill("Lunch break")
    tess.page.get_by_label("Hugo").check()
    tess.page.get_by_role("button", name="Make it and ask them").press("Enter")
    tess.page.get_by_text("Has been asked").wait_for()
    hugo.go("/you/friends/")
    hugo.page.get_by_role("button", name="Accept Lunch break").click()
    hugo.page.get_by_role("heading", name="Lunch break").wait_for()
    tess.page.get_by_role("button", name="Wait for the others").click()
    tess.page.wait_for_url(re.compile(r"/tables/\d+/$"))
    hugo.go("/you/friends/")
    hugo.page.get_by_text("Tess has opened Lunch break").wait_for()
    hugo.page.get_by_role("button", name="Sit down").click()
    hugo.page.wait_for_url(re.compile(r"/tables/\d+/$"))
    tess.page.locator(".seat").filter(has_text="Hugo").wait_for()
