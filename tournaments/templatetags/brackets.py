"""The matches of a bracket's picture, each drawn once as long as it stays the same."""

from functools import lru_cache
from typing import Final

from django import template
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from tournaments.event_page.bracket_lines import BracketMatch

register = template.Library()

#: How many drawn matches are kept: those of some large brackets.
KEPT: Final = 2048


@register.simple_tag
@lru_cache(maxsize=KEPT)
def bracket_match(match: BracketMatch) -> SafeString:
    """Draw a match of the picture; most do not change from one picture to the next."""
    return render_to_string("tournaments/event_page/_bracket_match.svg.html", {"match": match})
