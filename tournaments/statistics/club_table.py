"""The table of a club's players over some days: the season's standings, and what they did there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from tournaments.refusals import RefusedError
from tournaments.seasons.seasons import SeasonRow
from tournaments.statistics.tallies import Tally

UNKNOWN: Final = "–"


class ClubColumn(NamedTuple):
    """A column of figures.

    Attributes:
        key: its word in addresses.
        label: over it; meaning: what it counts.
        digits: after the point; None for a percentage.
        rising: whether the least is the best.
    """

    key: str
    label: str
    meaning: str
    digits: int | None = 0
    rising: bool = False

    def words(self, value: float | None) -> str:
        """Return a figure as it is shown."""
        if value is None:
            return UNKNOWN
        return f"{value:.0%}" if self.digits is None else f"{value:.{self.digits}f}"


COLUMNS: Final = (
    ClubColumn("place", "Place", "Place in the season table", rising=True),
    ClubColumn("points", "Points", "Points of the season table"),
    ClubColumn("events", "Events", "Events taken part in"),
    ClubColumn("wins", "Firsts", "Events won"),
    ClubColumn("finish", "Finish", "Average place in an event", 1, rising=True),
    ClubColumn("games", "Games", "Games with a result"),
    ClubColumn("won", "Won", "Share of these games won; a tie is half a win", None),
    ClubColumn("score", "Per game", "Points a game", 1),
    ClubColumn("calls", "Calls", "Hands in which the player made trump"),
    ClubColumn("made", "Made", "Share of these calls that took three tricks or more", None),
    ClubColumn("alone", "Alone", "Lone hands among the calls"),
    ClubColumn("euchres", "Euchres", "Opponents’ calls that the player’s side has euchred"),
)
KEYS: Final = tuple(column.key for column in COLUMNS)


@dataclass(frozen=True, slots=True)
class MemberLine:
    """A player's line; the values are those of `COLUMNS`, None where nothing can be said."""

    player_id: int
    name: str
    values: tuple[float | None, ...]

    @property
    def cells(self) -> list[str]:
        """The figures behind the place, as they are shown."""
        pairs = zip(COLUMNS, self.values, strict=True)
        return [column.words(value) for column, value in pairs][1:]

    @property
    def place(self) -> str:
        """The place in the season table."""
        return COLUMNS[0].words(self.values[0])


def line_of(season: SeasonRow, tally: Tally | None) -> MemberLine:
    """Return a line of the season table with what the player did in the games.

    tally: None where none of his games are noted.
    """
    done = tally or Tally()
    score = done.score
    return MemberLine(
        season.player_id,
        season.name,
        (
            season.place,
            season.points,
            season.events,
            season.wins,
            season.average,
            score.games,
            score.share,
            done.points / score.games if score.games else None,
            done.called,
            done.made / done.called if done.called else None,
            done.alone,
            done.euchres,
        ),
    )


def ordered(lines: Sequence[MemberLine], key: str) -> list[MemberLine]:
    """Return the lines in the order of a column, the best first; equal ones by their places.

    Raises:
        RefusedError: there is no such column.
    """
    if key not in KEYS:
        known = ", ".join(KEYS)
        raise RefusedError("sort", f"The table is sorted by {known}, not by “{key}”.", 400)
    at = KEYS.index(key)

    def order(line: MemberLine) -> tuple[bool, float, float]:
        value = line.values[at]
        better = 0.0 if value is None else value if COLUMNS[at].rising else -value
        return value is None, better, line.values[0] or 0

    return sorted(lines, key=order)
