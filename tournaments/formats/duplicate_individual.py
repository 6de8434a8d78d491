"""Duplicate for players who enter alone: a perfect rotation in which all tables play one deal."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from tournaments.formats.base import IndividualFormat, Stage
from tournaments.formats.rotation import TABLE, PerfectRotation
from tournaments.formats.tie_breaks import DUPLICATE_ORDER

#: A result can only be compared with that of another table.
FEWEST_TABLES: Final = 2


class DuplicateIndividual(PerfectRotation):
    key = "duplicate"
    name = "Duplicate"
    brief = "All tables play the same deals, and results are compared; a new partner every round."
    least_entries = 3 * TABLE
    most_entries = 100
    duplicate = True
    no_late_entry = "All who start play the same deals in every round, so that scores compare."
    settings = (IndividualFormat.settings - {"second_stage", "late_half_wins"}) | {"scoring"}
    usual_order = DUPLICATE_ORDER
    sit_out_worth = Fraction(0)
    sit_out_words = "A sit-out scores 0, the average of the tables."

    def playable_rounds(self, stage: Stage) -> int:
        enough = len(stage.playing) >= FEWEST_TABLES * TABLE
        return len(stage.history) + (stage.left if enough else 0)

    def why_shortened(self, left: int) -> str:
        return "cannot fill two tables, whose results could be compared"
