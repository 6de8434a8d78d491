"""Every page for everybody: on small screens, in the dark, by name and by structure."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from playwright.sync_api import Page

from games.engine.rules import RuleSet
from games.seats.house_rules import HOUSE_RULES
from tests.browser.checks import WINDOWS, covered, walk
from tests.browser.conftest import MakePerson
from tests.browser.person import Person
from tests.browser.store import stacked
from tests.served import Server

PAGES = (
    "/",
    "/play/",
    "/rules/",
    "/rules/joker-33/",
    "/tables/new/",
    "/you/",
    "/you/name/",
    "/you/table/",
    "/you/look/",
    "/accounts/signup/",
    "/accounts/login/",
)
HOUSE = dict.fromkeys(("north", "east", "west"), "house")
#: Whoever sits out, and whoever has played all, has no hand to read.
HAND = re.compile("^(Your (hand|cards)|No cards)")
SHORT = RuleSet(key=HOUSE_RULES, name="House rules", target=2)


def pages(maeve: Person, server: Server) -> Iterator[tuple[str, Page]]:
    """Walk through the site and a short game of it, the same at every run; each place by a name."""
    for path in PAGES:
        maeve.go(path)
        yield path, maeve.page
    maeve.make_table("joker-33")
    yield "gathering", maeve.page
    with stacked(server, SHORT, lambda game: True):
        maeve.make_table(SHORT.key, seats=HOUSE, house_rules={"target": str(SHORT.target)})
        maeve.wait_until_dealt()
    maeve.wait_until_live()
    chance = random.Random(5)
    seen: set[str] = set()
    while (asked := maeve.wait_for_turn()) != "over":
        kind = f"{asked}: {maeve.question[0]}"
        if kind not in seen:
            seen.add(kind)
            yield kind, maeve.page
        maeve.choose(chance)
    yield "over", maeve.page
    maeve.page.get_by_role("link", name="Score sheet").click()
    maeve.page.wait_for_url("**/games/*/")
    yield "finished", maeve.page
    for path in ("/", "/play/"):
        maeve.go(path)
        yield f"{path} afterwards", maeve.page


def covered_in_any_window(page: Page) -> list[str]:
    """What lies under something else in a window of any size."""
    wrong = []
    for width, height in WINDOWS:
        page.set_viewport_size({"width": width, "height": height})
        wrong += [f"{width}x{height}: {found}" for found in covered(page)]
    return wrong


def test_pages_are_readable_and_fit_any_window(person: MakePerson, server: Server) -> None:
    walk(pages(person("Maeve", account=False, has_touch=True), server), covered_in_any_window)


def test_dark_theme_by_system_and_by_choice(person: MakePerson) -> None:
    ground = "() => getComputedStyle(document.body).backgroundColor"
    maeve = person("Maeve", account=False, color_scheme="dark")
    maeve.go("/")
    dark = maeve.page.evaluate(ground)
    maeve.go("/you/look/")
    maeve.page.get_by_role("radio", name="Light").check()
    maeve.page.get_by_role("button", name="Save").click()
    maeve.page.get_by_text("Saved.").wait_for()
    maeve.go("/")
    light = maeve.page.evaluate(ground)
    assert dark != light
    maeve.page.emulate_media(color_scheme="light")
    assert maeve.page.evaluate(ground) == light


def test_the_table_has_its_landmarks(person: MakePerson) -> None:
    maeve = person("Maeve", account=False)
    maeve.play_now()
    maeve.wait_until_live()
    live = maeve.page.locator("#live")
    assert (live.get_attribute("role"), live.get_attribute("aria-live")) == ("status", "polite")
    for role, name in (
        ("main", None), ("banner", None), ("complementary", "Talk and log"),
        ("region", "The table"), ("region", "Trump and score"), ("group", HAND),
    ):  # fmt: skip
        assert maeve.page.get_by_role(role, name=name).count() == 1, (role, name)  # type: ignore[arg-type]
    maeve.page.keyboard.press("Tab")
    ring = maeve.page.evaluate("""() => {
        const style = getComputedStyle(document.activeElement);
        return parseFloat(style.outlineWidth) || style.boxShadow !== "none";
    }""")
    assert ring, "the focus is to be seen"
