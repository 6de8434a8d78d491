"""Filters of a player's games by time, rule set, players, result and calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from games.records import RESULT_WORDS, TIED
from games.records.sums import (
    PlayedRow,
    current_streak,
    longest_streak,
)

#: Results by their word in URLs.
RESULTS: Final = {word: result for result, word in RESULT_WORDS.items()} | {"given-up": None}


class CallFilter(NamedTuple):
    """A column that counts something, and the games in which it counts, in words."""

    column: str
    words: str


#: What was done in a game, by its word in URLs and in the API.
CALLS: Final = {
    "called": CallFilter("called", "with a call"),
    "made": CallFilter("made", "with a call that was made"),
    "marched": CallFilter("marched", "with a march"),
    "euchred": CallFilter("euchred", "with a call that was euchred"),
    "alone": CallFilter("alone", "with a lone hand"),
    "alone-marched": CallFilter("alone_marched", "with a lone march"),
    "defended": CallFilter("euchres", "in which the callers were euchred"),
}
STREAKS: Final = ("present", "won", "lost")


@dataclass(frozen=True, slots=True)
class Selection:
    """A filter; empty fields match all games.

    since, until: the game ended in this range, `until` excluded. result, call: keys of `RESULTS`
    and `CALLS`. place: the player called from this place. streak: only the games of the current
    streak, or of the longest of wins or losses.
    """

    rules: str = ""
    since: datetime | None = None
    until: datetime | None = None
    partner: int | None = None
    opponent: int | None = None
    result: str = ""
    call: str = ""
    place: int | None = None
    streak: str = ""


def selected(rows: Sequence[PlayedRow], selection: Selection) -> list[PlayedRow]:
    """Return the matching rows in order; a streak is one among the rows that match all else."""

    def wanted(row: PlayedRow) -> bool:
        return all(
            (
                not selection.rules or row.rules == selection.rules,
                selection.since is None or row.ended >= selection.since,
                selection.until is None or row.ended < selection.until,
                selection.partner is None or row.partner_id == selection.partner,
                selection.opponent is None or selection.opponent in row.opponents,
                not selection.result or row.result == RESULTS[selection.result],
                selection.place is None or getattr(row, f"called_{selection.place}"),
                not selection.call or getattr(row, CALLS[selection.call].column),
            )
        )

    found = [row for row in rows if wanted(row)]
    match selection.streak:
        case "present":
            return list(current_streak(found).games)
        case "won" | "lost":
            return list(longest_streak(found, RESULTS[selection.streak] or TIED).games)
    return found
