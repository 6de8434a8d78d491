"""Who sits where in a round, changed by hand before anything stands at the tables concerned.

Only formats that draw each round from the results so far take it: their next draw starts from the
seats as they are then. Where rounds are computed together or follow from a bracket, the format says
why not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from django import forms
from django.http import HttpRequest
from django.urls import reverse

from games.models import Player
from games.seats import reserved
from tournaments.acts import correcting, drawing_again
from tournaments.acts.base import Names, TableAct
from tournaments.acts.page import ActPage, choice_in
from tournaments.attendance import walk_ins
from tournaments.changes import row_locks
from tournaments.entering.leaving_running_event import must_run
from tournaments.events import acts
from tournaments.events.notices import note
from tournaments.models import Act, Entry, Event, Pairing, PairingEntry, Round, SitOut
from tournaments.refusals import RefusedError
from tournaments.results.event_rows import drawn
from tournaments.results.match_lines import team_of
from tournaments.room_scores.codes import codes_of
from tournaments.running import steps
from tournaments.standings import conflicts_of_interest

#: The entry at each place of a round, by "seat:" or "out:" and the number of its row.
Places = dict[str, int]
SEAT_NAMES: Final = {4: ("North", "South", "East", "West"), 2: ("North–south", "East–west")}


class SeatsForm(forms.Form):
    """Who sits in each seat of a table, out of all who were drawn in its round."""

    def __init__(self, *args: Any, event: Event, match: Pairing, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        lines = list(match.entries.order_by("side", "position"))
        choices = choices_of(event, match.round)
        for line, label in zip(lines, SEAT_NAMES.get(len(lines), ()), strict=True):
            self.fields[f"seat_{line.side}_{line.position}"] = forms.TypedChoiceField(
                label=label, choices=choices, coerce=int, initial=line.entry_id,
                error_messages={"invalid_choice": "Choose somebody who was drawn in this round."},
            )  # fmt: skip

    @property
    def entries(self) -> list[int]:
        return [self.cleaned_data[name] for name in self.fields]


def seat(match: Pairing, by: Player, wanted: Sequence[int], *, reason: str, now: datetime) -> None:
    """Seat these entries at the table of a match; those they displace get their places in return.

    wanted: the entries by seat, the first side before the second. Raises RefusedError if one is not
    in this round, something stands at a table concerned, or the format does not allow it.
    """
    reason = acts.reason(reason)
    with row_locks.changing(match.round.event) as event:
        round_ = changeable_round(event, match.round.number)
        table = round_.pairings.get(pk=match.pk)
        before = _places(round_)
        seats = [f"seat:{one.pk}" for one in _lines(round_) if one.pairing_id == table.pk]
        now_there = [before[one] for one in seats]
        if len(wanted) != len(seats) or len(set(wanted)) != len(seats):
            raise RefusedError("seats", f"Name {len(seats)} different ones for this table.", 422)
        if not {*wanted} <= {*before.values()}:
            raise RefusedError("not drawn", f"Only those drawn in round {round_.number}.", 422)
        if list(wanted) == now_there:
            raise RefusedError("same", "They sit there already.")
        after = dict(zip(seats, wanted, strict=True))
        displaced = iter([one for one in now_there if one not in wanted])
        left = {one: place for place, one in before.items()}
        after |= {left[one]: next(displaced) for one in wanted if one not in now_there}
        moved = {place: one for place, one in after.items() if before[place] != one}
        _move(event, round_, moved, by, now)
        acts.record(
            event, Act.Kind.SEATS, by, now, on=table, reason=reason,
            before={"table": now_there, "places": {place: before[place] for place in moved}},
            after={"table": list(wanted), "places": moved},
        )  # fmt: skip


def changeable_round(event: Event, number: int) -> Round:
    """Return the round being played; raise RefusedError if its draw cannot be changed by hand."""
    must_run(event)
    round_ = event.played_rounds.filter(number=number).first()
    latest = event.played_rounds.order_by("-number").first()
    if round_ is None or latest is None:
        raise RefusedError("no round", f"Round {number} has not been drawn.", 404)
    if latest.pk != round_.pk:
        raise RefusedError("later round", f"Round {latest.number} was drawn with round {number}.")
    if why := why_settled(event, round_):
        raise RefusedError("settled", why)
    return round_


def why_settled(event: Event, round_: Round) -> str:
    """Return why the draw of a round cannot be changed by hand, or an empty string."""
    if round_.over is not None:
        return f"Round {round_.number} is over."
    in_knock_out = event.knock_out if round_.stage == 2 else None
    return (in_knock_out or event.first_stage).why_not_by_hand(event)


def why_not(match: Pairing) -> str:
    """Return why nobody can be seated elsewhere at a table, or an empty string."""
    try:
        changeable_round(match.round.event, match.round.number)
    except RefusedError as error:
        return error.message
    return why_stands(match, written=match.score_lines.exists())


def choices_of(event: Event, round_: Round) -> list[tuple[int, str]]:
    """Return the entries drawn in a round with their names and tables, in order of their names."""
    entries = drawn(event)
    at = {line.entry_id: f"table {line.pairing.number}" for line in _lines(round_)}
    found = [
        (one, f"{team_of(entries[one]).name} ({at.get(one, 'sits out')})")
        for one in _places(round_).values()
    ]
    return sorted(found, key=lambda choice: choice[1].casefold())


def why_stands(match: Pairing, *, written: bool) -> str:
    """Return what stands at a table, so that nobody can be seated elsewhere; or an empty string.

    written: whether its score card has lines.
    """
    if match.state == Pairing.State.DECIDED:
        return f"The match at table {match.number} is over."
    if match.state == Pairing.State.PLAYING and not match.in_room:
        return f"The match at table {match.number} has begun."
    if written:
        return f"The score card of table {match.number} has been begun."
    return ""


def _lines(round_: Round) -> list[PairingEntry]:
    lines = PairingEntry.objects.filter(round=round_).select_related("pairing")
    return list(lines.order_by("pairing__number", "side", "position"))


def _places(round_: Round) -> Places:
    places = {f"seat:{line.pk}": line.entry_id for line in _lines(round_)}
    out = SitOut.objects.filter(round=round_).values_list("pk", "entry")
    return places | {f"out:{pk}": entry for pk, entry in out}


def _move(event: Event, round_: Round, moved: Mapping[str, int], by: Player, now: datetime) -> None:
    """Give places of a round to other entries, and open new tables where they play online."""
    lines = [line for line in _lines(round_) if f"seat:{line.pk}" in moved]
    tables = {line.pairing_id: line.pairing for line in lines}
    entries = drawn(event)
    for table in tables.values():
        if why := why_stands(table, written=table.score_lines.exists()):
            raise RefusedError("stands", why)
        conflicts_of_interest.check_seats(event, table, by)
    for line in lines:
        _check_place(event, line.pairing, entries[moved[f"seat:{line.pk}"]])
    own = conflicts_of_interest.own_entries(event, by).filter(pk__in=moved.values())
    if own.exists():
        others = conflicts_of_interest.who_can(event, {by.pk})
        words = f"{by.name} cannot seat their own entry. {others}"
        raise RefusedError(conflicts_of_interest.OWN, words, 403)
    PairingEntry.objects.filter(pk__in=[line.pk for line in lines]).delete()
    for line in lines:
        line.entry_id = moved[f"seat:{line.pk}"]
    PairingEntry.objects.bulk_create(lines)
    sit_outs = list(SitOut.objects.filter(round=round_))
    sit_outs = [one for one in sit_outs if f"out:{one.pk}" in moved]
    SitOut.objects.filter(pk__in=[one.pk for one in sit_outs]).delete()
    for one in sit_outs:
        one.entry_id = moved[f"out:{one.pk}"]
    SitOut.objects.bulk_create(sit_outs)
    codes_of(event, [table.number for table in tables.values() if table.in_room])
    online = [table for table in tables.values() if not table.in_room]
    for table in online:
        reserved.end(table.table_id or 0, now)
        steps.open_again(event, table)
    if online:
        round_.called = max(round_.called, event.paused or now)
        round_.save(update_fields=["called"])
    event.due = now
    event.save(update_fields=["due"])
    numbers = sorted(table.number for table in tables.values())
    where = " and ".join(f"table {number}" for number in numbers)
    note(event, f"Round {round_.number}: other seats at {where}.", by, public=True)


def _check_place(event: Event, table: Pairing, entry: Entry) -> None:
    """Refuse to seat house players in the room, and walk-ins online."""
    if table.in_room and entry.house:
        raise RefusedError("house", "House players cannot sit at a table in the room.")
    if not table.in_room:
        walk_ins.check_online(event, [line.player for line in entry.players.all()])


class ChangeSeats(TableAct):
    kind, words = Act.Kind.SEATS, "Changed seats"
    address = "rounds/<num:number>/tables/<num:table>/seats/"
    url_name = "seats_by_hand"
    needs_match = False
    offered, brief = "Change the seats", "within the table, or with another"

    def why_not(self, event: Event, match: Pairing, *, written: bool) -> str:
        return why_settled(event, match.round) or why_stands(match, written=written)

    def page(self, request: HttpRequest, event: Event, by: Player, match: Any) -> ActPage:
        form = SeatsForm(choice_in(request), event=event, match=match)
        blocked = why_not(match)
        return ActPage(
            title=f"Seats at table {match.number}, round {match.round.number}",
            explains=(
                "The seats stay as they were drawn. Set the result as it was played and say in the"
                " reason who sat where, or take the round back if it has to be played otherwise."
                if blocked
                else "Choose who sits where. Whoever has to make room takes the place of the one"
                " who comes."
            ),
            submit_label="Change the seats",
            done=f"The seats at table {match.number} have been changed.",
            until="Can be undone until a score is entered at one of these tables.",
            verb=lambda reason, now: seat(match, by, form.entries, reason=reason, now=now),
            choice=form,
            blocked_reason=blocked,
            alternatives=_instead_of_seats(event, match) if blocked else (),
        )

    def subject(self, row: Act, names: Names) -> str:
        return super().subject(row, names).partition(":")[0]

    def value(self, _event: Event, values: dict[str, Any], names: Names) -> str:
        """Return who sat at the table: "Ana & Ben – Cy & Di"."""
        there = [names.entries.get(one, "somebody") for one in values["table"]]
        half = len(there) // 2
        return " – ".join(" & ".join(side) for side in (there[:half], there[half:]))

    def undo(self, event: Event, row: Act, by: Player, now: datetime) -> None:
        """Put everybody back to the places they had."""
        if row.round is None:
            raise RefusedError("depends", "The round has been drawn again.")
        round_ = changeable_round(event, row.round.number)
        places = _places(round_)
        if any(places.get(place) != one for place, one in row.after["places"].items()):
            raise RefusedError("depends", "Somebody has been seated elsewhere since.")
        _move(event, round_, row.before["places"], by, now)


def _instead_of_seats(event: Event, match: Pairing) -> tuple[tuple[str, str], ...]:
    """Return what mends a table whose seats cannot be changed, in words and paths."""
    ways = []
    number = match.round.number
    if correcting.can_be_set(event, decided=match.state == Pairing.State.DECIDED):
        path = reverse("set_result", args=[event.pk, number, match.number])
        ways.append(("Set the result as played", path))
    if drawing_again.can_be_taken_back(event, match.round):
        path = reverse("take_back_round", args=[event.pk, number])
        ways.append((f"Take back round {number}", path))
    return tuple(ways)
