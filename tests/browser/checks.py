"""Checks of a page: touch targets, names, headings, contrast, Tab order, overlapping boxes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, TypeAlias

from playwright.sync_api import Page

from tests.volume import volume

#: What is wrong on a page.
Check: TypeAlias = Callable[[Page], list[str]]

#: What axe-core finds. Colours that change with the light are looked at once they have changed. A
#: rule that is off unless asked for: what is written on what can be pressed belongs to its name.
AXE = """async () => {
  const drawn = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  await drawn(); // only then has the change of a colour begun
  await Promise.allSettled(document.getAnimations().map(one => one.finished));
  const rules = {"label-content-name-mismatch": {enabled: true}};
  const {violations} = await axe.run(document, {rules});
  return violations.flatMap(({id, nodes}) => nodes.map(({target, failureSummary}) =>
    `${id} at ${target.join(" ")}: ${failureSummary.replace(/\\s+/g, " ")}`));
}"""

#: Windows of phones.
PHONES = ((390, 844), (320, 640))
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")

#: The least width and height of a target, in CSS pixels.
TARGET = 44
#: The least size of letters, in CSS pixels.
LETTERS = 13

_WIDE = """() => [...document.querySelectorAll("body *")]
  .filter(one => one.getBoundingClientRect().right > innerWidth + 1)
  .filter(one => !one.closest(".scroll, .lines, [popover]:not(:popover-open), .unseen"))
  .filter(one => getComputedStyle(one).position !== "fixed")
  .slice(0, 5).map(one => one.outerHTML.slice(0, 120))"""

# A link in a sentence is as high as its line. A radio button's label is part of its target. What a
# bracket's picture shows as small as it must to fit stands match by match in a list.
_SMALL = """least => [...document.querySelectorAll("a, button, input, select, summary, textarea")]
  .filter(one => one.checkVisibility({visibilityProperty: true, opacityProperty: true}))
  .filter(one => !one.closest(".skip, .unseen, .bracket-picture, [popover]:not(:popover-open)"))
  .filter(one => !(one.matches("a") && getComputedStyle(one).display === "inline"
                   && one.closest("p, small, li, td, th")))
  .map(one => [one, (one.matches("input") && one.closest("label") || one).getBoundingClientRect()])
  .filter(([, box]) => box.width > 0 && (box.width < least - 0.5 || box.height < least - 0.5))
  .map(([one, box]) => `${Math.round(box.width)}x${Math.round(box.height)} `
                       + one.outerHTML.slice(0, 140))"""

_NAMELESS = """() => [...document.querySelectorAll("a, button, input, select, textarea, summary")]
  .filter(one => one.type !== "hidden" && one.checkVisibility())
  .filter(one => {
    const by = (one.getAttribute("aria-labelledby") ?? "").split(" ").filter(Boolean);
    const texts = [one.getAttribute("aria-label"), ...[...(one.labels ?? [])]
      .map(label => label.textContent), ...by.map(id => document.getElementById(id)?.textContent)];
    if (one.matches("a, button, summary")) texts.push(one.textContent);
    return !texts.some(text => text?.trim());
  }).map(one => one.outerHTML.slice(0, 140))"""

_STRUCTURE = """() => {
  const wrong = [];
  const shown = one => one.checkVisibility();
  const levels = [...document.querySelectorAll("h1,h2,h3,h4")].filter(shown)
    .map(one => Number(one.tagName[1]));
  if (levels.filter(level => level === 1).length !== 1) wrong.push(`h1: ${levels}`);
  levels.forEach((level, n) => {
    if (n && level > levels[n - 1] + 1) wrong.push(`a heading level is left out: ${levels}`);
  });
  if (document.querySelectorAll("main").length !== 1) wrong.push("not one main");
  const ids = [...document.querySelectorAll("[id]")].map(one => one.id);
  ids.filter((id, n) => ids.indexOf(id) !== n).forEach(id => wrong.push(`double id ${id}`));
  for (const name of ["aria-labelledby", "aria-describedby", "for"]) {
    for (const one of document.querySelectorAll(`[${name}]`)) {
      for (const id of one.getAttribute(name).split(" ").filter(Boolean)) {
        if (!document.getElementById(id)) wrong.push(`${name} to nothing: ${id}`);
      }
    }
  }
  if (!document.documentElement.lang) wrong.push("no language");
  return wrong;
}"""

# Cards in the hand lie over one another: what is free of each is pressed, where it can be chosen.
_COVERED = """() => [...document.querySelectorAll("main a, main button, main input, main summary")]
  .filter(one => one.checkVisibility({visibilityProperty: true, opacityProperty: true}))
  .filter(one => !one.closest(".unseen, [popover]:not(:popover-open), .hand:not([data-choose])"))
  .filter(one => {
    one.scrollIntoView({block: "center", behavior: "instant"});
    const [{x: left, y: top, width, height}] = one.getClientRects(); // a link may run over lines
    const next = one.matches(".hand *") && one.nextElementSibling?.getBoundingClientRect().x;
    const free = next ? Math.min(width, next - left) : width;
    const points = [[.5, .5], [.2, .2], [.2, .8], [.8, .2], [.8, .8]];
    return points.some(([x, y]) => {
      const hit = document.elementFromPoint(left + free * x, top + height * y);
      return !(one.contains(hit) || one.closest("label")?.contains(hit));
    });
  }).map(one => one.outerHTML.slice(0, 140))"""

_TINY = """least => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const wrong = [];
  while (texts.nextNode()) {
    const { data, parentElement: one } = texts.currentNode;
    const size = parseFloat(getComputedStyle(one).fontSize);
    const read = data.trim() && !one.closest(".unseen, svg, script");
    if (size < least && read && one.checkVisibility({visibilityProperty: true})) {
      wrong.push(`${size} px: ${data}`);
    }
  }
  return wrong;
}"""

# Text on the nearest ground behind it that is not see-through; gradients are left out.
_FAINT = """() => {
  const pen = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const known = new Map(); // a page has few colours, and to draw each is slow
  const drawn = colour => {
    pen.clearRect(0, 0, 1, 1); pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data];
  };
  const rgb = colour => known.get(colour) ?? known.set(colour, drawn(colour)).get(colour);
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, n) => sum + v * [0.2126, 0.7152, 0.0722][n], 0);
  const ground = one => {
    for (let at = one; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.backgroundImage !== "none") return null;
      const colour = rgb(style.backgroundColor);
      if (colour[3] === 255) return colour;
      if (colour[3] > 0) return null;
    }
    return null;
  };
  const faint = [];
  for (const one of document.querySelectorAll("body *")) {
    const own = [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    if (!own || !one.checkVisibility({opacityProperty: true}) || one.closest(".unseen")) continue;
    const style = getComputedStyle(one), behind = ground(one);
    if (!behind) continue;
    const [a, b] = [light(rgb(style.color)), light(behind)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const large = parseFloat(style.fontSize) >= 24
      || (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) faint.push(`${ratio.toFixed(2)} ${one.outerHTML.slice(0, 120)}`);
  }
  return faint;
}"""


def fits(page: Page) -> list[str]:
    """What makes a page scroll sideways, or is too small to be touched, once it is there."""
    page.wait_for_load_state()
    sideways = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
    wide = page.evaluate(_WIDE) if sideways > 0 else []
    return [*wide, *page.evaluate(_SMALL, TARGET)]


def covered(page: Page) -> list[str]:
    """What lies under something else, wholly or in part, so that it cannot be pressed there."""
    found: list[str] = page.evaluate(_COVERED)
    return found


def understandable(page: Page) -> list[str]:
    """What a screen reader could not name or find its way by, once the page is there."""
    page.wait_for_load_state()
    return [*page.evaluate(_NAMELESS), *page.evaluate(_STRUCTURE)]


def tiny(page: Page) -> list[str]:
    """Texts in letters that are too small to read."""
    wrong: list[str] = page.evaluate(_TINY, LETTERS)
    return wrong


def faint(page: Page) -> list[str]:
    """Texts with less contrast than WCAG's AA, once nothing changes its colour any more."""
    page.evaluate("() => Promise.allSettled(document.getAnimations().map(one => one.finished))")
    found: list[str] = page.evaluate(_FAINT)
    return found


#: Windows from a desk's to a small phone's, upright and on their side.
SIZES = (
    (1440, 900), (1280, 800), (1366, 650), (1024, 768), (768, 1024), (844, 390), (740, 360),
    (390, 844), (375, 553), (360, 640), (320, 640),
)  # fmt: skip
#: The tightest of each layout: desk, tablet, on its side, a short phone and a narrow one.
TIGHT = ((1280, 800), (768, 1024), (740, 360), (375, 553), (320, 640))
#: Windows in which tables and pages are tried.
WINDOWS = volume(TIGHT, TIGHT, SIZES)

# A call may stand over cards that lie face down, and a card lies on the place it was played to.
# Cards in the hand lie over one another, with enough of each to press; a question may lie over a
# hand that rests. What has gone wrong, and who asks for a seat, may lie over the cloth, never over
# the hand.
_OVERLAPPING = """target => {
  const things = `.table-top :is(a, button, h1, p), .plaque, .plate,
    .mark, .marks button, .backs, .said, .spot > *, .laid, .kitty > *, .note, .line, .asking, .over,
    .ask, .why,    .prompt button, .prompt a, .prompt input, .hand > *, .bower, .from, .tools > *`;
  const name = one => [one.id && `#${one.id}`, one.className, one.closest("[data-at]")?.dataset.at,
    one.textContent.trim().replace(/\\s+/g, " ").slice(0, 40)].filter(Boolean).join(" ");
  const box = one => {
    const {left, right, top, bottom} = one.getBoundingClientRect();
    const tag = one.matches(".led, .wanted, .laid");
    const word = tag ? parseFloat(getComputedStyle(one, "::after").top) : 0;
    return {left, right, bottom, top: top + word}; // it stands out
  };
  const before = (a, b) => a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING;
  const meant = (a, b) => a.contains(b)
    || (a.matches(".spot > *") && a.parentElement === b.parentElement)
    || (a.matches(".spot > *") && b.matches(".laid") && a.closest(".place") === b.parentElement)
    || (a.matches(".hand > *") && b.closest(".hand") && before(a, b))
    || (a.matches(".kitty > .card") && b.matches(".kitty > .card"))
    || (a.matches(".plate") && b.matches(".backs") && a.parentElement === b.parentElement)
    || (a.matches(".said") && b.matches(".backs, .card.back"))
    || (a.matches(".asking, .asking *") && b.matches(".hand:not([data-choose]) *"))
    || (a.matches(".notices *, .asks, .asks *")
        && b.matches(".seat *, .trick *, .kitty, .kitty *, .company > p"));
  const shown = [...document.querySelectorAll(things)]
    .filter(one => one.checkVisibility({visibilityProperty: true, opacityProperty: true}))
    .map(one => [one, box(one)]).filter(([, {left, right}]) => right - left > 1);
  const wrong = [];
  shown.forEach(([a, one], n) => {
    for (const [b, other] of shown.slice(n + 1)) {
      const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      if (wide > 0.5 && high > 0.5 && !meant(a, b) && !meant(b, a)) {
        wrong.push(`${name(a)} and ${name(b)} overlap by ${Math.round(wide)}x${Math.round(high)}`);
      }
    }
  });
  const cards = [...document.querySelectorAll(".hand > :not([data-laid])")].map(box);
  cards.slice(1).forEach((card, n) => {
    if (card.left - cards[n].left >= target) return;
    wrong.push(`too little of card ${n + 1} can be pressed`);
  });
  return wrong;
}"""

_STICKING_OUT = """() => {
  const wrong = [];
  const holders = `.stage, .stage :is(.plaque, .plate, .mark, .said, .note, .line, .asking, .button,
    .name-suit, .kitty p)`;
  for (const holder of document.querySelectorAll(holders)) {
    const outer = holder.getBoundingClientRect();
    for (const one of holder.querySelectorAll("*")) {
      const inner = one.getBoundingClientRect();
      const out = Math.max(outer.left - inner.left, inner.right - outer.right,
                           outer.top - inner.top, inner.bottom - outer.bottom);
      const seen = inner.width > 1 && inner.height > 1 && one.checkVisibility();
      if (seen && out > 1 && !one.closest(".unseen, use")) {
        wrong.push(`${one.outerHTML.slice(0, 90)} sticks out of ${holder.className}`);
      }
    }
    const tail = holder.matches(".said") ? 8 : 1; // that of a bubble stands out
    const cut = holder.scrollWidth > holder.clientWidth + tail && !holder.matches(".stage");
    if (cut) wrong.push(`words run out of ${holder.outerHTML.slice(0, 90)}`);
  }
  return wrong;
}"""

#: What the panel at the end of a game lies on, of all that stays beside it; its inside may scroll.
LIES_ON = """() => {
  const box = one => one.getBoundingClientRect();
  const stage = box(document.getElementById("stage"));
  const drawn = getComputedStyle(document.getElementById("prompt"), "::before");
  const [x, y, width, height] = ["left", "top", "width", "height"]
    .map(one => parseFloat(drawn[one]));
  const panel = new DOMRect(stage.x + x, stage.y + y, width, height);
  const stays = ".table-top, .plaque, .seat .plate, .mark, .tools > *";
  const beside = [...document.querySelectorAll(stays)]
    .filter(one => one.checkVisibility({visibilityProperty: true}) && box(one).width > 1)
    .filter(one => Math.min(box(one).right, panel.right) - Math.max(box(one).left, panel.left) > 0.5
      && Math.min(box(one).bottom, panel.bottom) - Math.max(box(one).top, panel.top) > 0.5)
    .map(one => one.outerHTML.slice(0, 90));
  const inside = panel.left >= stage.left && panel.right <= stage.right
    && panel.bottom <= stage.bottom;
  return inside ? beside : [...beside, "it sticks out of the stage"];
}"""


def crowded(page: Page) -> list[str]:
    """What overlaps something else at a table, or sticks out of what it belongs to."""
    return [*page.evaluate(_OVERLAPPING, TARGET), *page.evaluate(_STICKING_OUT)]


_CONTROLS = """() => {
  const shown = one => one.checkVisibility({visibilityProperty: true, opacityProperty: true});
  window.reached = new Set();
  window.controls = [...document.querySelectorAll(
    "main a[href], main button, main input, main select, main textarea, main summary")]
    .filter(one => shown(one) && !one.disabled && one.type !== "hidden")
    .filter(one => one.type !== "radio" || one.checked)
    .filter(one => !one.closest("[popover]:not(:popover-open)"));
  document.activeElement.blur();
}"""
_REACH = """() => {
  const here = document.activeElement;
  const again = here !== window.last && window.reached.has(here);
  window.last = here; // a field of a date has several stops
  window.reached.add(here);
  return again;
}"""
_MISSED = """() => window.controls.filter(one => one.isConnected && !window.reached.has(one))
  .map(one => one.outerHTML.slice(0, 140))"""


def out_of_reach(page: Page) -> list[str]:
    """The controls of a page's main part to which the Tab key does not come."""
    page.evaluate(_CONTROLS)
    for _ in range(300):
        page.keyboard.press("Tab")
        if page.evaluate(_REACH):
            break
    missed: list[str] = page.evaluate(_MISSED)
    return missed


def on_phones(page: Page, *checks: Check, windows: Iterable[tuple[int, int]] = PHONES) -> list[str]:
    """What is wrong in windows of phones."""
    wrong = []
    for width, height in windows:
        page.set_viewport_size({"width": width, "height": height})
        wrong += [f"{width}: {found}" for check in checks for found in check(page)]
    return wrong


def faint_in_any_scheme(page: Page) -> list[str]:
    """What is faint in the light or in the dark."""
    wrong = []
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        wrong += [f"{scheme}: {found}" for found in faint(page)]
    return wrong


def readable(page: Page, windows: Iterable[tuple[int, int]]) -> list[str]:
    """What is badly named, faint or small on a page, and what does not fit any of the windows."""
    wrong = [*understandable(page), *faint_in_any_scheme(page), *tiny(page)]
    return [*wrong, *on_phones(page, fits, covered, windows=windows)]


def walk(places: Iterable[tuple[str, Page]], *checks: Check) -> None:
    """Fail with all that is wrong at places, each a name and the page that shows it.

    At each the names, the structure, the contrast in any light and the size of letters are checked,
    and what does not fit the windows of phones or lies under something else there: in the narrower
    one, thoroughly in both.

    checks: further ones.
    """
    wrong = {}
    for place, page in places:
        window = page.viewport_size
        assert window is not None
        found = [*understandable(page), *faint_in_any_scheme(page), *tiny(page)]
        found += [one for check in checks for one in check(page)]
        found += on_phones(page, fits)
        found += on_phones(page, covered, windows=volume(PHONES[-1:], PHONES[-1:], PHONES))
        page.set_viewport_size(window)
        if found:
            wrong[place] = found
    assert not wrong, wrong
