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

# What moves by itself and is meant to: a card on its way, and one that is raised.
_SHIFTS = """() => {
  window.shifted = 0;
  new PerformanceObserver(list => {
    for (const one of list.getEntries()) if (!one.hadRecentInput) window.shifted += one.value;
  }).observe({type: "layout-shift", buffered: true});
}"""

_BOXES = """() => {
  const box = one => {
    const {x, y, width, height} = one.getBoundingClientRect();
    return [x, y, width, height].map(Math.round).join();
  };
  const boxes = {};
  const places =
    ".plaque, .seat, .seat .plate, .trick, .trick > .place, .kitty, .hand, .tools, .news";
  for (const one of document.querySelectorAll(places)) {
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
    maeve.page.evaluate(_SHIFTS)
    chance = random.Random(width)
    stood: dict[str, str] = {}
    moved: set[str] = set()
    while (asked := maeve.wait_for_turn()) != "over":
        for name, box in maeve.page.evaluate(_BOXES).items():
            if stood.setdefault(name, box) != box:
                moved.add(f"{name}: {stood[name]} to {box}, asked for a {asked}")
        maeve.choose(chance)
    assert moved == set()
    assert maeve.page.evaluate("() => window.shifted") < 0.05
