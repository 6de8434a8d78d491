"""A match that is over, or a hand of one in the room, that has to be played again."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Any

from django.http import HttpRequest

from games.access import SEALED
from games.models import Player
from games.numbers import parse_number
from tournaments.acts.base import Names, TableAct, match_of
from tournaments.acts.page import ActPage, choice_in
from tournaments.changes import row_images
from tournaments.events import acts
from tournaments.events.notices import note
from tournaments.models import Act, Event, Pairing, ScoreLine
from tournaments.refusals import RefusedError
from tournaments.results import corrections
from tournaments.room_scores import cards, writing
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


def reopen_hand(match: Pairing, number: int, by: Player, *, reason: str, now: datetime) -> None:
    """Take a hand off the score card of a match in the room, to be played and written again.

    The others stay; whoever has signed or disputed the score is asked again. Raises RefusedError if
    the match is over or the hand is not written, or `by` plays in it.
    """
    reason = acts.reason(reason)
    with row_images.changing(match.round.event) as event:
        row = Pairing.objects.select_related("round").get(pk=match.pk)
        conflicts_of_interest.check_result(event, row, by)
        card = cards.card_of(event, row, writing.lines_of(row))
        if row.state == Pairing.State.DECIDED or number not in card.hands:
            words = f"No hand {number} is written at table {row.number}, or its match is over."
            raise RefusedError("open", words)
        ScoreLine.objects.create(
            pairing=row, key=secrets.token_hex(16), kind=ScoreLine.Kind.TAKE_BACK, side=0,
            number=number, values={"director": True}, player=by, at=now,
        )  # fmt: skip
        where = f"Round {row.round.number}, table {row.number}"
        note(event, f"{where}: hand {number} is played again. {reason}", by, public=True)
        before = {"hand": number, "score": writing.score_words(card)}
        after = {"score": writing.score_words(cards.card_of(event, row, writing.lines_of(row)))}
        acts.record(
            event, Act.Kind.REOPEN, by, now, on=row, reason=reason, before=before, after=after
        )


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

    def page(self, request: HttpRequest, _event: Event, by: Player, match: Any) -> ActPage:
        table = match.number
        fields = choice_in(request)
        number = parse_number(fields.get("hand", "")) if fields else None
        if number is not None:
            return ActPage(
                title=f"Play hand {number} of table {table} again",
                explains="The other hands stay. Both sides sign the score again.",
                submit_label=f"Play hand {number} again",
                done=f"Table {table} plays hand {number} again.",
                until="Can be undone until the match is over.",
                verb=lambda reason, now: reopen_hand(match, number, by, reason=reason, now=now),
                hidden=(("hand", number),),
            )
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
        if "score" in values:
            return str(values["score"])
        return corrections.in_words(values) if values else "none"

    def title(self, row: Act) -> str:
        hand = row.before.get("hand")
        return f"Had hand {hand} played again" if hand else self.words

    def undo(self, event: Event, row: Act, by: Player, now: datetime) -> None:
        """Give the match the result back that it had."""
        match = match_of(row)
        conflicts_of_interest.check_result(event, match, by)
        if "hand" in row.before and match.state == Pairing.State.DECIDED:
            raise RefusedError("depends", f"The match at table {match.number} is over.")
        seats = _seats_of(match)
        if row.kept.get("seats", seats) != seats:
            words = f"Others sit at table {match.number} since. Seat those who played there first."
            raise RefusedError("depends", words)
        super().undo(event, row, by, now)
