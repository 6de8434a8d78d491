"""Template filters of season tables."""

from collections.abc import Sequence

from django import template

from tournaments.seasons.divisions import DivisionLine
from tournaments.seasons.season_table import EveningPoints, HeldEvening, SeasonRow
from tournaments.seasons.teams import TeamEvening, TeamRow

register = template.Library()


@register.filter
def by_evening(
    line: SeasonRow | TeamRow, evenings: Sequence[HeldEvening]
) -> list[tuple[HeldEvening, EveningPoints | TeamEvening | None]]:
    """Return a line's points for each column of its table; None: not there."""
    return [(held, line.evenings.get(held.event)) for held in evenings]


@register.filter
def drawn_after(lines: Sequence[DivisionLine], row: int) -> list[DivisionLine]:
    """Return the lines of a division's table that are drawn after a row, counted from 1."""
    return [line for line in lines or () if line.after == row]
