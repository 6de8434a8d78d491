"""The drawings for pages with a table."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from django import template
from django.contrib.staticfiles import finders
from django.utils.safestring import SafeString, mark_safe

from games.picture import phrases

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
    "chat",
    "dots",
    "flag",
    "mute",
    "send",
    "share",
    "sound",
    "undo",
    "warn",
)


@register.filter
def part(parts: Mapping[str, str], name: str) -> SafeString:
    return mark_safe(parts.get(name, ""))  # noqa: S308 - drawn by Django's templates


@register.simple_tag
def small_drawings(*more_icons: str) -> SafeString:
    """Return suits and icons as SVG symbols, to be inlined in a page with a table or a replay.

    They are part of the first paint, and values refer to them by short names. Large drawings, faces
    and score cards come from the cached `cards/sprite.svg` (`games.picture.values.drawings`).
    """
    return mark_safe(_small_drawings(more_icons))  # noqa: S308 - our own file


@lru_cache(maxsize=4)
def _small_drawings(more_icons: tuple[str, ...]) -> str:
    names = {"star", *(f"i-{icon}" for icon in (*_ICONS, *more_icons))}
    names |= {f"suit-{letter}" for letter in phrases.TRUMP_LETTERS}
    text = Path(str(finders.find("cards/sprite.svg"))).read_text(encoding="utf-8")
    symbols = "".join(found[0] for found in _SYMBOL.finditer(text) if found[1] in names)
    return f'<svg class="sprite" aria-hidden="true">{symbols}</svg>'
