"""Nothing at a table moves because something else changes: its boxes stand still all game."""

from __future__ import annotations

import random

import pytest

from tests.browser.conftest import MakePerson

#: Windows of each of the page's layouts: desk, tablet, phone upright, a short one, on its side.
WINDOWS = (
    (1440, 900),
    (390, 844),
    (844, 390),
    pytest.param((768, 1024), marks=pytest.mark.thorough),
    pytest.param((375, 553), marks=pytest.mark.thorough),
)

_PLACES = ".plaque, .seat, .seat .plate, .trick, .trick > .place, .kitty, .hand, .tools"

#: Cards, marks and the words asked come and go; a place never moves, not even between two turns.
_SHIFTS = """places => {
  window.shifted = [];
  new PerformanceObserver(list => {
    for (const one of list.getEntries())
      for (const {node, previousRect, currentRect} of one.sources)
        if (node?.matches?.(places))
          window.shifted.push([node.className, JSON.stringify([previousRect, currentRect])].join());
  }).observe({type: "layout-shift", buffered: true});
}"""

_BOXES = """places => {
  const box = one => {
    const {x, y, width, height} = one.getBoundingClientRect();
    return [x, y, width, height].map(Math.round).join();
  };
  const boxes = {};
  for (const one of document.querySelectorAll(`${places}, .news`)) {
    const name = `${one.className} ${one.closest("[data-at]")?.dataset.at ?? ""}`;
    if (one.matches(".news")) boxes[name] = box(one).split(",").slice(0, 3).join();
    else if (one.checkVisibility()) boxes[name] = box(one);
  }
  // What is asked stands on one floor, or in its second place over the hand.
  const prompt = document.getElementById("prompt");
  const asked = prompt.querySelector("#question:not([hidden]).asking");
  const kitty = !document.getElementById("kitty").hidden;
  const holds = document.querySelector("#hand button") !== null;
  const ended = !document.getElementById("tally").hidden; // a hand, so its place is free for more
  const over = asked ? !(kitty && holds) && !ended
    : !kitty && !document.querySelector("#turn[data-turn]");
  boxes[over ? "second floor" : "floor"] = Math.round(prompt.getBoundingClientRect().bottom);
  return boxes;
}"""


@pytest.mark.parametrize("window", WINDOWS, ids=lambda window: "x".join(map(str, window)))
def test_boxes_stand_still_through_a_game(person: MakePerson, window: tuple[int, int]) -> None:
    width, height = window
    maeve = person("Maeve", account=False, viewport={"width": width, "height": height})
    maeve.play_now()
    maeve.wait_until_live()
    maeve.page.evaluate(_SHIFTS, _PLACES)
    chance = random.Random(width)
    stood: dict[str, str] = {}
    moved: set[str] = set()
    while (asked := maeve.wait_for_turn()) != "over":
        for name, box in maeve.page.evaluate(_BOXES, _PLACES).items():
            if stood.setdefault(name, box) != box:
                moved.add(f"{name}: {stood[name]} to {box}, asked for a {asked}")
        maeve.choose(chance)
    assert moved == set()
    assert maeve.page.evaluate("() => window.shifted") == []
