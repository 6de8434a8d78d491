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

from games.engine.rules import RuleSet
from games.picture import words
from games.picture.cast import cast_of
from games.picture.scene import View

register = template.Library()

_SYMBOL: Final = re.compile(r'<symbol id="([^"]+)".*?</symbol>', re.DOTALL)
_ICONS: Final = ("back", "gear", "house", "info", "log", "off", "peek", "sound", "warn")


@register.filter
def part(parts: Mapping[str, str], name: str) -> SafeString:
    """One live part, drawn already; nothing where the table has no such part."""
    return mark_safe(parts.get(name, ""))  # noqa: S308 - drawn with autoescape in games.picture.render


class SeatPlace(NamedTuple):
    """Where a seat stands on the viewer's page, and the parts that belong to it."""

    name: str
    seat: int
    plate: str
    marks: str
    backs: str
    said: str
    spot: str


@register.filter
def places(names: str, view: View) -> list[SeatPlace]:
    """The seats that stand at these places, such as "north west east"; heads-up has but two."""
    cast = cast_of(tuple(seat.name for seat in view.scene.seats), view.viewer.seat)
    seats = {person.at: person.seat for person in cast}
    kinds = ("plate", "marks", "backs", "said", "spot")
    return [
        SeatPlace(at, seats[at], *(f"{kind}-{seats[at]}" for kind in kinds))
        for at in names.split()
        if at in seats
    ]


@register.simple_tag
def sprite(rules: RuleSet) -> SafeString:
    """The drawings that a table with this rule set can show, to stand inside its page.

    A part that arrives later finds them at once, with the colours of the page.
    """
    drawings = _drawings(rules.pack_in_order(), rules.target)
    return mark_safe(drawings)  # noqa: S308 - our own file


@lru_cache(maxsize=64)
def _drawings(pack: tuple[int, ...], target: int | None) -> str:
    names = {f"i-{icon}" for icon in _ICONS} | {"star"}
    names |= {f"suit-{letter}" for letter in words.SUIT_LETTERS}
    names |= {f"face-{words.index(c)}{words.suit_letter(c)}" for c in pack} | {"face-Jo"}
    symbols = _symbols()
    markers = f"m{target}-"
    wanted = [text for name, text in symbols.items() if name in names or name.startswith(markers)]
    return f'<svg class="sprite" aria-hidden="true">{"".join(wanted)}</svg>'


@lru_cache(maxsize=1)
def _symbols() -> dict[str, str]:
    found = finders.find("cards/sprite.svg")
    text = Path(str(found)).read_text(encoding="utf-8")
    return {match[1]: match[0] for match in _SYMBOL.finditer(text)}
