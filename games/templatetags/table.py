"""Small helpers of the table's page: its live parts, and the drawings it needs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from django import template
from django.contrib.staticfiles import finders
from django.utils.safestring import SafeString, mark_safe

from games.engine.seats import COMPASS
from games.picture import phrases
from games.picture.cast import bottom_seat, cast_of, place_of
from games.picture.scene import View

register = template.Library()

_SYMBOL: Final = re.compile(r'<symbol id="([^"]+)".*?</symbol>', re.DOTALL)
_ICONS: Final = (
    "back",
    "check",
    "copy",
    "gear",
    "house",
    "info",
    "log",
    "off",
    "peek",
    "qr",
    "share",
    "sound",
    "undo",
    "warn",
)


@register.filter
def part(parts: Mapping[str, str], name: str) -> SafeString:
    """One live part, drawn already; nothing where the table has no such part."""
    return mark_safe(parts.get(name, ""))  # noqa: S308 - drawn with autoescape in games.picture.draw


class SeatPlace(NamedTuple):
    """Where a seat stands on the viewer's page, and the parts that belong to it.

    Attributes:
        name: south, west, north or east.
        seat: its position.
        side: "us" or "them".
        role: what stands under its player's name.
    """

    name: str
    seat: int
    side: str
    role: str

    @property
    def plate(self) -> str:
        """The part with the player's name; and so on for the others."""
        return f"plate-{self.seat}"

    @property
    def marks(self) -> str:
        return f"marks-{self.seat}"

    @property
    def backs(self) -> str:
        return f"backs-{self.seat}"

    @property
    def said(self) -> str:
        return f"said-{self.seat}"

    @property
    def spot(self) -> str:
        return f"spot-{self.seat}"


@register.filter
def places(names: str, view: View) -> list[SeatPlace]:
    """The seats that stand at these places, such as "north west east"; heads-up has but two."""
    viewer, compass = view.viewer.seat, COMPASS[len(view.scene.seats)]
    near = bottom_seat(viewer, len(compass)) % 2
    seats = {place_of(seat, viewer, len(compass)): seat for seat in range(len(compass))}
    return [
        SeatPlace(
            at,
            seats[at],
            "us" if seats[at] % 2 == near else "them",
            f"Partner · {compass[seats[at]]}"
            if viewer is not None and at == "north" and len(compass) > 2
            else compass[seats[at]],
        )
        for at in names.split()
        if at in seats
    ]


class SidePlace(NamedTuple):
    """One side's score on the plaque. label: how the viewer calls it; part: its points."""

    name: str
    side: int
    label: str
    part: str


@register.filter
def sides(view: View) -> list[SidePlace]:
    """The two sides as the viewer calls them, the viewer's own first."""
    players, viewer = len(view.scene.seats), view.viewer.seat
    near = bottom_seat(viewer, players) % 2
    if viewer is not None:
        other = phrases.together(cast_of(tuple(one.name for one in view.scene.seats)), 1 - near)
        labels = ("Us", "Them") if players > 2 else ("You", other)
    elif players > 2:
        labels = ("N–S", "E–W") if near == 0 else ("E–W", "N–S")
    else:
        compass = COMPASS[players]
        labels = (compass[near], compass[1 - near])
    return [
        SidePlace(name, side, label, f"points-{side}")
        for name, side, label in zip(("us", "them"), (near, 1 - near), labels, strict=True)
    ]


@register.simple_tag
def small_drawings() -> SafeString:
    """Suits and icons as SVG symbols, to be inlined in a page with live parts.

    They are in the first paint, and frames refer to them by short names. The large drawings, faces
    and score cards, are taken from the cached `cards/sprite.svg` (`games.picture.draw.drawings`).
    """
    return mark_safe(_small_drawings())  # noqa: S308 - our own file


@lru_cache(maxsize=1)
def _small_drawings() -> str:
    names = {"star", *(f"i-{icon}" for icon in _ICONS)}
    names |= {f"suit-{letter}" for letter in phrases.SUIT_LETTERS}
    text = Path(str(finders.find("cards/sprite.svg"))).read_text(encoding="utf-8")
    symbols = "".join(found[0] for found in _SYMBOL.finditer(text) if found[1] in names)
    return f'<svg class="sprite" aria-hidden="true">{symbols}</svg>'
