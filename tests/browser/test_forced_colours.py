"""Forced colours, such as Windows' high contrast: what a shadow or a ground says is still seen."""

from __future__ import annotations

import random

import pytest

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


def lost_states(one: Person) -> tuple[int, list[str]]:
    """How many things have an edge that tells a state, and the rules whose edge is not seen."""
    found = one.page.evaluate(STATES)
    return found["seen"], found["lost"]


def test_table_shows_turn_winner_and_cards(person: MakePerson) -> None:
    maeve = person("Maeve", account=False, forced_colors="active")
    maeve.play_now("stick-the-dealer")
    maeve.wait_until_live()

    def outlines(selector: str) -> list[str]:
        shown: list[str] = maeve.page.evaluate(OUTLINES, selector)
        return shown

    chance = random.Random(1)
    winning = False
    while not winning:
        assert maeve.wait_for_turn() != "over"
        turn = outlines('.seat[data-at="south"] .plate')
        others = outlines('.seat:not([data-at="south"]) .plate')
        if maeve.now()["asked"] in ("call", "card"):
            assert turn[0] not in ("", *others)
        assert "" not in outlines("#stage .card, #stage .backs i")
        best = outlines("#trick .winning")
        if best and (rest := outlines("#trick .card:not(.winning)")):
            assert best[0] not in rest
            winning = True
        assert lost_states(maeve)[1] == []
        maeve.choose(chance)


@pytest.mark.parametrize(
    "path", ["/", "/you/look/", "/you/notifications/", "/tables/new/", "/learn/", "/clubs/"]
)
def test_pages_show_what_is_chosen_or_current(person: MakePerson, path: str) -> None:
    maeve = person("Maeve", forced_colors="active")
    maeve.go(path)
    seen, lost = lost_states(maeve)
    assert seen
    assert lost == []


def test_games_and_events_show_what_is_chosen_or_current(
    person: MakePerson, server: Server
) -> None:
    game = rated_game(server)
    maeve = person("Maeve", forced_colors="active")
    total = 0
    for path in (f"/games/{game.game_id}/replay/", *game.paths.values()):
        maeve.go(path)
        seen, lost = lost_states(maeve)
        total += seen
        assert lost == [], path
    assert total
