"""Who sits where in a round, changed by hand before anything stands at the tables concerned.

Where a round is drawn from the results so far, the next draw starts from the seats as they are.
Where rounds are computed together, the others stay as they were, and the page names what that
breaks. In a knock-out those who change places go on in the bracket from there.
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
from tournaments.formats.breaks import Break, OtherRounds
from tournaments.formats.draw import Draw, DrawnMatch
from tournaments.models import Act, Entry, Event, Pairing, PairingEntry, Round, SitOut
from tournaments.refusals import RefusedError
from tournaments.results.event_rows import drawn
from tournaments.results.match_lines import team_of
from tournaments.room_scores.codes import codes_of
from tournaments.running import steps
from tournaments.standings import conflicts_of_interest, draws, ranking
from tournaments.webhooks import webhooks

#: The entry at each place of a round, by "seat:" or "out:" and the number of its row.
Places = dict[str, int]
MOST_OFFERED: Final = 3
#: What a swap breaks, in words.
BROKEN: Final = {
    "partners": ("Partners twice", "{} and {} are partners in round {} too."),
    "met": ("Met before", "{} and {} are against each other in round {} too."),
    "left": ("Left over", "{} and {} do not come together, as the draw had it."),
    "out": ("Sits out again", "{0} sits out in round {2} too."),
}


class SwapForm(forms.Form):
    """Two who were drawn in a round, to change places."""

    def __init__(self, sent: Mapping[str, Any], event: Event, round_: Round) -> None:
        super().__init__(sent if "other" in sent else None)
        for name in ("one", "other"):
            self.fields[name] = forms.TypedChoiceField(
                choices=choices_of(event, round_), coerce=int, widget=forms.HiddenInput,
                error_messages={"invalid_choice": "Choose somebody who was drawn in this round."},
            )  # fmt: skip


def swap(round_: Round, by: Player, one: int, other: int, *, reason: str, now: datetime) -> None:
    """Let two entries drawn in a round change places, with all on their sides in a knock-out.

    Raises RefusedError as `seat`, or ``seats`` if both sit out.
    """
    exchange = exchanged(_sides(round_), one, other)
    lines = [line for line in _lines(round_) if line.entry_id in exchange]
    if not lines:
        raise RefusedError("seats", "Both sit out: choose somebody who plays.", 422)
    match = lines[0].pairing
    there = match.entries.order_by("side", "position").values_list("entry", flat=True)
    seat(match, by, [exchange.get(who, who) for who in there], reason=reason, now=now)


def exchanged(sides: Mapping[int, tuple[int, ...]], one: int, other: int) -> dict[int, int]:
    """Return who takes whose place if two change places; sides: who stays together, by each."""
    both = list(zip(sides.get(one, (one,)), sides.get(other, (other,)), strict=True))
    return {**dict(both), **{to: who for who, to in both}}


def _sides(round_: Round) -> dict[int, tuple[int, ...]]:
    """Return the sides of a second stage, by everybody on them."""
    if round_.stage == 1:
        return {}
    event = round_.event
    sides = draws.sides_of(event, ranking.best_of(ranking.field_of(event)))
    return {who: side for side in sides.values() for who in side}


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
        bracket = _in_bracket(
            event, round_, {before[place]: one for place, one in moved.items()}, by
        )
        _move(event, round_, moved, by, now)
        event.bracket_by_hand += bracket
        event.save(update_fields=["bracket_by_hand"])
        acts.record(
            event, Act.Kind.SEATS, by, now, on=table, reason=reason,
            before={"table": now_there, "places": {place: before[place] for place in moved}},
            after={"table": list(wanted), "places": moved, "bracket": bracket},
        )  # fmt: skip


def _in_bracket(event: Event, round_: Round, instead: Mapping[int, int], by: Player) -> list[Any]:
    """Return what the bracket keeps of a change: the round, its turn, and who plays for whom."""
    if not event.is_knock_out and round_.stage == 1:
        return []
    field = ranking.field_of(event)
    sides = {*_sides(round_).values()}
    if {tuple(instead.get(one, one) for one in side) for side in sides} != sides:
        raise RefusedError("bracket", "In the knock-out partners stay together.")
    nodes = draws.nodes(field, ranking.best_of(field))
    turn = min(node.spot.turn for node in nodes if node.playable)
    there = {one for node in nodes if node.spot.turn == turn for one in node.sides}
    captains = {one for node in nodes for one in node.sides}
    if ahead := captains.intersection(instead) - there:
        name = team_of(drawn(event)[min(one for one in ahead if one)]).name
        raise RefusedError("bracket", f"{name} waits for a later match of the bracket.")
    if set(instead) & set(conflicts_of_interest.why_not_out(event, by)):
        others = conflicts_of_interest.who_can(event, {by.pk})
        words = f"{by.name} is still in the same knock-out. {others}"
        raise RefusedError(conflicts_of_interest.OWN, words, 403)
    return [[round_.number, turn, {str(one): to for one, to in instead.items()}]]


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
    shared = event.first_stage.duplicate and round_.pairings.filter(in_room=False).exists()
    return "All tables of the round share their deals." if shared else ""


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
    noted = note(event, f"Round {round_.number}: other seats at {where}.", by, public=True)
    webhooks.round_drawn(event, round_, now, noted.pk)


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
        round_ = match.round
        sent: Mapping[str, Any] = choice_in(request) or {}
        form = SwapForm(sent, event, round_)
        blocked = why_not(match)
        one, other = (
            int(key) if (key := str(sent.get(name, ""))[:12]).isdecimal() else 0
            for name in ("one", "other")
        )
        return ActPage(
            title=f"Pairings of round {round_.number} by hand",
            explains=(
                "The seats stay as they were drawn. Set the result as it was played and say in the"
                " reason who sat where, or take the round back if it has to be played otherwise."
                if blocked
                else "Press two to swap them."
            ),
            submit_label="Swap them",
            done=f"Changed by hand: round {round_.number}.",
            until="Can be undone until a score is entered at one of these tables.",
            verb=lambda reason, now: swap(
                round_, by, form.cleaned_data["one"], form.cleaned_data["other"],
                reason=reason, now=now,
            ),
            choice=form,
            blocked_reason=blocked,
            alternatives=_instead_of_seats(event, match) if blocked else (),
            template="tournaments/console/pairings.html",
            shown={} if blocked else _shown(event, round_, one, other),
        )  # fmt: skip

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
        for one in row.after.get("bracket", ()):
            event.bracket_by_hand.remove(one)
        event.save(update_fields=["bracket_by_hand"])


def _shown(event: Event, round_: Round, one: int, other: int) -> dict[str, object]:
    """Return the tables of a round, what swapping two breaks, and which swaps break less."""
    names = {who: team_of(entry).name for who, entry in drawn(event).items()}
    before, field, number = _drawn(round_), ranking.field_of(event), round_.number
    past = {
        at: Draw(tuple(match.pairing for match in old.matches), old.sit_outs)
        for at, old in enumerate([*field.first, *field.second], start=1)
    }
    bracket = event.is_knock_out or round_.stage == 2
    later = [] if bracket else draws.rounds_to_come(field, before)
    individual = event.first_stage.individual and not bracket
    settled = bracket or event.first_stage.rounds_known(event)
    to_come, sides = dict(enumerate(later, number + 1)), _sides(round_)
    others = OtherRounds(past, to_come, individual=individual, settled=settled)

    def broken(to: int) -> list[Break]:
        return others.breaks(before, before.exchanged(exchanged(sides, one, to)))

    there = [who for match in before.pairings for who in match.entrants] + [*before.sit_outs]
    found = broken(other) if {one, other} <= {*there} else []
    apart = [who for who in there if found and who not in (one, other)]
    better = sorted((len(broken(who)), names[who], who) for who in apart)[:MOST_OFFERED]
    return {
        "tables": [
            (match.table, [[(who, names[who]) for who in side] for side in match.sides])
            for match in before.pairings
        ],
        "idle": [(who, names[who]) for who in before.sit_outs],
        "one": one,
        "other": other,
        "name": names.get(one),
        "breaks": [
            (BROKEN[kind][0], BROKEN[kind][1].format(names[a], names[b], at))
            for kind, a, b, at in found
        ],
        "better": [line for line in better if line[0] < len(found)],
    }


def _drawn(round_: Round) -> Draw:
    tables: dict[int, tuple[list[int], list[int]]] = {}
    for line in _lines(round_):
        tables.setdefault(line.pairing.number, ([], []))[line.side].append(line.entry_id)
    out = SitOut.objects.filter(round=round_).values_list("entry", flat=True)
    matches = [DrawnMatch(at, (tuple(a), tuple(b))) for at, (a, b) in tables.items()]
    return Draw(tuple(matches), tuple(out))


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
