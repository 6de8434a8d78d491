"""The script of the table draws cards that a frame brings as the server draws them on a page."""

from __future__ import annotations

from games.engine.cards import CARDS, card_text
from games.picture.page import in_words, inside
from games.picture.values import drawings
from tests.browser.conftest import MakePerson

DRAWN = """async codes => {
  const { inside } = await import("/static/js/spots.js");
  const read = (html, word) => {
    const element = document.createElement("div");
    element.innerHTML = html;
    return element.innerHTML;
  };
  return codes.flatMap(code => [false, true].map(word => read(inside(code, word))));
}"""
PARSED = """all => all.map(html => {
  const element = document.createElement("div");
  element.innerHTML = html;
  return element.innerHTML;
})"""
#: The large drawings that a page's cards refer to and which their file does not have.
MISSING = """async () => {
  const address = document.getElementById("room").dataset.drawings;
  const file = await (await fetch(address)).text();
  const wanted = [...document.querySelectorAll("svg use")].map(one => one.getAttribute("href"))
    .filter(one => one); // a drawing of nothing is not shown
  const inside = wanted.filter(one => one.startsWith("#") && !document.querySelector(one));
  const outside = wanted.filter(one => !one.startsWith("#")).map(one => one.split("#")[1]);
  return [...inside, ...outside.filter(one => !file.includes(`<symbol id="${one}"`))];
}"""


def test_every_card(person: MakePerson) -> None:
    maeve = person("Maeve")
    maeve.play_now()
    codes = [card_text(card) for card in range(CARDS)]
    expected = [
        str(html) for code in codes for html in (inside({"card": code}), in_words({"word": code}))
    ]
    address = maeve.page.locator("#room").get_attribute("data-drawings")
    expected = [html.replace(drawings(), str(address)) for html in expected]
    assert maeve.page.evaluate(DRAWN, codes) == maeve.page.evaluate(PARSED, expected)


def test_every_drawing_on_the_page_is_there(person: MakePerson) -> None:
    maeve = person("Maeve")
    maeve.play_now()
    assert maeve.page.evaluate("document.querySelectorAll('.card svg.face use').length")
    assert maeve.page.evaluate(MISSING) == []
