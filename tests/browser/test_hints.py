"""Hints: asked for by key, told beforehand what they cost, ringed and read aloud."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Route, expect

from tests.browser.conftest import MakePerson
from tests.browser.person import Person

ALONE = {"north": "house", "east": "house", "west": "house"}
HINT = "#hint-button:not([hidden])"
#: The name of a style sheet or script, in its address.
PART = re.compile(r"/static/(?:bundles|css|js)/([\w-]+)\.")
#: Holds back what is shown 0.3 s after a hint is asked for, as thinking(), to be run by a test.
HELD = """() => {
    const wait = window.setTimeout;
    window.setTimeout = (act, after, ...rest) =>
        after === 300 ? ((window.thinking = act), 0) : wait(act, after, ...rest);
}"""


def until_something_to_weigh(one: Person) -> None:
    """Play the only card or deal on, until a hint can be asked for."""
    page = one.page
    for _ in range(20):
        one.wait_for_turn()
        if page.locator(HINT).count():
            return
        stamp = page.locator("#stamp").input_value()
        page.locator('#hand [value^="play"]:not([aria-disabled="true"])').first.click()
        one.wait_past(stamp)
    raise AssertionError("There was never a choice.")


def with_something_to_weigh(person: MakePerson, **options: Any) -> Person:
    """Maeve at a table with house players, where a hint can be asked for."""
    maeve = person("Maeve", **options)
    maeve.make_table(seats=ALONE)
    maeve.wait_until_live()
    maeve.wait_until_dealt()
    until_something_to_weigh(maeve)
    return maeve


def test_a_hint_by_key(person: MakePerson) -> None:
    maeve = with_something_to_weigh(person)
    page = maeve.page
    assert not page.locator(".table-top").get_by_text("nothing counts").is_visible()
    page.keyboard.press("i")
    sheet = page.locator("#first-hint")
    expect(sheet).to_contain_text("won’t count")
    expect(sheet).to_contain_text("“Play now” sends nobody else to it")
    page.keyboard.press("Enter")
    expect(sheet).to_be_hidden()
    ringed = page.locator("[data-advised]")
    expect(ringed.first).to_be_visible()
    expect(page.locator("#hint")).to_contain_text("The computer would")
    expect(page.locator("#live")).to_contain_text("Hint: The computer would")
    expect(page.locator(".table-top").get_by_text("nothing counts")).to_be_visible()
    said = page.locator("#hint").text_content()
    assert said is not None
    page.keyboard.press("i")
    expect(page.locator("#hint")).to_have_text(said)
    stamp = page.locator("#stamp").input_value()
    ringed.first.click()
    maeve.wait_past(stamp)
    expect(ringed).to_have_count(0)
    expect(page.locator("#hint")).to_be_hidden()


def test_a_hint_that_comes_too_late_shows_nothing_and_is_no_error(person: MakePerson) -> None:
    maeve = with_something_to_weigh(person)
    page = maeve.page
    page_stamp = page.locator("#stamp").input_value()

    def late(route: Route) -> None:
        """Ask for the hint of another moment, as if the table had moved on on the way."""
        sent = route.request.post_data or ""
        route.continue_(post_data=sent.replace(page_stamp, "1.9999"))

    page.route("**/hint", late)
    page.keyboard.press("i")
    expect(page.locator("#first-hint")).to_be_visible()
    with page.expect_response("**/hint") as answered:
        page.keyboard.press("Enter")
    assert answered.value.status == 204
    expect(page.locator("#first-hint")).to_be_hidden()
    expect(page.locator("#hint")).to_be_hidden()
    assert page.locator("[data-advised]").count() == 0


def test_one_who_plays_on_while_the_house_thinks_is_shown_nothing(person: MakePerson) -> None:
    maeve = with_something_to_weigh(person)
    page = maeve.page
    page.keyboard.press("i")
    expect(page.locator("#first-hint")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("#hint")).to_contain_text("The computer would")
    expect(page.locator(f"{HINT}:not([popovertarget])")).to_be_visible()  # asks at once from now on
    page.evaluate(HELD)
    page.route("**/hint", lambda route: None)  # never answered
    stamp = page.locator("#stamp").input_value()
    page.keyboard.press("i")
    page.locator("[data-advised]").first.click()
    maeve.wait_past(stamp)
    expect(page.locator("#hint")).to_be_hidden()
    page.evaluate("() => thinking()")
    assert not page.locator("#hint").is_visible()


def test_what_shows_hints_is_loaded_with_the_first_one(person: MakePerson) -> None:
    maeve = person("Maeve")
    page = maeve.page
    loaded: list[str] = []
    page.on("request", lambda request: loaded.extend(PART.findall(request.url)))
    maeve.make_table(seats=ALONE)
    maeve.wait_until_dealt()
    maeve.wait_until_live()
    until_something_to_weigh(maeve)
    assert "table" in loaded
    assert not {"hint", "company"} & {*loaded}
    for _time in range(2):
        page.keyboard.press("i")
        if page.locator("#first-hint").is_visible():
            page.keyboard.press("Enter")
        expect(page.locator("[data-advised]").first).to_be_visible()
    assert loaded.count("hint") == 2  # script and style sheet
    expect(page.locator("#hint")).to_have_css("display", "grid")


def test_where_hints_cannot_be_loaded_the_page_says_so(person: MakePerson) -> None:
    maeve = person("Maeve")
    page = maeve.page
    page.route("**/js/hint.*", lambda route: route.abort())
    with_something_to_weigh(lambda _name: maeve)
    page.keyboard.press("i")
    page.keyboard.press("Enter")
    expect(page.locator("#why")).to_have_text("No hint this time.")
    maeve.complaints.clear()  # of the script that could not be loaded


def test_with_another_person_there_is_no_button(person: MakePerson) -> None:
    maeve, ben = person("Maeve"), person("Ben")
    maeve.make_table(seats={"north": "house", "west": "house", "east": "free"})
    ben.page.goto(maeve.invitation)
    ben.sit_here("East")
    for one in (maeve, ben):
        one.wait_until_dealt()
        assert one.page.locator(HINT).count() == 0


def test_taken_back_as_often_as_one_likes(person: MakePerson) -> None:
    maeve = person("Maeve")
    maeve.make_table(seats=ALONE)
    maeve.wait_until_dealt()
    maeve.wait_until_live()
    page = maeve.page
    undo, sheet = page.locator("#undo button:not([hidden])"), page.locator("#first-undo")
    until_something_to_take_back(maeve)
    stamp = page.locator("#stamp").input_value()
    page.keyboard.press("u")
    expect(sheet).to_contain_text("won’t count")
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    assert page.locator("#stamp").input_value() == stamp
    page.keyboard.press("u")
    page.keyboard.press("Enter")
    maeve.wait_past(stamp)
    expect(sheet).to_be_hidden()
    expect(page.locator(".table-top").get_by_text("nothing counts")).to_be_visible()
    for _time in range(3):  # more than twice in one hand
        until_something_to_take_back(maeve)
        stamp = page.locator("#stamp").input_value()
        undo.click()
        expect(sheet).to_be_hidden()
        maeve.wait_past(stamp)


def until_something_to_take_back(one: Person) -> None:
    """Play until the house has answered a card, and the person is asked again in the same hand."""
    page = one.page
    for _ in range(40):
        one.wait_for_turn()
        if page.locator("#undo button:not([hidden])").count():
            return
        stamp = page.locator("#stamp").input_value()
        one.choices.first.click()
        one.wait_past(stamp)
    raise AssertionError("There was never anything to take back.")
