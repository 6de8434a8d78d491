"""The puzzles for everybody in the browser: ten and a rush by keyboard, and how the pages look."""

from __future__ import annotations

from collections.abc import Iterator

from playwright.sync_api import Page, expect

from games.engine.actions import action_text
from games.puzzles.collection import SetPuzzle, collection
from tests.browser.checks import walk
from tests.browser.conftest import MakePerson
from tests.browser.person import Person, press, tab_to

RUSH = "/puzzles/rush/"
#: The calls and cards that the number keys press.
PRESSED = '.room button[name="action"]:not([disabled], [aria-disabled="true"])'


def values(one: Person) -> list[str]:
    found: list[str] = one.page.locator(PRESSED).evaluate_all("all => all.map(one => one.value)")
    return found


def asked(one: Person) -> SetPuzzle:
    return collection()[int(one.page.locator('#act [name="number"]').input_value())]


def answer_by_keys(one: Person, action: str) -> None:
    """Reach a call or card by Tab, ticking “Alone” before it where it is a box, and press Enter."""
    button = action.removesuffix(" alone") if action.startswith("make") else action
    if action != button:
        tab_to(one, 'return here.name === "alone"')
        press(one, "Space")
    tab_to(one, f'return here.value === "{button}"')
    press(one, "Enter")


def answer_by_number(one: Person, action: str) -> None:
    """Press the number key of a call or card; “Alone” as a box is ticked before."""
    button = action.removesuffix(" alone") if action.startswith("make") else action
    if action != button:
        one.page.locator('input[name="alone"]').check()
    with one.page.expect_navigation():
        one.page.keyboard.press(str(values(one).index(button) + 1))


def test_ten_puzzles_and_a_rush_by_keyboard(person: MakePerson) -> None:
    maeve = person("Maeve", account=False)
    maeve.go("/")
    expect(maeve.page.get_by_role("heading", name="Puzzle of the day")).to_be_visible()
    maeve.page.get_by_role("link", name="All 60 puzzles").click()
    tab_to(maeve, 'return here.textContent.trim() === "Begin"')
    press(maeve, "Enter")
    for number in range(1, 11):
        maeve.page.wait_for_url(f"**/puzzles/set/{number}/**")
        judged = collection()[number].judged
        if number == 1:
            answer_by_keys(maeve, action_text(judged.taken))
            expect(maeve.page.get_by_text("Not the best. Try again.")).to_be_visible()
        answer_by_keys(maeve, action_text(judged.judgement.best))
        expect(maeve.page.locator("#next")).to_be_focused()
        expect(maeve.page.locator(".points-of [data-best]")).to_have_count(1)
        press(maeve, "Enter")
    maeve.go("/puzzles/")
    expect(maeve.page.get_by_role("heading", name="10 of 60 solved")).to_be_visible()

    maeve.go(RUSH)
    tab_to(maeve, 'return here.textContent.trim() === "Start the clock"')
    press(maeve, "Enter")
    expect(maeve.page.get_by_role("timer")).to_be_visible()
    held = "new KeyboardEvent('keydown', {key: '1', repeat: true})"
    maeve.page.evaluate(f"document.dispatchEvent({held})")
    for right in (True, False, True, False):
        judged = asked(maeve).judged
        answer_by_number(maeve, action_text(judged.judgement.best if right else judged.taken))
    expect(maeve.page.get_by_role("timer")).to_contain_text(":")
    expect(maeve.page.get_by_text("2 of 3 mistakes")).to_be_visible()
    for width, height in ((844, 390), (390, 844)):  # a phone, turned and upright
        maeve.page.set_viewport_size({"width": width, "height": height})
        expect(maeve.page.get_by_role("timer")).to_be_visible()
        expect(maeve.page.get_by_label("Your answers")).to_be_visible()
    judged = asked(maeve).judged
    answer_by_keys(maeve, action_text(judged.taken))
    expect(maeve.page.get_by_role("heading", name="You solved 2")).to_be_visible()


def pages(one: Person) -> Iterator[tuple[str, Page]]:
    """Walk through the pages of puzzles without scripts; each place by a name."""
    one.go("/puzzles/")
    yield "list", one.page
    one.go("/puzzles/set/30/")
    yield "puzzle", one.page
    one.page.get_by_role("button", name="Show the answer").click()
    yield "answer", one.page
    one.go(RUSH)
    yield "before", one.page
    one.page.get_by_role("button", name="Start the clock").click()
    one.page.locator(PRESSED).first.click()
    yield "rush", one.page
    while one.page.locator(PRESSED).count():
        one.page.locator(PRESSED).first.click()
    expect(one.page.get_by_role("heading", name="Your answers")).to_be_visible()
    yield "over", one.page


def test_pages_of_puzzles_on_every_screen_without_scripts(person: MakePerson) -> None:
    walk(pages(person("Maeve", account=False, java_script_enabled=False)))
