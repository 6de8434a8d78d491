"""A table of the round being played, moved to the room or online before anything is scored."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from games.models import Player
from games.seats import reserved
from tournaments.acts.base import Names, Offer, TableAct, match_of
from tournaments.acts.page import ActPage, RemarkForm
from tournaments.acts.round_clock import being_played
from tournaments.attendance import walk_ins
from tournaments.changes import row_locks
from tournaments.events import acts
from tournaments.events.notices import note
from tournaments.models import Act, Entry, Event, Pairing, Round
from tournaments.refusals import RefusedError
from tournaments.results import matches
from tournaments.room_scores import cards, writing
from tournaments.room_scores.codes import codes_of
from tournaments.running import steps
from tournaments.standings import conflicts_of_interest


def move_table(
    event: Event,
    by: Player,
    number: int,
    table: int,
    now: datetime,
    *,
    in_room: bool,
    reason: str = "",
) -> None:
    """Move a match of the round being played to the room or online, before anything is scored."""
    with row_locks.changing(event) as locked:
        round_ = being_played(locked)
        matches_here = round_.pairings.select_related("round")
        match = matches_here.filter(round__number=number, number=table).first()
        if match is None:
            words = f"Only tables of round {round_.number}, which is being played, can be moved."
            raise RefusedError("no table", words, 404)
        conflicts_of_interest.check_place(locked, match, by)
        if match.state == Pairing.State.DECIDED:
            raise RefusedError("decided", f"The match at table {table} is over.")
        if match.in_room == in_room:
            where = "in the room" if in_room else "online"
            raise RefusedError("there", f"Table {table} is {where} already.")
        _move(locked, match, now, in_room=in_room)
        where = "to the room" if in_room else "online"
        words = f"Round {number}: table {table} moved {where}. {reason}"
        note(locked, words.strip(), by, public=True)
        before, after = {"in_room": not in_room}, {"in_room": in_room}
        acts.record(
            locked, Act.Kind.MOVE, by, now, on=match, reason=reason, before=before, after=after
        )


def _move(event: Event, match: Pairing, now: datetime, *, in_room: bool) -> None:
    if in_room:
        _move_to_room(event, match, now)
    else:
        _move_online(event, match.round, match, now)


def _move_to_room(event: Event, match: Pairing, now: datetime) -> None:
    if match.state != Pairing.State.CALLED:
        raise RefusedError("begun", f"The match at table {match.number} has begun online.")
    if event.first_stage.duplicate:
        raise RefusedError("duplicate", "A duplicate event is played online.")
    if any(player.house for player in matches.seated(match)):
        raise RefusedError("house", "House players cannot sit at a table in the room.")
    reserved.end(match.table_id or 0, now)
    match.in_room, match.table, match.state = True, None, Pairing.State.PLAYING
    match.save(update_fields=["in_room", "table", "state"])
    codes_of(event, [match.number])


def _move_online(event: Event, round_: Round, match: Pairing, now: datetime) -> None:
    card = cards.card_of(event, match, writing.lines_of(match))
    if card.written or card.penalties:
        words = f"The score of table {match.number} has been begun in the room."
        raise RefusedError("begun", words)
    walk_ins.check_online(event, matches.seated(match))
    match.in_room, match.state = False, Pairing.State.CALLED
    match.save(update_fields=["in_room", "state"])
    steps.open_online(event, round_, [(match, matches.seated(match))], 1)
    gone = match.entries.filter(entry__state=Entry.State.WITHDRAWN)
    players = list(gone.values_list("entry__players__player", flat=True))
    reserved.stand_in_for(match.table_id or 0, players)
    round_.called = max(round_.called, event.paused or now)
    round_.save(update_fields=["called"])
    event.due = now
    event.save(update_fields=["due"])


class MoveTable(TableAct):
    kind, words = Act.Kind.MOVE, "Moved a table"
    address = "rounds/<num:number>/tables/<num:table>/move/"
    url_name = "move_table"

    def offer(self, event: Event, match: Pairing, *, movable: bool, **_: bool) -> Offer | None:
        where = reverse("move_table", args=[event.pk, match.round.number, match.number])
        if not movable:
            return None
        if match.in_room:
            brief = "its players are called to the site"
            return Offer("Move online", brief, f"{where}?to=online")
        return Offer("Move to the room", "to play on with real cards", f"{where}?to=room")

    def page(self, request: HttpRequest, event: Event, by: Player, target: Any) -> ActPage:
        """Return its page; `to` of the query: "room", "online", or without it where it is not."""
        number, table = target.round.number, target.number
        in_room = request.GET.get("to", "online" if target.in_room else "room") == "room"
        where = "to the room" if in_room else "online"
        return ActPage(
            title=f"Move table {table} {where}?",
            explains=(
                "They play with real cards and write the score on their phones, with the table’s"
                " code. The table on the site is closed."
                if in_room
                else "Its players are called to a table on the site. What they have written on the"
                " score card does not count there."
            ),
            submit_label=f"Move table {table} {where}",
            done=f"Table {table} has been moved {where}.",
            until="Can be undone until anything is scored there.",
            verb=lambda reason, now: move_table(
                event, by, number, table, now, in_room=in_room, reason=reason
            ),
            said=RemarkForm,
        )

    def value(self, _event: Event, values: dict[str, Any], _names: Names) -> str:
        return "in the room" if values["in_room"] else "online"

    def undo(self, event: Event, row: Act, by: Player, now: datetime) -> None:
        """Move it back to where it was, before anything is scored."""
        match = match_of(row)
        conflicts_of_interest.check_place(event, match, by)
        if match.state == Pairing.State.DECIDED or event.state != Event.State.RUNNING:
            raise RefusedError("depends", f"The match at table {match.number} is over.")
        _move(event, match, now, in_room=row.before["in_room"])
