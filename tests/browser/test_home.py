"""The first page in a browser: what is seen without scrolling, and empty lists of one line."""

from __future__ import annotations

import pytest

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
#: A line with a link of the full height; beside a page's main column it may be two.
LINE, BESIDE = 52, 400


@pytest.mark.parametrize("size", [(1280, 800), (390, 844), (360, 640)])
def test_a_visitor_can_play_at_once_without_scrolling(
    person: MakePerson, server: Server, size: tuple[int, int]
) -> None:
    width, height = size
    maeve = person("Maeve", account=False, viewport={"width": width, "height": height})
    maeve.go("/")
    bar = 64 if width < 768 else 0  # the places at the foot of a phone
    play, learn, picture = maeve.page.evaluate(_PLACES)
    assert play[1] < height - bar
    assert learn[1] < height - bar
    assert picture[0] < height - bar, "something of the table is seen"
    if width >= 1280:
        assert picture[1] < height


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
