"""A moderator opens a case, decides it and takes it back, by keyboard alone."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import MakePerson
from tests.browser.person import Person, press, tab_to
from tests.browser.store import rows
from tests.served import Server

#: Whether whatever has the focus is in view, and can be seen to have it.
SEEN = """() => {
  const here = document.activeElement;
  const box = here.getBoundingClientRect();
  const shown = here.closest(".verdict") ?? here;
  const style = getComputedStyle(shown);
  return box.bottom > 0 && box.top < innerHeight && style.outlineStyle !== "none"
    && parseFloat(style.outlineWidth) >= 2;
}"""
#: The panels of the page in the order in which Tab comes to them, and as they are seen.
PANELS = """() => [...document.querySelectorAll(".modding > section")]
  .map(one => [one.getBoundingClientRect().top, one.getAttribute("aria-labelledby")])"""


def go_to(person: Person, words: str) -> None:
    """Press Tab until what has the focus is called so; it can be seen there."""
    name = "(here.labels?.[0] ?? here).textContent.trim().replace(/\\s+/g, ' ')"
    tab_to(person, f"return {name}.startsWith('{words}');")
    assert person.page.evaluate(SEEN), words


def next_is_in_the_case(person: Person) -> None:
    """Press Tab: it goes on in the case, and not at the top of the page."""
    press(person, "Tab")
    assert person.page.evaluate("() => Boolean(document.activeElement.closest('#report'))")


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_a_case_is_opened_decided_and_taken_back_by_keyboard(
    person: MakePerson, server: Server, width: int, height: int
) -> None:
    _ben, maeve = person("Ben"), person("Maeve")
    iris = person("Iris", viewport={"width": width, "height": height})
    for others in ("report", "talkreport", "takencase"):
        rows(server, f"DELETE FROM games_{others}")  # noqa: S608 - of other tests
    (number,) = rows(server, "SELECT id FROM games_player WHERE name = 'Ben'")[0]
    maeve.go(f"/report/player/{number}/")
    maeve.page.get_by_role("radio", name="Cheating").check()
    maeve.page.get_by_role("button", name="Report").click()
    expect(maeve.page.get_by_text("will look at it")).to_be_visible()

    staff = "UPDATE games_user SET is_staff = ? WHERE email = 'iris@example.com'"
    rows(server, staff, 1)
    iris.expected = ("status of 422",)
    page = iris.page
    try:
        iris.go("/moderation/")
        go_to(iris, "Open the case of Ben")
        press(iris, "Enter")
        expect(page.get_by_text("Yours until")).to_be_visible()
        panels = page.evaluate(PANELS)
        assert [name for _top, name in panels] == ["open", "case", "record"]
        assert width > 1000 or panels == sorted(panels)
        next_is_in_the_case(iris)

        go_to(iris, "Nothing")
        press(iris, "ArrowDown", "ArrowDown", "ArrowDown")
        expect(page.get_by_role("radio", name="Warn")).to_be_checked()
        go_to(iris, "Note for the staff")
        page.keyboard.insert_text("Too many right guesses.")
        go_to(iris, "Decide")
        press(iris, "Enter")
        expect(page.get_by_role("alert")).to_be_in_viewport()
        expect(page.get_by_role("radio", name="Warn")).to_be_checked()
        expect(page.get_by_label("Note for the staff")).to_have_value("Too many right guesses.")
        next_is_in_the_case(iris)

        go_to(iris, "Warn")
        press(iris, "ArrowUp", "ArrowUp", "ArrowUp", "Enter")
        expect(page.get_by_text("The reporters are told that you looked at it")).to_be_visible()
        go_to(iris, "Undo: Decided a case, Ben")
        press(iris, "Enter")
        go_to(iris, "Reason, for the record")
        page.keyboard.insert_text("It was somebody else.")
        press(iris, "Enter")
        expect(page.get_by_text("Taken back.")).to_be_visible()
        expect(page.get_by_role("button", name="Open the case of Ben")).to_be_visible()
    finally:
        rows(server, "DELETE FROM games_report")
        rows(server, staff, 0)
