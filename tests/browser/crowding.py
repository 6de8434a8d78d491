"""What must not touch at a table: all that is read or pressed there, measured as boxes."""

from __future__ import annotations

from playwright.sync_api import Page

#: Windows from a desk's to a small phone's, upright and on their side.
SIZES = (
    (1440, 900), (1366, 650), (1024, 768), (800, 600), (667, 375), (390, 844), (360, 640),
    (320, 568),
)  # fmt: skip

# A call may stand over cards that lie face down, and a card lies on the place it was played to.
_OVERLAPPING = """() => {
  const things = `.table-top a, .table-top button, .table-top h1, .table-top p, .plaque, .plate,
    .mark, .marks button, .backs, .said, .spot > *, .pile, .kitty p, .note, .prompt, .prompt .ask,
    .prompt .why, .prompt button, .prompt a, .prompt input, .hand > *, .bower, .from, .tools > *`;
  const name = one => [one.id && `#${one.id}`, one.className, one.closest("[data-at]")?.dataset.at,
    one.textContent.trim().replace(/\\s+/g, " ").slice(0, 40)].filter(Boolean).join(" ");
  const box = one => {
    const {left, right, top, bottom} = one.getBoundingClientRect();
    return {left, right, bottom, top: one.matches(".led") ? top - 8 : top}; // its word stands out
  };
  const meant = (a, b) => a.contains(b)
    || (a.matches(".spot > *") && a.parentElement === b.parentElement)
    || (a.matches(".said") && b.matches(".backs, .card.back"));
  const shown = [...document.querySelectorAll(things)]
    .filter(one => one.checkVisibility({visibilityProperty: true, opacityProperty: true}))
    .map(one => [one, box(one)]).filter(([, {left, right}]) => right > left);
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
  return wrong;
}"""

_STICKING_OUT = """() => {
  const wrong = [];
  const holders = `.felt, .felt :is(.plaque, .plate, .mark, .said, .note, .prompt, .button,
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
    const cut = holder.scrollWidth > holder.clientWidth + 1 && !holder.matches(".felt");
    if (cut) wrong.push(`words run out of ${holder.outerHTML.slice(0, 90)}`);
  }
  return wrong;
}"""


def crowded(page: Page) -> list[str]:
    """What overlaps something else at a table, or sticks out of what it belongs to."""
    return [*page.evaluate(_OVERLAPPING), *page.evaluate(_STICKING_OUT)]
