"""Everybody plays everybody, in the order of the Berger tables.

The tables are those of the FIDE Handbook, C.05, Annex 1: the last entrant of an even field stays,
in turn on the right and on the left, and the others move on by half the field.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from tournaments.formats.base import Format, Settings, Stage
from tournaments.formats.draw import Draw, DrawnMatch
from tournaments.formats.tie_breaks import TieBreak


class RoundRobin(Format):
    key = "round_robin"
    name = "Round robin"
    brief = "Everybody plays everybody, once or several times."
    length = "One fewer than partnerships, or as many as partnerships if their number is odd."
    fixed_pairings = True
    known_ahead = True
    most_entries = 64  # it has a round for nearly every entry
    no_late_entry = "Who meets whom in every round is fixed when the event starts."
    settings = Format.settings | {"cycles"}
    # Everybody has the same opponents, so that their scores say nothing.
    usual_order = (
        TieBreak.WINS,
        TieBreak.HEAD_TO_HEAD,
        TieBreak.POINT_DIFFERENCE,
        TieBreak.SONNEBORN_BERGER,
        TieBreak.LONE_HANDS,
    )
    sit_out_worth = Fraction(0)  # everybody has the same number of byes

    def wanted_rounds(self, settings: Settings, entries: int) -> int:
        """Return the number of rounds: one per opponent, and one for the bye of an odd field."""
        return (entries + entries % 2 - 1) * settings.cycles

    def draw(self, stage: Stage) -> Draw:
        return draws(stage.starters, stage.settings.cycles)[len(stage.history)]


def draws(entrants: Sequence[int], cycles: int = 1) -> tuple[Draw, ...]:
    """Draw all rounds; in an odd field one entrant sits out of each.

    Every second cycle is played with the sides exchanged. Raises ValueError for fewer than two
    entrants, one named twice, or no cycle.
    """
    if len(entrants) < 2 or len(set(entrants)) < len(entrants):
        raise ValueError(f"a round robin needs two entrants or more, each once: {list(entrants)}")
    if cycles < 1:
        raise ValueError(f"a round robin has one cycle or more, not {cycles}")
    field = len(entrants) + len(entrants) % 2
    rounds: list[Draw] = []
    for cycle, number in product(range(cycles), range(field - 1)):
        pairings: list[DrawnMatch] = []
        free: tuple[int, ...] = ()
        for one, other in _berger(field, number):
            if max(one, other) == len(entrants):
                free = (entrants[min(one, other)],)
                continue
            home, away = (other, one) if cycle % 2 else (one, other)
            sides = ((entrants[home],), (entrants[away],))
            pairings.append(DrawnMatch(len(pairings) + 1, sides))
        rounds.append(Draw(tuple(pairings), free))
    return tuple(rounds)


def _berger(field: int, number: int) -> list[tuple[int, int]]:
    """Return the matches of a round, counted from 0, as numbers from 0 of an even field."""
    moving = field - 1
    first = number * (field // 2) % moving
    matches = [(first, field - 1) if number % 2 == 0 else (field - 1, first)]
    matches += [((first + step) % moving, (first - step) % moving) for step in range(1, field // 2)]
    return matches
