"""A match that is over and has to be played again, before a later round follows from it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest

from games.access import SEALED
from games.models import Player
from tournaments.acts.base import Names, TableAct, match_of
from tournaments.acts.page import ActPage
from tournaments.changes import row_images
from tournaments.events import acts
from tournaments.events.notices import note
from tournaments.models import Act, Event, Pairing
from tournaments.refusals import RefusedError
from tournaments.results import corrections
from tournaments.running import reopening
from tournaments.standings import conflicts_of_interest


def reopen(match: Pairing, by: Player, *, reason: str, now: datetime) -> None:
    """Take the result of a match away and let it be played again, online at a new table.

    Raises RefusedError if it is not over, or a later round or the end of the event depends on it.
    """
    reason = acts.reason(reason)
    with row_images.changing(match.round.event) as event:
        row = Pairing.objects.select_related("round", "table__shared_deals").get(pk=match.pk)
        if row.state != Pairing.State.DECIDED:
            raise RefusedError("open", f"The match at table {row.number} is not over.")
        if row.table is not None and row.table.sealed:
            raise RefusedError("sealed", SEALED)
        conflicts_of_interest.check_result(event, row, by)
        before = corrections.result_of(event, row)
        reopening.reopen(event, row, now)
        where = f"Round {row.round.number}, table {row.number}"
        note(event, f"{where}: played again. {reason}", by, public=True)
        acts.record(
            event, Act.Kind.REOPEN, by, now, on=row, reason=reason, before=before,
            kept={"seats": _seats_of(row)},
        )  # fmt: skip


def _seats_of(match: Pairing) -> list[list[int]]:
    lines = match.entries.order_by("side", "position")
    return [list(one) for one in lines.values_list("side", "position", "entry")]


class PlayAgain(TableAct):
    kind, words = Act.Kind.REOPEN, "Had a match played again"
    address = "rounds/<num:number>/tables/<num:table>/again/"
    url_name = "reopen_table"
    offered, brief = "Play it again", "its result is removed"

    def why_not(self, _event: Event, match: Pairing, *, written: bool) -> str:
        return "" if match.state == Pairing.State.DECIDED else "The match is not over."

    def page(self, _request: HttpRequest, _event: Event, by: Player, match: Any) -> ActPage:
        table = match.number
        return ActPage(
            title=f"Play table {table} of round {match.round.number} again",
            explains=(
                "Its result is removed, and the round goes on until there is a new one. A match"
                " online is played at a new table, with the full time of a round. If only the score"
                " is wrong, correct it instead."
            ),
            submit_label=f"Play table {table} again",
            done=f"Table {table} plays again.",
            until="Can be undone until it has been played again.",
            verb=lambda reason, now: reopen(match, by, reason=reason, now=now),
            stop=True,
        )

    def value(self, _event: Event, values: dict[str, Any], _names: Names) -> str:
        return corrections.in_words(values) if values else "none"

    def undo(self, event: Event, row: Act, by: Player, now: datetime) -> None:
        """Give the match the result back that it had."""
        match = match_of(row)
        conflicts_of_interest.check_result(event, match, by)
        seats = _seats_of(match)
        if row.kept.get("seats", seats) != seats:
            words = f"Others sit at table {match.number} since. Seat those who played there first."
            raise RefusedError("depends", words)
        super().undo(event, row, by, now)
