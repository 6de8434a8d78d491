"""Drawings of cards for pages other than the table."""

from django import template
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

from games.engine.cards import JOKER, UNNAMED
from games.picture import phrases

register = template.Library()


@register.simple_tag
def card_picture(card: int, trump: int = UNNAMED) -> SafeString:
    """Draw a card; its accessible name mentions bowers under `trump`."""
    sprite, letter, index = (
        static("cards/sprite.svg"),
        phrases.suit_letter(card),
        phrases.index(card),
    )
    joker = card == JOKER
    corner = format_html(
        '<span class="index{}">{}{}</span>',
        " ten" if index == "10" else "",
        index,
        "" if joker else format_html('<svg><use href="{}#suit-{}"/></svg>', sprite, letter),
    )
    return format_html(
        '<span class="card" role="img" aria-label="{}" data-suit="{}">{}'
        '<svg class="face" viewBox="0 0 100 140"><use href="{}#face-{}"/></svg>{}'
        '<svg class="sole"><use href="{}#{}"/></svg></span>',
        phrases.card_name(card, trump),
        letter,
        corner,
        sprite,
        "Jo" if joker else f"{index}{letter}",
        corner,
        sprite,
        "star" if joker else f"suit-{letter}",
    )


@register.simple_tag
def score_picture(drawing: str, points: int) -> SafeString:
    return format_html(
        '<svg class="markers" data-suit="h" role="img" aria-label="{} {}">'
        '<use href="{}#{}"/></svg>',
        points,
        "point" if points == 1 else "points",
        static("cards/sprite.svg"),
        drawing,
    )
