"""The travelling score of a duplicate round: every deal, and what each table made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from games.records.deals import Dealt, Made, dealt_in, made_of
from tournaments.events import states
from tournaments.formats import comparison
from tournaments.formats.comparison import Scoring, TableRound
from tournaments.models import Event, Pairing, Round
from tournaments.results import event_rows
from tournaments.results.match_lines import Team, together


@dataclass(frozen=True, slots=True)
class TravellerLine:
    """What a table made of a deal.

    tricks: of the makers. best: those with open hands and best play; None if it was thrown in.
    net: the points of north and south less those of east and west. score: of north and south; None
    if it is not compared by deal.
    """

    table: int
    north_south: str
    east_west: str
    made: Made
    tricks: int
    best: int | None
    net: int
    score: float | None


@dataclass(frozen=True, slots=True)
class Traveller:
    """A deal and its results, the best for north and south first.

    missing: the tables without a result of it, and why.
    """

    dealt: Dealt
    lines: tuple[TravellerLine, ...]
    missing: tuple[tuple[int, str], ...]


def is_open(round_: Round) -> bool:
    """Return True if nothing of a duplicate round is left to be played: its deals may be seen.

    The last table has finished or was closed, and the round is over or was broken off with its
    event.
    """
    if round_.over is None and round_.event.state not in states.OVER:
        return False
    return not event_rows.sealed_tables(round_.pairings.all())


def travellers_of(event: Event, round_: Round, teams: Mapping[int, Team]) -> tuple[Traveller, ...]:
    """Return the deals of a round; raise ValueError if they are still being played."""
    if not is_open(round_):
        raise ValueError(f"The deals of {round_} are still being played.")
    rows = list(event_rows.with_entries(round_.pairings.select_related("table")))
    longest = max(rows, key=lambda row: len(row.deal_results), default=None)
    if longest is None or longest.table is None or not longest.deal_results:
        return ()
    tables = [event_rows.compared(row) for row in rows]
    by_deal = [table.nets if table.total is None else () for table in tables]
    scores = comparison.round_scores(by_deal, Scoring(event.scoring))
    game = longest.table.games.get()
    return tuple(
        _traveller(dealt, rows, tables, scores, teams)
        for dealt in dealt_in(game.pk)[: len(longest.deal_results)]
    )


def _traveller(
    dealt: Dealt,
    rows: Sequence[Pairing],
    tables: Sequence[TableRound],
    scores: Sequence[Sequence[Fraction | None]],
    teams: Mapping[int, Team],
) -> Traveller:
    at, lines, missing = dealt.number - 1, [], []
    for row, table, mine in zip(rows, tables, scores, strict=True):
        if at < len(table.nets):
            score = mine[at] if at < len(mine) else None
            lines.append(_line(row, at, None if score is None else float(score), teams))
        else:
            why = "forfeited" if table.forfeited_by else "not played to its end"
            missing.append((row.number, why))
    lines.sort(key=lambda line: (-line.net, line.table))
    return Traveller(dealt, tuple(lines), tuple(missing))


def _line(row: Pairing, at: int, score: float | None, teams: Mapping[int, Team]) -> TravellerLine:
    result = row.deal_results[at]
    north_south, east_west = (
        together(teams[entry] for entry in row.entries_of_side(side)).name for side in (0, 1)
    )
    return TravellerLine(
        row.number,
        north_south,
        east_west,
        made_of(result),
        result["tricks"],
        result["best"],
        result["net"],
        score,
    )
