"""Forced colours, such as Windows' high contrast: what a shadow or a ground says is still seen."""

from __future__ import annotations

import random

from tests.browser.conftest import MakePerson
from tests.browser.person import Person
from tests.browser.store import rated_game
from tests.served import Server

#: The outline of each element that a selector finds: its width and style, or "" without one.
OUTLINES = """selector => [...document.querySelectorAll(selector)]
  .filter(one => one.checkVisibility()).map(one => {
    const {outlineStyle, outlineWidth} = getComputedStyle(one);
    return outlineStyle === "none" ? "" : `${outlineWidth} ${outlineStyle}`;
  })"""

#: Elements that a rule of the style sheets gives an edge by a shadow only, and that show none now.
#: A state is what distinguishes one element from others: it has to have an outline of its own.
STATES = """() => {
  const state = /aria-|:checked|data-|[.](mine|alarm|dispute|asked|reported|bad|path|winning|best)/;
  const edge = /inset|0px 0px 0px [1-9]/;
  const rules = [...document.styleSheets].flatMap(function inside(sheet) {
    return [...(sheet.styleSheet ?? sheet).cssRules].flatMap(rule =>
      rule.styleSheet || (rule.media && matchMedia(rule.media.mediaText).matches)
        ? inside(rule) : [rule]);
  });
  const lost = new Set();
  let seen = 0;
  for (const {selectorText, style} of rules) {
    if (!style?.boxShadow || !edge.test(style.boxShadow) || !state.test(selectorText)) continue;
    if (/::|:hover|focus/.test(selectorText)) continue;
    for (const one of document.querySelectorAll(selectorText)) {
      if (!one.checkVisibility()) continue;
      seen += 1;
      const now = getComputedStyle(one);
      const shown = now.outlineStyle !== "none" || now.forcedColorAdjust === "none";
      if (!shown) lost.add(selectorText);
    }
  }
  return {seen, lost: [...lost]};
}"""

#: The outline of the panel at the end of a game, which `::before` of the prompt draws.
PANEL = """() => {
  const { outlineStyle, width, height } =
    getComputedStyle(document.getElementById("prompt"), "::before");
  const inside = document.querySelector("#prompt > .asking").getBoundingClientRect();
  return outlineStyle !== "none" && parseFloat(width) > inside.width
    && parseFloat(height) > inside.height;
}"""
#: How far the outline at the plate of whoever's turn it is stands out of a phone's window.
STICKS_OUT = """() => {
  const plate = document.querySelector('.seat[data-at="south"] .plate');
  const { outlineWidth, outlineOffset } = getComputedStyle(plate);
  const out = parseFloat(outlineWidth) + parseFloat(outlineOffset);
  return plate.getBoundingClientRect().bottom + out - innerHeight;
}"""
#: Where a box of the score hides the edge of the plaque around it.
HIDES = """() => [...document.querySelectorAll(".plaque .side-score")]
  .map(one => getComputedStyle(one).backgroundColor).filter(one => !one.endsWith(", 0)"))"""


def lost_states(one: Person) -> tuple[int, list[str]]:
    """How many things have an edge that tells a state, and the rules whose edge is not seen."""
    found = one.page.evaluate(STATES)
    return found["seen"], found["lost"]


def test_table_shows_turn_winner_cards_and_the_end_of_a_game(person: MakePerson) -> None:
    phone = {"width": 390, "height": 844}
    maeve = person("Maeve", account=False, forced_colors="active", viewport=phone)
    house = dict.fromkeys(("north", "east", "west"), "house")
    maeve.make_table("house-rules", seats=house, house_rules={"target": "2"})
    maeve.wait_until_dealt()
    maeve.wait_until_live()

    def outlines(selector: str) -> list[str]:
        shown: list[str] = maeve.page.evaluate(OUTLINES, selector)
        return shown

    chance = random.Random(1)
    winning = False
    while (asked := maeve.wait_for_turn()) != "over":
        turn = outlines('.seat[data-at="south"] .plate')
        others = outlines('.seat:not([data-at="south"]) .plate')
        if asked in ("call", "card"):
            assert turn[0] not in ("", *others)
            assert maeve.page.evaluate(STICKS_OUT) <= 0
        assert "" not in outlines("#stage .card, #stage .backs i")
        best = outlines("#trick .winning")
        if best and (rest := outlines("#trick .card:not(.winning)")):
            assert best[0] not in rest
            winning = True
        assert lost_states(maeve)[1] == []
        maeve.choose(chance)
    assert winning
    # The end stands on a panel, and the score keeps its edge.
    maeve.page.set_viewport_size({"width": 1280, "height": 720})
    assert maeve.page.evaluate(PANEL)
    assert maeve.page.evaluate(OUTLINES, "#prompt > .asking") == [""]
    assert maeve.page.locator(".gained:visible").count() == 1
    assert maeve.page.evaluate(HIDES) == []


def test_colours_to_choose_from_are_seen(person: MakePerson) -> None:
    maeve = person("Maeve", account=False, forced_colors="active")
    maeve.play_now()
    maeve.page.get_by_role("button", name="My table", exact=True).click()
    for name in ("back", "cloth"):
        swatches = maeve.page.locator(f".swatches [data-{name}]").all()
        assert len({swatch.screenshot() for swatch in swatches}) == len(swatches) > 1, name


def test_pages_show_what_is_chosen_or_current(person: MakePerson, server: Server) -> None:
    game = rated_game(server)
    maeve = person("Maeve", forced_colors="active")
    for path in (
        "/", "/you/look/", "/you/notifications/", "/tables/new/", "/learn/", "/clubs/",
    ):  # fmt: skip
        maeve.go(path)
        seen, lost = lost_states(maeve)
        assert seen, path
        assert lost == [], path
    total = 0
    for path in (f"/games/{game.game_id}/replay/", *game.paths.values()):
        maeve.go(path)
        seen, lost = lost_states(maeve)
        total += seen
        assert lost == [], path
    assert total
