"""A hint, or the reason why a card may not be played, leaves a phone's trick to be seen."""

from __future__ import annotations

import random

import pytest
from playwright.sync_api import expect

from games.engine.cards import HEARTS, mask_of, parse_card
from games.picture import phrases
from tests.browser.conftest import MakePerson
from tests.browser.test_hints import ALONE, with_something_to_weigh

LONG = "The jack of clubs is the left bower, which only the right bower beats. " * 6
WHY = phrases.must_follow(HEARTS, parse_card("9D"), mask_of([parse_card("JD"), parse_card("AD")]))
#: Gives a hint three long reasons.
MORE = """words => {
    const [first] = document.querySelectorAll("#hint-why li");
    const all = [1, 2, 3].map(() => Object.assign(first.cloneNode(), { textContent: words }));
    first.parentElement.replaceChildren(...all);
}"""
#: The parts of the side and of its talk that reach into the next one.
OVERLAPPING = """() => [".side", ".talk"].flatMap(parent => {
    const parts = [...document.querySelectorAll(`${parent} > *`)];
    const drawn = parts.filter(part => part.getBoundingClientRect().height);
    return drawn.filter((part, at) => {
        const next = drawn[at + 1], all = part.parentElement.getBoundingClientRect();
        const edge = next ? next.getBoundingClientRect().top : all.bottom;
        return part.getBoundingClientRect().bottom > edge + 0.5;
    }).map(part => part.className);
})"""
#: Shows a hint of this reason, longer than any of the house's.
SHOW = """reason => {
    const hint = document.getElementById("hint");
    hint.hidden = false;
    hint.querySelector("b").textContent = "The computer would play the jack of clubs.";
    hint.querySelector("span").textContent = reason;
}"""


@pytest.mark.parametrize(("width", "height"), [(390, 844), (360, 640)])
def test_a_long_hint_covers_nothing_of_the_trick(
    person: MakePerson, width: int, height: int
) -> None:
    maeve, chance = person("Maeve"), random.Random(5)
    page = maeve.page
    page.set_viewport_size({"width": width, "height": height})
    maeve.make_table(seats=ALONE)
    maeve.wait_until_dealt()
    barred = page.locator('#hand button[aria-disabled="true"]')
    while maeve.wait_for_turn() != "card" or not barred.count():
        maeve.choose(chance)
    page.add_style_tag(url="/static/css/hint.css")
    page.evaluate(SHOW, LONG)
    hint, trick = page.locator("#hint"), page.locator('.trick [data-at="south"]')
    box, above, below = hint.bounding_box(), trick.bounding_box(), barred.first.bounding_box()
    assert box
    assert above
    assert below
    assert box["y"] >= above["y"] + above["height"] - 0.5
    assert box["y"] + box["height"] <= below["y"]
    assert box["height"] >= 40, "two lines can be read at once"
    assert hint.evaluate("one => one.scrollHeight > one.clientHeight"), "the rest is scrolled to"
    barred.first.click(force=True)  # Playwright takes aria-disabled for disabled
    expect(page.locator("#prompt .why")).to_be_visible()
    expect(hint).to_be_hidden()
    page.evaluate("why => { document.getElementById('why').textContent = why; }", WHY)
    line = page.locator("#question").bounding_box()
    assert line
    assert line["y"] >= above["y"] + above["height"] - 0.5


def test_reasons_leave_room_for_talk_beside_the_table(person: MakePerson) -> None:
    page = with_something_to_weigh(person, viewport={"width": 1280, "height": 720}).page
    page.keyboard.press("i")
    expect(page.locator("#first-hint")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("#hint-why li").first).to_be_visible()
    page.evaluate(MORE, WHY)
    assert page.evaluate(OVERLAPPING) == []
