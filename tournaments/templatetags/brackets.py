"""Matches of a bracket's drawing, rendered once and cached until they change."""

from functools import lru_cache
from typing import Final

from django import template
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from tournaments.event_page.bracket_lines import BracketMatch

register = template.Library()

#: Cached matches: enough for several large brackets.
KEPT: Final = 2048


@register.simple_tag
@lru_cache(maxsize=KEPT)
def bracket_match(match: BracketMatch) -> SafeString:
    """Render a match of the drawing; most are the same from one drawing to the next."""
    return render_to_string("tournaments/event_page/_bracket_match.svg.html", {"match": match})
