"""Ratings in templates."""

from collections.abc import Mapping

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from tournaments.models import Pool
from tournaments.rating_formula import Skill
from tournaments.ratings import words as rating_words

register = template.Library()


@register.simple_tag
def rating(skill: Skill) -> SafeString:
    """Format a rating with its deviation, and a question mark if it is not settled."""
    shown = format_html(
        '<b class="rate">{}</b> <span class="dev">±\N{NO-BREAK SPACE}{}</span>',
        round(skill.mu),
        round(skill.sigma),
    )
    if not skill.settled:
        shown += format_html(
            '<abbr class="maybe" title="{}" aria-hidden="true">?</abbr>'
            '<span class="unseen">, {}</span>',
            *("not settled yet",) * 2,
        )
    return format_html('<span class="rating">{}</span>', shown)


@register.filter
def of_player(skills: Mapping[int, Skill], player: int) -> Skill | None:
    return skills.get(player)


@register.filter
def pool_name(pool: Pool) -> str:
    return rating_words.pool_name(pool.key)


@register.filter
def pool_slug(pool: Pool) -> str:
    return rating_words.pool_slug(pool.key)
