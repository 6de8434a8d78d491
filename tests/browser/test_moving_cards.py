"""Cards that move keep their size."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from games.engine.rules import RULE_SETS
from tests.browser.conftest import MakePerson
from tests.browser.person import Person
from tests.browser.tables import mover, sit_together

#: A desk's window and a phone's.
WINDOWS = ((1280, 800), (390, 844))

#: Looks at every frame how wide each card is drawn, as a share of its width at rest; the widest of
#: each kind, and how many cards were drawn smaller or turned: they were on their way.
WIDTHS = """() => {
  window.widest = {};
  window.moving = 0;
  const look = () => {
    for (const card of document.querySelectorAll("#stage :is(.card, .backs > i)")) {
      if (!card.offsetWidth) continue;
      const share = card.getBoundingClientRect().width / card.offsetWidth;
      const kind = `${card.parentElement.className} > ${card.className}`;
      window.widest[kind] = Math.max(window.widest[kind] ?? 0, share);
      if (card.getAnimations().length) window.moving += 1;
    }
    requestAnimationFrame(look);
  };
  look();
}"""
RESTED = """() => document.getElementById("stage").getAnimations({subtree: true})
  .every(one => one.playState === "finished")"""


def blown_up(one: Person) -> dict[str, float]:
    """The kinds of cards that were drawn too wide, once those on their way have landed."""
    one.until(RESTED)
    assert one.page.evaluate("() => window.moving") > 0
    widest: dict[str, float] = one.page.evaluate("() => window.widest")
    return {kind: round(share, 2) for kind, share in widest.items() if share > 1.3}


def resize(one: Person, window: tuple[int, int]) -> None:
    """Give somebody's window this size."""
    width, height = window
    one.page.set_viewport_size({"width": width, "height": height})


@pytest.mark.parametrize(
    "rules",
    [
        # The others have the cards and the table of one of these.
        pytest.param(key, marks=() if key in ("joker-33", "heads-up") else pytest.mark.thorough)
        for key in RULE_SETS
    ],
)
def test_cards_are_dealt_at_their_own_size(person: MakePerson, rules: str) -> None:
    maeve = person("Maeve", account=False, reduced_motion="no-preference")
    maeve.play_now(rules)
    maeve.wait_until_live()
    maeve.page.evaluate(WIDTHS)
    for window in WINDOWS:
        resize(maeve, window)
        while maeve.wait_for_turn() != "next":
            maeve.press(maeve.choices.first)
        maeve.press(maeve.choices.first)
        maeve.wait_for_turn()
    assert blown_up(maeve) == {}


@pytest.mark.parametrize("window", WINDOWS, ids=lambda window: "x".join(map(str, window)))
def test_card_turned_down_goes_at_its_own_size(person: MakePerson, window: tuple[int, int]) -> None:
    people = [person(name, reduced_motion="no-preference") for name in ("Maeve", "Ben")]
    sit_together(people, "heads-up")
    for one in people:
        resize(one, window)
        one.page.evaluate(WIDTHS)
    for _ in people:
        passing = mover(people)
        passing.press(passing.page.locator('#prompt button[value="pass"]'))
    for one in people:
        expect(one.page.locator("#kitty .down")).to_be_visible()
    namer = mover(people)
    namer.press(namer.page.locator(".name-suit").first)
    for one in people:
        expect(one.page.locator("#kitty")).to_be_hidden()
        assert blown_up(one) == {}
