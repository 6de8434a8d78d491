"""The first page in a browser: what is seen without scrolling, and empty lists of one line."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import MakePerson
from tests.served import Server

#: What says that a list is empty, the height it takes with its heading, and the width it has.
_EMPTY = """() => [...document.querySelectorAll(".none")].map(one => {
  const alone = [...one.parentElement.children].every(each => each.matches(".none, header"));
  const whole = alone && one.closest(".panel") || one;
  const box = whole.getBoundingClientRect();
  const height = box.height - parseFloat(getComputedStyle(whole).paddingBottom);
  return [one.textContent.trim().replace(/\\s+/g, " "), height, box.width];
})"""
#: Where a button, and the picture of the table, begin and end.
_PLACES = """() => [".welcome button", ".welcome a.plain", ".mini"].map(name => {
  const box = document.querySelector(name).getBoundingClientRect();
  return [box.top, box.bottom];
})"""
#: The sentence about who is playing, as long as it gets.
_LONGEST = """() => {
  const free = document.querySelector(".welcome .free");
  free.prepend("123,456 people are playing at 45,678 tables. ");
}"""
#: How much of the picture is seen at least, whatever the fonts.
SEEN = 24
#: The step of the example hand that is shown: that of the cards on the table.
_SHOWN = """() => [...document.querySelectorAll(".mini .lies:not([hidden]) .card")]
  .map(card => card.getAttribute("aria-label"))"""
#: Where everything of the first page lies.
_BOXES = """() => [...document.querySelectorAll("section, .mini, figcaption, .chip")].map(one => {
  const {x, y, width, height} = one.getBoundingClientRect();
  return [x, y + scrollY, width, height].map(Math.round).join(" ");
})"""
#: A line with a link of the full height; beside a page's main column it may be two.
LINE, BESIDE = 52, 400


@pytest.mark.parametrize("size", [(1280, 800), (390, 844), (360, 640)])
def test_a_visitor_can_play_at_once_without_scrolling(
    person: MakePerson, server: Server, size: tuple[int, int]
) -> None:
    width, height = size
    maeve = person("Maeve", account=False, viewport={"width": width, "height": height})
    maeve.go("/")
    maeve.page.evaluate(_LONGEST)
    bar = 64 if width < 768 else 0  # the places at the foot of a phone
    play, learn, picture = maeve.page.evaluate(_PLACES)
    assert play[1] < height - bar
    assert learn[1] < height - bar
    assert picture[0] <= height - bar - SEEN, "something of the table is seen"
    if width >= 1280:
        assert picture[1] < height


def test_the_example_hand_plays_itself_and_can_be_paused(
    person: MakePerson, server: Server
) -> None:
    maeve = person("Maeve", account=False, reduced_motion="no-preference")
    page = maeve.page
    page.clock.install()
    maeve.go("/")
    pause = page.get_by_role("button", name="Pause the example")
    expect(pause).to_be_visible()
    cards, boxes = set(), set()
    for _ in range(28):  # the 24 steps, and on from the beginning
        cards.add(tuple(page.evaluate(_SHOWN)))
        boxes.add(tuple(page.evaluate(_BOXES)))
        page.clock.run_for(1800)
    assert len(cards) >= 22, "the turn-up, and twenty cards one by one"
    assert len(boxes) == 1, "nothing moves aside"
    pause.click()
    resting = page.evaluate(_SHOWN)
    page.clock.run_for(60_000)
    assert page.evaluate(_SHOWN) == resting
    play = page.get_by_role("button", name="Play the example")
    expect(play).to_be_focused()
    page.keyboard.press("Enter")
    page.clock.run_for(1800)
    assert page.evaluate(_SHOWN) != resting


def test_the_example_hand_stands_still_where_less_motion_is_wanted(
    person: MakePerson, server: Server
) -> None:
    maeve = person("Maeve", account=False, reduced_motion="reduce")
    maeve.page.clock.install()
    maeve.go("/")
    expect(maeve.page.get_by_role("button", name="Play the example")).to_be_visible()
    first = maeve.page.evaluate(_SHOWN)
    assert len(first) == 3
    maeve.page.clock.run_for(60_000)
    assert maeve.page.evaluate(_SHOWN) == first


def test_empty_lists_take_one_line(person: MakePerson, server: Server) -> None:
    zoe = person("Zoe", account=False, viewport={"width": 1280, "height": 800})
    zoe.sign_up()  # who has played nothing yet
    seen: list[tuple[str, float, float]] = []
    for path in ("/", "/play/", "/events/", "/clubs/", "/ratings/", "/you/events/"):
        zoe.go(path)
        seen += zoe.page.evaluate(_EMPTY)
    assert any("No finished games yet." in words for words, *_ in seen)
    lines = {words: LINE if width > BESIDE else 2 * LINE for words, _, width in seen}
    assert not [line for line in seen if line[1] > lines[line[0]]]
