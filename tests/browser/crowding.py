"""What must not touch at a table: all that is read or pressed there, measured as boxes."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.browser.checks import TARGET

#: Windows from a desk's to a small phone's, upright and on their side.
SIZES = (
    (1440, 900), (1280, 800), (1366, 650), (1024, 768), (768, 1024), (844, 390), (740, 360),
    (390, 844), (375, 553), (360, 640), (320, 640),
)  # fmt: skip

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
  const panel = box(document.getElementById("prompt"));
  const stage = box(document.getElementById("stage"));
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
