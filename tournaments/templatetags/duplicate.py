"""Filters for the numbers of duplicate events."""

from django import template

from tournaments.standings.standing_lines import UNUSED, signed_in_words

register = template.Library()


@register.filter
def net_points(net: int) -> str:
    """Format net points with their sign: "+2", "0"."""
    return signed_in_words(net, 0)


@register.filter
def deal_score(score: float | None) -> str:
    """Format the score of a deal: "+1.33"; a dash for a deal that is not compared."""
    return UNUSED if score is None else signed_in_words(score)
