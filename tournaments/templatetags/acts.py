"""Links to the acts of directors."""

from django import template

from tournaments.directing import after_acts

register = template.Library()


@register.filter
def returning(path: str, found: object) -> str:
    """Return the path of an act that leads back to the people found by these words, if any."""
    return after_acts.returning(path, str(found or ""))
