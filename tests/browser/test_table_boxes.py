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

_PLACES = (
    ".plaque, .seat, .seat .plate, .trick, .trick > .place, .kitty, .hand, .tools, .tools .button, "
    ".prompt, #line"
)
#: What comes and goes, but stays where it is for as long as it is there.
_MARKS = ".mark:not(.took), .backs > i"

#: Cards and the words asked come and go; a place never moves, not even between two turns.
_SHIFTS = """places => {
  window.shifted = [];
  // “Claim the rest” takes a part of the line, and cards that sit out are squared.
  const meant = {"#line": ".beside", ".backs > i": ".backs[data-squared]"};
  const there = Object.values(meant).map(one => [one, false]);
  let [before, now] = [Object.fromEntries(there), {}];
  const look = () => {
    now = Object.fromEntries(there.map(([one]) => [one, document.querySelector(one) !== null]));
  };
  const isMeant = node => Object.entries(meant)
    .some(([one, cause]) => node.matches(one) && (before[cause] || now[cause]));
  new PerformanceObserver(list => {
    look();
    for (const one of list.getEntries())
      for (const {node, previousRect, currentRect} of one.sources)
        if (node?.matches?.(places) && !isMeant(node)) {
          const seat = node.closest("[data-at]")?.dataset.at;
          const from = [previousRect.x, previousRect.y], to = [currentRect.x, currentRect.y];
          window.shifted.push(`${node.className} ${seat ?? ""}: ${from} to ${to}`);
        }
    before = now;
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
    const sized = one.matches(".news") ? 3 : one.matches('[data-at="south"] .plate') ? 2 : 4;
    if (sized < 4) boxes[name] = box(one).split(",").slice(0, sized).join();
    else if (one.matches("#line") && document.querySelector(".beside")) continue;
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
  const line = document.querySelector(".line");
  const words = asked ?? (line.checkVisibility() ? line : null);
  if (!words) return boxes;
  boxes[over ? "second floor" : "floor"] = Math.round(words.getBoundingClientRect().bottom);
  return boxes;
}"""


_OVERLAP = """() => {
  const cards = [...document.querySelectorAll("#hand .card")]
    .map(one => one.getBoundingClientRect());
  return cards.slice(1).some((card, at) => card.left < cards[at].right);
}"""
_MARKS_OUTSIDE = """() => {
  const seat = document.querySelector('.seat[data-at="south"]');
  const bar = seat.getBoundingClientRect();
  return [...seat.querySelectorAll(".mark")].filter(one => one.checkVisibility())
    .map(one => one.getBoundingClientRect())
    .filter(one => one.top < bar.top || one.bottom > bar.bottom || one.right > bar.right).length;
}"""


@pytest.mark.parametrize("window", WINDOWS, ids=lambda window: "x".join(map(str, window)))
def test_boxes_stand_still_through_a_game(person: MakePerson, window: tuple[int, int]) -> None:
    width, height = window
    maeve = person("Maeve", account=False, viewport={"width": width, "height": height})
    maeve.play_now()
    maeve.wait_until_live()
    maeve.page.evaluate(_SHIFTS, f"{_PLACES}, {_MARKS}")
    chance = random.Random(width)
    stood: dict[str, str] = {}
    moved: set[str] = set()
    few = 0
    while (asked := maeve.wait_for_turn()) != "over":
        if width == 390:  # three cards are seen whole, and one's own marks stay in the bar
            assert maeve.page.evaluate(_MARKS_OUTSIDE) == 0
            if 0 < maeve.cards.count() <= 3:
                assert not maeve.page.evaluate(_OVERLAP)
                few += 1
        for name, box in maeve.page.evaluate(_BOXES, _PLACES).items():
            if stood.setdefault(name, box) != box:
                moved.add(f"{name}: {stood[name]} to {box}, asked for a {asked}")
        maeve.choose(chance)
    assert moved == set()
    assert maeve.page.evaluate("() => window.shifted") == []
    assert few or width != 390


@pytest.mark.parametrize("window", WINDOWS[:3], ids=lambda window: "x".join(map(str, window)))
def test_pack_lies_in_the_middle_before_the_game(
    person: MakePerson, window: tuple[int, int]
) -> None:
    width, height = window
    maeve = person("Maeve", viewport={"width": width, "height": height})
    maeve.make_table(open=False)
    opposite = maeve.page.locator('.seat[data-at="north"] .plate').bounding_box()
    pack = maeve.page.locator("#kitty .pack").first.bounding_box()
    assert opposite is not None
    assert pack is not None
    assert pack["x"] + pack["width"] / 2 == pytest.approx(
        opposite["x"] + opposite["width"] / 2, abs=6
    )
    title = maeve.page.locator("#trump b")
    assert title.evaluate("one => one.getClientRects().length * one.offsetHeight") < 30
