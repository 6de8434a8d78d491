"""Resigning, claiming the rest of a hand and leaving for good: asked, answered, taken back."""

from __future__ import annotations

import random
import re

import pytest
from playwright.sync_api import APIResponse, Page, Route

from games.models.people import NAME_LENGTH
from tests.browser.checks import LIES_ON, WINDOWS, crowded
from tests.browser.conftest import MakePerson
from tests.browser.person import Person
from tests.browser.tables import all_show, mover, play_on, sit_together

SHEET = "Leave or resign"
#: Whether news on the cloth is there, and gone once its seconds are over.
NEWS_GOES = """() => {
  const company = document.getElementById("company");
  company.insertAdjacentHTML("beforeend", '<p class="note passing">Ben sits down: West.</p>');
  const note = company.lastElementChild;
  const shown = () => note.checkVisibility({visibilityProperty: true});
  const before = shown();
  note.getAnimations().forEach(one => one.finish());
  const after = shown();
  note.remove();
  return before && !after;
}"""


@pytest.fixture
def people(person: MakePerson) -> list[Person]:
    """Maeve, Ben, Iris and Jonah at a table: South, West, North and East."""
    four = [person(name) for name in ("Maeve", "Ben", "Iris", "Jonah")]
    sit_together(four, "classic-24")
    return four


def open_sheet(one: Person) -> None:
    """Open the sheet with the ways to leave, which is behind that of the table's look."""
    one.page.get_by_role("button", name="My table").click()
    one.page.get_by_role("button", name=SHEET).click()


def asks_to_resign(one: Person, button: str) -> None:
    """Open the sheet and press its button."""
    open_sheet(one)
    one.page.get_by_role("button", name=button).click()
    one.page.locator("#leaving").wait_for(state="hidden")


def sheet_closes_if_the_frame_arrives_before_the_answer(page: Page, button: str) -> None:
    """Ask somebody to resign by a button, while the answer to that is held back."""
    answers: list[tuple[Route, APIResponse]] = []

    def hold(route: Route) -> None:
        answers.append((route, route.fetch()))
        page.evaluate("document.body.dataset.answered = ''")

    page.route("**/resign", hold)
    page.get_by_role("button", name="My table").click()
    page.get_by_role("button", name=SHEET).click()
    ask = page.get_by_role("button", name=button)
    ask.click()
    ask.wait_for(state="detached")
    page.locator("body[data-answered]").wait_for()
    [(route, answer)] = answers
    assert page.locator("#leaving").is_visible()
    route.fulfill(response=answer)
    page.locator("#leaving").wait_for(state="hidden")
    page.unroute("**/resign")


def test_a_side_resigns_all_play_again_and_one_leaves_for_good(people: list[Person]) -> None:
    maeve, ben, iris, _ = people
    sheet_closes_if_the_frame_arrives_before_the_answer(maeve.page, "Ask Iris to resign")
    for one in people:
        one.page.locator("#company").get_by_text("Maeve wants to resign.").first.wait_for(
            state="attached"
        )
    play_on_button = iris.page.get_by_role("button", name="Play on")
    play_on_button.wait_for()
    assert not ben.page.get_by_role("button", name="Play on").count()
    play_on_button.click()
    maeve.page.locator("#log").get_by_text("Iris plays on").wait_for(state="attached")
    asks_to_resign(maeve, "Ask Iris to resign")
    maeve.page.get_by_role("button", name="Take it back").click()
    play_on_button.wait_for(state="hidden")
    asks_to_resign(iris, "Ask Maeve to resign")
    maeve.page.get_by_role("button", name="Resign", exact=True).click()
    for one in people:
        one.wait_until_over()
        assert "Maeve resign at" in one.page.locator("#prompt").inner_text()
        assert one.page.locator("#story").get_by_text("Named trump").is_visible()
    assert "You win by resignation" in ben.page.locator("#prompt").inner_text()
    ben.page.get_by_role("button", name="Play again").click()
    for one in people:
        one.until("() => /^2[.]/.test(document.getElementById('stamp').value)")
        told: str = one.page.evaluate("document.querySelector('#ended:popover-open')?.innerText")
        assert (told is None) if one is ben else ("by resignation" in told and "Tricks" in told)
    all_show(people)
    open_sheet(ben)
    ben.page.get_by_role("button", name="Ask Jonah to resign").wait_for()
    # Whoever leaves is replaced by the house and can sit elsewhere.
    open_sheet(maeve)
    maeve.page.get_by_role("button", name="Leave for good").click()
    maeve.page.wait_for_url(f"{maeve.address}/")
    log = ben.page.locator("#log")
    log.get_by_text("Maeve has left for good: a house player plays on").wait_for(state="attached")
    ben.page.locator(".seat").filter(has_text="House").wait_for()
    assert not maeve.page.get_by_role("link", name=re.compile(f"Table {ben.table_id}\\b")).count()


def test_a_call_is_undone_when_all_agree(people: list[Person]) -> None:
    all_show(people)
    while not (one := next((who for who in people if who.now()["asked"] == "call"), None)):
        play_on(people, random.Random(3))
        all_show(people)
    before = one.page.locator("#log-deal").inner_text()
    one.page.locator('#prompt [name="action"]').first.click()
    undo = one.page.get_by_role("button", name="Undo")
    undo.wait_for()
    one.page.keyboard.press("u")
    one.page.get_by_role("button", name="Let it stand").wait_for()
    undo.wait_for(state="detached")
    for other in people:
        if other is not one:
            other.page.get_by_role("button", name="I agree").click()
    one.wait_for_turn("call")
    log = one.page.locator("#log-deal").inner_text()
    assert "Agreed: it is taken back" in log
    assert log.startswith(before)
    all_show(people)
    assert play_on(people, random.Random(4))


def test_the_rest_of_a_hand_is_claimed_and_played_out(people: list[Person]) -> None:
    chance, claim = random.Random(8), re.compile("Claim the rest")
    while not (one := claimer(people, claim)):
        assert play_on(people, chance) or again(people)
    others = [other for other in people if other is not one]
    before = one.stamp
    one.page.get_by_role("button", name=claim).click()
    for other in others:
        other.page.get_by_role("button", name="I agree").click()
    for each in people:
        each.until("() => !document.querySelector('#turn').dataset.turn")
    assert one.stamp != before
    told = f"{one.name} claims the rest"
    assert told in one.page.locator("#log").inner_text()


def claimer(people: list[Person], claim: re.Pattern[str]) -> Person | None:
    """Who can claim the rest now, once all show the same."""
    all_show(people)
    can = [one for one in people if one.page.get_by_role("button", name=claim).count()]
    assert len(can) < 2
    return can[0] if can else None


def again(people: list[Person]) -> bool:
    """Let another game begin."""
    people[0].page.get_by_role("button", name="Play again").click()
    number = int(people[0].stamp.partition(".")[0]) + 1
    for one in people:
        one.until(
            "number => document.getElementById('stamp').value.startsWith(number)", f"{number}."
        )
    return True


def test_without_scripts_the_sheet_has_the_same_forms(person: MakePerson) -> None:
    maeve = person("Maeve", account=False, java_script_enabled=False)
    maeve.play_now()
    open_sheet(maeve)
    maeve.page.get_by_role("button", name="Resign the game").click()
    maeve.page.get_by_role("button", name="Play again").wait_for()
    assert "resign" in maeve.page.locator("#prompt").inner_text()


@pytest.mark.thorough
def test_nothing_overlaps_during_a_proposal(person: MakePerson) -> None:
    names = [name.ljust(NAME_LENGTH, "w") for name in ("Maeve", "Ben", "Iris", "Jonah")]
    four = [person(name) for name in names]
    sit_together(four, "classic-24")
    maeve, _, iris, _ = four
    wrong = {}
    assert not maeve.page.get_by_role("button", name="Previous trick").count(), "there is none yet"
    assert maeve.page.evaluate(NEWS_GOES)

    def look(moment: str, *people: Person) -> None:
        for one in people:
            for width, height in WINDOWS:
                one.page.set_viewport_size({"width": width, "height": height})
                if found := crowded(one.page):
                    wrong[f"{moment}, {one.name[:5]}, {width}x{height}"] = found

    mover(four).press(mover(four).page.locator('#prompt [value="order"]'))
    while mover(four).page.locator(".trick .card").count() != 3:
        last = mover(four)
        last.play_a_card()
    asked = mover(four)
    last.page.get_by_role("button", name="Undo").click()
    for one in (last, asked):
        one.page.locator("#consenting .until").get_by_text(re.compile(r"^\d+ s$")).wait_for()
        one.page.locator(".trick .wanted").wait_for()
    assert "wants the" in asked.page.locator("#consenting").inner_text()
    look("a card is wanted back", last, asked)
    asked.page.get_by_role("button", name="Refuse").click()
    last.page.locator(".trick .wanted").wait_for(state="detached")
    asks_to_resign(maeve, f"Ask {names[2]} to resign")
    iris.page.get_by_role("button", name="Play on").wait_for()
    look("asked", maeve, iris)
    iris.page.get_by_role("button", name="Resign", exact=True).click()
    maeve.wait_until_over()
    iris.wait_until_over()
    for one in (maeve, iris):
        for width, height in WINDOWS:
            one.page.set_viewport_size({"width": width, "height": height})
            assert one.page.evaluate(LIES_ON) == [], (width, height)
    assert not wrong, "\n".join(f"{at}: {found}" for at, found in wrong.items())
