"""A review and its puzzles in the browser: from a game played to a puzzle solved."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from games.figures import MINUS
from tests.browser.checks import walk
from tests.browser.conftest import MakePerson
from tests.browser.person import Person
from tests.browser.store import game_with_mistakes, rows
from tests.served import Server

#: Milliseconds in which a review must have been made; a busy machine takes a minute.
MADE = 240_000
HOUSE = dict.fromkeys(("north", "east", "west"), "house")
#: What differs between the moment as the script has put it there and the page drawn afresh.
DIFFERENT = """async () => {
  const plain = (node) => node.nodeType === Node.TEXT_NODE ? node.data.trim() : [
    node.tagName,
    [...node.attributes].map(one => `${one.name}=${one.value}`).sort().join(" "),
    ...[...node.childNodes].map(plain).filter(one => one !== ""),
  ];
  const response = await fetch(location.href, { headers: { Accept: "text/html" } });
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
  const parts = [".cloth", "nav.row", ".hs", ".why", ".doubtbox", ".expectbox", ".tabs"];
  return parts.filter(part => {
    const [shown, drawn] = [document, fresh].map(page => page.querySelector(part));
    return JSON.stringify(plain(shown)) !== JSON.stringify(plain(drawn));
  });
}"""


def wait_for_review(one: Person) -> None:
    heading = one.page.get_by_role("heading", name="Your mistakes")
    expect(heading).to_be_visible(timeout=MADE)


def ask_again(server: Server) -> None:
    """Let nobody have answered any puzzle."""
    rows(server, "UPDATE games_puzzle SET solved = NULL, shown = NULL, tries = 0")


def solve(one: Person) -> int:
    """Try every option, and each suit alone, until the puzzle is solved; return how many."""
    answered = one.page.get_by_role("heading", name="The answer")
    alone = one.page.locator('input[name="alone"]')
    tries = 0
    for with_alone in (False, True) if alone.count() else (False,):
        for option in range(one.choices.count()):
            if with_alone:
                alone.check()
            with one.page.expect_navigation():
                one.choices.nth(option).click()
            tries += 1
            if answered.count():
                return tries
            expect(one.page.get_by_text("Not the best. Try again.")).to_be_visible()
    raise AssertionError("No option was the best.")


def test_from_a_game_against_the_house_to_a_puzzle_solved(
    person: MakePerson, server: Server
) -> None:
    maeve = person("Maeve")
    few_points = {"stick_the_dealer": "on", "target": "3"}  # each hand takes seconds to review
    maeve.make_table("house-rules", seats=HOUSE, house_rules=few_points)
    maeve.wait_until_dealt()
    chance = random.Random(3)
    while maeve.wait_for_turn() != "over":
        maeve.choose(chance)
    maeve.page.get_by_role("link", name="Score sheet").click()
    maeve.page.get_by_role("link", name="Review it").click()
    maeve.page.wait_for_url("**/review/")
    game = maeve.path.split("/")[2]
    wait_for_review(maeve)
    # By key to the first doubt: what was played, what would have been better, and why.
    maeve.page.keyboard.press("n")
    mark = maeve.page.locator(".why .degree")
    expect(mark).to_have_text(re.compile("Inaccuracy|Mistake|Blunder"))
    expect(maeve.page.locator(".why .verdict-line b")).to_have_text(
        re.compile(rf"^{MINUS}\d\.\d\d points$")
    )
    expect(maeve.page.locator(".points-of [data-best]")).to_contain_text("Best:")
    maeve.page.locator(".doubts a").first.click()
    expect(maeve.page.locator(".doubts [aria-current]")).to_have_count(1)
    at = re.search(r"at=(\d+\.\d+)", maeve.path)
    assert at is not None
    # On and back again, and over to the replay at the same moment.
    maeve.page.keyboard.press("ArrowRight")
    maeve.page.wait_for_url(lambda address: at[0] not in address)
    maeve.page.keyboard.press("ArrowLeft")
    maeve.page.wait_for_url(f"**{at[0]}*")
    expect(mark).to_be_visible()
    assert not maeve.page.evaluate(DIFFERENT)
    # One press leads to the analysis board, with the same decision.
    maeve.page.get_by_role("link", name="Analyse from here").click()
    expect(maeve.page.get_by_role("heading", name="Analysis: ")).to_be_visible()
    expect(maeve.page.locator(".choices-worth > li")).not_to_have_count(0)
    maeve.page.go_back()
    maeve.page.get_by_role("link", name="Replay", exact=True).click()
    maeve.page.wait_for_url(f"**/games/{game}/replay/?at={at[1]}")
    # Three days later.
    rows(
        server,
        "UPDATE games_game SET ended = datetime(ended, '-4 days') WHERE id = ?",
        game.replace("-", ""),
    )
    maeve.go("/puzzles/own/")
    number = re.search(r"/puzzles/(\d+)/", maeve.path)
    assert number is not None
    tries = solve(maeve)
    expect(maeve.page.locator("#line")).to_contain_text("Yes: ")
    found = "Found at the first try." if tries == 1 else f"Found at try {tries}."
    expect(maeve.page.locator("#line")).to_contain_text(found)
    expect(maeve.page.locator(".points-of > div")).not_to_have_count(0)
    expect(maeve.page.get_by_text(re.compile(r"^\d+ of \d+ solved$"))).to_be_visible()
    maeve.page.get_by_role("link", name="See the hand").click()
    expect(mark).to_be_visible()


@pytest.mark.thorough
def test_every_step_is_shown_as_it_is_drawn_afresh(person: MakePerson, server: Server) -> None:
    maeve = person("Maeve")
    maeve.go(f"/games/{game_with_mistakes(server)}/review/?at=1.0")
    wait_for_review(maeve)
    for _ in range(12):
        where = maeve.page.locator("#replay-live").text_content()
        maeve.page.keyboard.press("ArrowRight")
        expect(maeve.page.locator("#replay-live")).not_to_have_text(where or "")
        assert not maeve.page.evaluate(DIFFERENT)
    # The curve takes one to any step of the hand.
    hand = re.search(r"at=(\d+)\.", maeve.path)
    assert hand is not None
    curve = maeve.page.locator(".expect.at-wide")
    box = curve.bounding_box()
    assert box is not None
    curve.click(position={"x": box["width"] * 0.06, "y": box["height"] / 2})
    maeve.page.wait_for_url(re.compile(rf"at={hand[1]}\.0&"))


def test_without_scripts(person: MakePerson, server: Server) -> None:
    game = game_with_mistakes(server)
    seeing = person("Maeve")
    seeing.go(f"/games/{game}/review/")
    wait_for_review(seeing)
    maeve = person("Maeve", java_script_enabled=False)
    maeve.go(f"/games/{game}/review/")
    maeve.page.locator('.why a[data-step="doubt"]').click()
    expect(maeve.page.locator(".why .degree")).to_be_visible()
    maeve.page.get_by_role("link", name="Iris").click()
    expect(maeve.page.get_by_role("heading", name="Iris’s mistakes")).to_be_visible()
    ask_again(server)
    maeve.go("/puzzles/own/")
    maeve.page.get_by_role("button", name="Show the answer").click()
    expect(maeve.page.get_by_role("heading", name="The answer")).to_be_visible()


def pages(maeve: Person, server: Server) -> Iterator[tuple[str, Page]]:
    """Walk through the views of a review, and a puzzle; each place by a name."""
    review = f"/games/{game_with_mistakes(server)}/review/"
    maeve.go(review)
    wait_for_review(maeve)
    yield "dealt", maeve.page
    maeve.page.locator('.why a[data-step="doubt"]').click()
    expect(maeve.page.locator(".why .degree")).to_be_visible()
    yield "doubt", maeve.page
    for view in ("south", "east"):
        maeve.go(f"{review}?at=2.8&seat={view}")
        yield f"from {view}", maeve.page
    ask_again(server)
    maeve.go("/puzzles/own/")
    yield "puzzle", maeve.page
    maeve.page.get_by_role("button", name="Show the answer").click()
    yield "answer", maeve.page
    rows(server, "UPDATE games_puzzle SET solved = '2026-01-01 00:00:00'")
    maeve.go("/puzzles/own/")
    yield "no puzzle", maeve.page


#: Which of the board, its steps, the mark and the reason are not whole in the window.
OUT_OF_SIGHT = """parts => {
  const places = document.querySelector("nav.places");
  const fixed = getComputedStyle(places).position === "fixed";
  const end = fixed ? places.getBoundingClientRect().top : innerHeight;
  return parts.filter(part => {
    const box = document.querySelector(part)?.getBoundingClientRect();
    return !box || !box.width || box.top < 0 || box.bottom > end + 0.5;
  });
}"""
IN_SIGHT = [
    ".reviewed", ".stepper", '.stepper a[data-step="doubt"]', ".why .verdict-line", ".why .say",
    ".reviewed .fact", ".reviewed .fact.r",
]  # fmt: skip


@pytest.mark.parametrize(
    "window", [(1280, 800), (390, 844)], ids=lambda one: "x".join(map(str, one))
)
def test_board_verdict_and_steps_are_in_sight_together(
    person: MakePerson, server: Server, window: tuple[int, int]
) -> None:
    width, height = window
    maeve = person("Maeve", viewport={"width": width, "height": height})
    maeve.go(f"/games/{game_with_mistakes(server)}/review/")
    wait_for_review(maeve)
    seen = []
    step = maeve.page.locator('.stepper a[data-step="doubt"]')
    for _ in range(4):
        before = maeve.page.url
        step.click()
        maeve.until("before => location.href !== before", before)
        expect(maeve.page.locator(".why .degree")).to_be_visible()
        assert maeve.page.evaluate("scrollY") == 0, "nothing scrolls"
        if step.is_hidden():
            break
        seen.append((maeve.path, maeve.page.evaluate(OUT_OF_SIGHT, IN_SIGHT)))
    assert len(seen) > 1
    assert [one for one in seen if one[1]] == []


def test_pages_are_readable_and_fit_a_phone(person: MakePerson, server: Server) -> None:
    walk(pages(person("Maeve", has_touch=True), server))
