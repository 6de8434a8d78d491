"""The pages of ratings in a browser: on small screens, in the dark, by name and by structure."""

from __future__ import annotations

from collections.abc import Iterator

from playwright.sync_api import Page, expect

from tests.browser.checks import walk
from tests.browser.conftest import MakePerson
from tests.browser.person import Person
from tests.browser.store import rated_game
from tests.served import Server


def pages(maeve: Person, server: Server) -> Iterator[tuple[str, Page]]:
    """Walk through the pages of ratings; each place by a name."""
    game = rated_game(server)
    for name, path in game.paths.items():
        maeve.go(path)
        yield name, maeve.page
    maeve.go(f"/games/{game.game_id}/")
    expect(maeve.page.locator("#game-ratings")).to_contain_text("were expected to win")
    yield "game", maeve.page
    maeve.go("/ratings/classic-online/?country=XX")
    yield "refused", maeve.page


def test_pages_are_readable_and_fit_a_phone(person: MakePerson, server: Server) -> None:
    maeve = person("Maeve", has_touch=True)
    maeve.expected = ("status of 400",)
    walk(pages(maeve, server))


def test_a_long_name_covers_nothing_below_it(person: MakePerson, server: Server) -> None:
    rated_game(server)
    maeve = person("Maeve", viewport={"width": 390, "height": 740})
    maeve.go("/ratings/classic-online/")
    apart = """row => {
        const [name, why] = [row.querySelector("a"), row.querySelector("small")];
        name.textContent = "Wilhelmina Featherstonehaugh-X";
        row.querySelector(".tag")?.remove();
        const text = document.createRange();
        text.selectNodeContents(name);
        return why.getBoundingClientRect().top - text.getBoundingClientRect().bottom;
    }"""
    assert maeve.page.locator(".ladder .who").first.evaluate(apart) > 0


def test_without_scripts_the_game_leads_to_its_ratings(person: MakePerson, server: Server) -> None:
    maeve = person("Maeve", java_script_enabled=False)
    maeve.go(f"/games/{rated_game(server).game_id}/")
    maeve.page.get_by_role("link", name="Rating changes").click()
    expect(maeve.page.get_by_role("heading", level=1)).to_contain_text("ratings")
    expect(maeve.page.get_by_text("were expected to win")).to_have_count(4)


def test_the_curve_is_named_and_leads_to_events(person: MakePerson, server: Server) -> None:
    game = rated_game(server)
    maeve = person("Maeve")
    maeve.go(game.paths["player"])
    curve = maeve.page.get_by_role("group", name="Rating from 1500")
    expect(curve).to_be_visible()
    maeve.page.locator(".for-wide a").last.click()
    expect(maeve.page.get_by_role("heading", level=1)).to_have_text("Thursday euchre")
