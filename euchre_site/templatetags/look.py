"""Template tags for icons, QR codes, avatars and settings of appearance."""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import segno
from django import template
from django.template import Context
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from euchre_site.pages.look import CHOICES
from games.picture.cast import initials

register = template.Library()
register.filter(initials)


@register.filter
def avatar_tone(player_id: int) -> str:
    """Return the class that gives an avatar one of four colours."""
    return ("", "b", "c", "d")[player_id % 4]


@register.simple_tag
def icon(name: str) -> SafeString:
    """Return an SVG from the sprite: an icon ("home"), a suit ("suit-h") or the "logo".

    Screen readers skip it, since there is always text next to it.
    """
    symbol = name if name == "logo" or name.startswith("suit-") else f"i-{name}"
    href = f"{static('cards/sprite.svg')}#{symbol}"
    return format_html('<svg aria-hidden="true"><use href="{}"/></svg>', href)


@register.simple_tag
@lru_cache(maxsize=256)
def qr(link: str) -> SafeString:
    """Return the QR code of a URL as an inline SVG, black on white in dark mode, too."""
    drawn = segno.make_qr(link, error="m").svg_inline(
        light="#fff", omitsize=True, svgclass=None, lineclass=None
    )
    return mark_safe(f'<span role="img" aria-label="QR code of the link">{drawn}</span>')  # noqa: S308 - it contains only squares


@register.filter
def under(path: str | None, place: str) -> bool:
    """Return whether a path is below that of an item in the main menu; None is below none."""
    return path is not None and path.startswith(place)


@register.filter
def drawing(svg: str) -> SafeString:
    return mark_safe(svg[svg.index("<svg") :])  # noqa: S308 - drawn by the QR library from a link


class Pick(NamedTuple):
    """A setting in the menu at the table: `now` of `values`, as words or as swatches."""

    name: str
    label: str
    kind: str
    values: Mapping[str, str]
    now: str


@register.simple_tag(takes_context=True)
def picks(context: Context) -> list[Pick]:
    chosen = context.get("look") or {}
    return [
        Pick(
            name,
            choice.brief,
            "swatches" if name in ("back", "cloth") else "seg",
            choice.short,
            chosen.get(name, choice.usual),
        )
        for name, choice in CHOICES.items()
        if choice.short
    ]
