"""The results that directors set or changed, in words, for everybody who may see the event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Prefetch, QuerySet

from tournaments.models import Correction, Event, PairingEntry
from tournaments.results.match_lines import Team, together

HOW: Final = {"time": "on time", "forfeit": "by forfeit"}


@dataclass(frozen=True, slots=True)
class CorrectionLine:
    """A result that was set or changed.

    before: what it was; empty where there was none. winners: who won before and after, by name;
    empty for a tie or nobody.
    """

    at: datetime
    by: str
    round: int
    table: int
    sides: str
    before: str
    after: str
    winners: tuple[str, str]
    reason: str


def told(values: Mapping[str, Any]) -> str:
    """Return a result as corrections keep it: "10–7", "2–1 (10–6, 7–10, 10–9)", "forfeit"."""
    ended = values.get("ended", values["how"])
    winner = {0: "for north–south", 1: "for east–west"}.get(values["winner"], "by both")
    if ended == "forfeit":
        return f"a forfeit {winner}"
    scores = values.get("scores", [])
    words = _score(values["points"])
    if len(scores) > 1:
        words = f"{_score(values['games'])} ({', '.join(_score(one) for one in scores)})"
    words += f" {HOW[ended]}" if ended in HOW else ""
    tied = values["points"][0] == values["points"][1]
    return f"{words} {winner}" if tied and values["winner"] >= 0 else words


def history_of(event: Event, teams: Mapping[int, Team]) -> tuple[CorrectionLine, ...]:
    """Return all corrections of an event, the latest first; in two queries.

    teams: all entries drawn, by number.
    """
    lines = PairingEntry.objects.order_by("side", "position")
    rows = rows_of(event).prefetch_related(Prefetch("pairing__entries", lines))
    return tuple(_line(row, teams) for row in rows)


def rows_of(event: Event) -> QuerySet[Correction]:
    """Return the corrections of an event with their makers and matches, the latest first."""
    rows = Correction.objects.filter(pairing__round__event=event)
    return rows.select_related("by", "pairing__round").order_by("-at", "-pk")


def _line(row: Correction, teams: Mapping[int, Team]) -> CorrectionLine:
    sides = [together(teams[entry] for entry in row.pairing.drawn_on(side)).name for side in (0, 1)]

    def winner(values: Mapping[str, Any]) -> str:
        return sides[values["winner"]] if values["winner"] >= 0 else ""

    return CorrectionLine(
        at=row.at,
        by=row.by.name,
        round=row.pairing.round.number,
        table=row.pairing.number,
        sides=" – ".join(sides),
        before=told(row.before) if row.before["how"] else "",
        after=told(row.after),
        winners=(winner(row.before), winner(row.after)),
        reason=row.reason,
    )


def _score(pair: tuple[int, int]) -> str:
    return f"{pair[0]}–{pair[1]}"
