"""Duplicate for partnerships: everybody plays everybody, and all tables play the same deals.

The movement is that of E. C. Howell (1897): a starter, a set of pairs in which each difference of
two numbers occurs once, is moved on by one each round. As all tables play the same deals, no boards
need to move. What matters instead is who sits in the same direction, as their results are compared:
in each pair of the starter the first sits north and south, and the directions were chosen so that
any two partnerships are compared as equally often as could be found.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from importlib.resources import files
from random import Random

from tournaments.formats.base import Format, Settings, Stage
from tournaments.formats.draw import Draw, DrawnMatch
from tournaments.formats.tie_breaks import DUPLICATE_ORDER


class DuplicatePairs(Format):
    key = "duplicate_pairs"
    name = "Duplicate pairs"
    brief = "All tables play the same deals; every partnership meets every other, if there is time."
    length = "Complete after one fewer than partnerships; any fewer rounds can be played."
    who_enters = "Partnerships"
    least_entries = 6
    most_entries = 40
    duplicate = True
    fixed_pairings = True
    known_ahead = True
    no_late_entry = "All who start play the same deals in every round, so that scores compare."
    settings = (Format.settings - {"second_stage"}) | {"rounds", "scoring"}
    usual_order = DUPLICATE_ORDER
    sit_out_worth = Fraction(0)
    sit_out_words = "A sit-out scores 0, the average of the tables."

    def wanted_rounds(self, settings: Settings, entries: int) -> int:
        return min(settings.rounds or self.most_rounds(entries), self.most_rounds(entries))

    def most_rounds(self, entries: int) -> int:
        """Return the rounds after which everybody has met everybody."""
        return entries + entries % 2 - 1

    def draw(self, stage: Stage) -> Draw:
        whole = Random(f"{stage.seed} movement")  # noqa: S311 - anybody may draw it again
        numbered = whole.sample(stage.starters, len(stage.starters))
        return movement(numbered)[len(stage.history)]


@cache
def starters() -> dict[int, list[list[int]]]:
    """Return the starter for each even number of partnerships, north and south first."""
    text = files("tournaments.formats.designs").joinpath("howell.json").read_text("utf-8")
    return {int(pairs): starter for pairs, starter in json.loads(text)["starters"].items()}


def movement(entrants: Sequence[int]) -> tuple[Draw, ...]:
    """Draw all rounds; in an odd field one entrant sits out of each.

    Raises ValueError for a number that has no starter, or an entrant named twice.
    """
    field = len(entrants) + len(entrants) % 2
    if field not in starters() or len(set(entrants)) < len(entrants):
        raise ValueError(f"there is no movement for these {len(entrants)} entrants")
    moving = field - 1
    rounds = []
    for number in range(moving):
        # The last of an even field stays where it is and plays whoever comes.
        seated = [(moving, number)]
        seated += [((x + number) % moving, (y + number) % moving) for x, y in starters()[field]]
        if number % 2:
            seated = [(other, one) for one, other in seated]
        played = [match for match in seated if max(match) < len(entrants)]
        idle = [min(match) for match in seated if max(match) == len(entrants)]
        rounds.append(
            Draw(
                tuple(
                    DrawnMatch(table, ((entrants[one],), (entrants[other],)))
                    for table, (one, other) in enumerate(played, start=1)
                ),
                tuple(entrants[one] for one in idle),
            )
        )
    return tuple(rounds)
