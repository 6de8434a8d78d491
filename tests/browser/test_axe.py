"""What axe-core finds wrong with a table: nothing, in any of its states, in any light.

axe-core (MPL 2.0) is Deque's; it is fetched for the tests and no part of this program.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Final, Literal, TypeAlias

import pytest

from tests.browser.checks import AXE
from tests.browser.club_night import found_club
from tests.browser.conftest import MakePerson
from tests.browser.person import Person
from tests.browser.tables import STATES, states
from tests.served import Server
from tests.volume import volume

WINDOWS = ((1280, 800), (390, 844))
LIGHTS: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")
Sight: TypeAlias = tuple[tuple[int, int], Literal["light", "dark"]]
#: Each light in one of the sizes, or thoroughly both in both.
EACH: Final[tuple[Sight, ...]] = tuple(zip(WINDOWS, LIGHTS, strict=True))
SIGHTS = volume(EACH, EACH, tuple(product(WINDOWS, LIGHTS)))


class Axe:
    """Runs axe-core in somebody's page, and keeps what it finds.

    Args:
        script: axe-core itself.
    """

    def __init__(self, script: str) -> None:
        self.script = script
        self.found: dict[str, list[str]] = {}

    def __call__(self, moment: str, one: Person, sights: Iterable[Sight] = SIGHTS) -> None:
        if one.page.evaluate("() => typeof axe === 'undefined'"):
            one.page.evaluate(self.script)
        for (width, height), light in sights:
            one.page.set_viewport_size({"width": width, "height": height})
            one.page.emulate_media(color_scheme=light)
            if found := one.page.evaluate(AXE):
                self.found[f"{moment}, {width}x{height}, {light}"] = found
        one.page.emulate_media(color_scheme="light")


@pytest.fixture
def axe(axe_path: str) -> Axe:
    """axe-core, read once."""
    return Axe(Path(axe_path).read_text())


def told(axe: Axe) -> str:
    """What was found, moment by moment."""
    return "\n".join(f"{moment}: {found}" for moment, found in axe.found.items())


def test_axe_finds_nothing_in_any_state(person: MakePerson, server: Server, axe: Axe) -> None:
    maeve, seen = person("Maeve"), set()
    for state in states(maeve, server):
        axe(state, maeve)
        seen.add(state)
    assert seen == set(STATES)
    assert not axe.found, told(axe)


def test_axe_finds_nothing_for_a_spectator(person: MakePerson, axe: Axe) -> None:
    maeve, otto = person("Maeve"), person("Otto")
    maeve.play_now()
    otto.go(maeve.path)
    otto.wait_until_live()
    axe("watching", otto)
    while maeve.wait_for_turn() != "next":
        maeve.press(maeve.choices.first)
    otto.wait_for_stamp(maeve.stamp)
    axe("watching, hand over", otto)
    assert not axe.found, told(axe)


def test_axe_finds_nothing_in_lessons(person: MakePerson, axe: Axe) -> None:
    maeve = person("Maeve", account=False)
    for path in ("/learn/", "/learn/bowers/1/", "/learn/bowers/1/?said=play+JD"):
        maeve.go(path)
        axe(path, maeve)
    assert not axe.found, told(axe)


def test_axe_finds_nothing_on_the_first_page_and_in_the_rules(
    person: MakePerson, server: Server, axe: Axe
) -> None:
    visitor = person("Otto", account=False)
    for path in (
        "/",
        "/rules/",
        "/rules/joker-33/",
        "/rules/heads-up/",
        "/rules/british/",
        "/rules/no-trump/no-trump/",
        "/rules/joker-33/left-bower/",
        "/rules/joker-33/left-bower/?said=play+AD&wrong=2",
        "/rules/joker-33/joker-turned-up/",
        "/rules/stick-the-dealer/second-round/?said=make+D+alone",
    ):
        visitor.go(path)
        axe(path, visitor)
    maeve = person("Maeve")
    maeve.go("/")
    axe("the first page of a member", maeve)
    maeve.play_now()
    maeve.go("/")
    axe("the first page of a member with a game", maeve)
    assert not axe.found, told(axe)


def test_axe_finds_nothing_on_the_pages_of_members(person: MakePerson, axe: Axe) -> None:
    maeve = person("Maeve")
    club = found_club(maeve)
    maeve.go("/you/name/")
    maeve.page.get_by_label("Country").select_option("IE")
    maeve.page.get_by_label("Home club").select_option(index=1)
    maeve.page.get_by_role("button", name="Save").click()
    profile = maeve.page.locator('main a[href^="/players/"]').first.get_attribute("href")
    paths = (
        profile, f"{profile}record/", "/play/", "/tables/new/", "/you/", "/you/name/",
        "/you/friends/", "/you/notifications/", "/you/data/", "/you/events/", "/events/",
        "/search/?q=mae", "/ratings/", club, f"{club}members/", f"{club}settings/",
        f"{club}statistics/", f"{club}rules/new/",
    )  # fmt: skip
    for number, path in enumerate(paths):  # every other one in every other sight, to be quick
        assert path is not None
        maeve.go(path)
        axe(path, maeve, SIGHTS[number % 2 :: 2])
    assert not axe.found, told(axe)


def test_axe_finds_nothing_on_the_page_of_somebody_on_paper(person: MakePerson, axe: Axe) -> None:
    maeve = person("Maeve")
    club, page = found_club(maeve), maeve.page
    maeve.go(f"{club}list/")
    page.get_by_label("paste").fill("name\nWim Tarrant\nW. Tarrant\n")
    page.get_by_role("button", name="Preview it").click()
    page.get_by_role("button", name="Import").click()
    axe("the list", maeve, SIGHTS)
    page.get_by_role("link", name="Wim Tarrant").click()
    page.get_by_label("Another line").fill("tarr")
    page.get_by_role("button", name="Find").click()
    page.get_by_label("W. Tarrant").check()
    page.get_by_role("button", name="What would change?").click()
    page.get_by_text("Put the name right").click()
    axe("the person", maeve, SIGHTS)
    page.get_by_role("button", name="Make them one person").click()
    page.get_by_role("button", name="Make a code").click()
    axe("the code", maeve, SIGHTS)
    maeve.go(f"/claim/{page.locator('.codebox b').inner_text()}/")
    axe("the claim", maeve, SIGHTS)
    assert not axe.found, told(axe)
