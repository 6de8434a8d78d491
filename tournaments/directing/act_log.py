"""What directors did to an event, as its members read it: what, on whom, before and after."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Prefetch, Q, QuerySet

from games.models import Player
from games.models.shared_deals import sealed
from tournaments.directing import drawing_again, seating_by_hand, undoing
from tournaments.events import event_words
from tournaments.models import Act, Entry, Event, Pairing, PairingEntry
from tournaments.results import corrections, event_rows
from tournaments.results.match_lines import (
    past_seats,
    team_of,
    teams_at,
    teams_drawn,
    together,
)
from tournaments.times import clock_time

Kind = Act.Kind


@dataclass(frozen=True, slots=True)
class ActLine:
    """An act in words; `on` is the match, round or entry.

    `before` and `after` are empty where the act has no values to compare. `undone` names who undid
    it, `undoable` says whether that is possible for such an act, `kept` why it is not now.
    """

    row: Act
    what: str
    on: str
    before: str = ""
    after: str = ""
    undone: str = ""
    undoable: bool = False
    kept: str = ""


class _Names(NamedTuple):
    """Names that lines of acts need: of both sides by match, of entries, and of people."""

    sides: dict[int, str]
    entries: dict[int, str]
    people: dict[int, str]


def rows_of(event: Event) -> QuerySet[Act]:
    """Return an event's acts, the latest first, without results that are still sealed."""
    return event.acts.filter(Q(pairing=None) | ~sealed("pairing__table")).defer("kept")


def lines_of(
    event: Event, rows: Iterable[Act], by: Player | None = None, now: datetime | None = None
) -> list[ActLine]:
    """Return acts as they are listed, in a constant number of queries without a director.

    by, now: for whom it is said, and when, which acts cannot be undone.
    """
    acts = list(
        Act.objects.filter(pk__in=[row.pk for row in rows])
        .select_related("by", "round", "pairing", "entry", "undone_by__by", "undoes")
        .prefetch_related("entry__players__player")
        .defer("kept", "undoes__kept", "undone_by__kept")
    )
    names = _names_of(acts)
    kept = undoing.refusals(event, acts, by, now) if by and now else {}
    return [
        replace(
            _line(event, act, names),
            undone=act.undone_by.by.name if hasattr(act, "undone_by") else "",
            undoable=undoing.can_ever(act),
            kept=kept.get(act.pk, ""),
        )
        for act in acts
    ]


def _line(event: Event, act: Act, names: _Names) -> ActLine:
    if act.undoes is not None:
        return _line_of_undo(event, act, act.undoes, names)
    what, on = _what(act), ""
    if act.entry is not None:
        on = team_of(act.entry).name
    elif act.pairing is not None and act.round is not None:
        on = f"round {act.round.number}, table {act.pairing.number}"
        if act.kind != Kind.SEATS:
            on += f": {names.sides[act.pairing.pk]}"
    elif act.round is not None:
        on = f"round {act.round.number}"
    elif act.kind == Kind.TABLE_CODE:
        on = f"table {act.after['number']}"
    elif act.kind == Kind.HOUSE:
        on = event_words.plural(len(act.after["entries"]), "place")
    elif "players" in act.after:
        on = " & ".join(names.people[one] for one in act.after["players"] if one in names.people)
    elif act.kind in (Kind.TAKE_BACK, Kind.REDRAW):
        on = f"round {act.before['number']}"
    was, now = (_value(event, act, values, names) for values in (act.before, act.after))
    return ActLine(act, what, on, was, now)


def _what(act: Act) -> str:
    if act.kind == Kind.RESULT and act.before["how"]:
        return "Corrected a result"
    if act.kind == Kind.PENALTY:
        return f"Gave a penalty, {act.after['words']}"
    return str(act.get_kind_display())


def _value(event: Event, act: Act, values: dict[str, Any], names: _Names) -> str:
    """Return what an act changed, as it was or is by these values; empty without anything."""
    if act.kind in (Kind.RESULT, Kind.REOPEN) or "how" in values:
        return _result(values)
    if act.kind == Kind.SEATS:
        return seating_by_hand.words(values, names.entries)
    if act.kind in (Kind.TAKE_BACK, Kind.REDRAW):
        return drawing_again.words(values)
    if act.kind in (Kind.SUBSTITUTE, Kind.CLAIM):
        return " & ".join(names.people[one] for one in values["players"])
    return _time(event, values["ends"]) if "ends" in values else _plain(values)


def _plain(values: dict[str, Any]) -> str:
    """Return a stored state of an entry, or the score of a match that goes on."""
    if "in_room" in values:
        return "in the room" if values["in_room"] else "online"
    if "minutes" in values:
        return f"{values['minutes']} minutes"
    if "points" in values:
        return "{}–{}".format(*values["points"])
    return Entry.State(values["state"]).label if "state" in values else ""


def _line_of_undo(event: Event, act: Act, undoes: Act, names: _Names) -> ActLine:
    undone = copy(undoes)
    undone.round, undone.pairing, undone.entry = act.round, act.pairing, act.entry
    line = _line(event, undone, names)
    what = f"Undid “{line.what}”"
    return replace(line, row=act, what=what, before=line.after, after=line.before)


def _result(values: dict[str, Any]) -> str:
    return corrections.in_words(values) if values.get("how") else "none"


def _time(event: Event, stored: str | None) -> str:
    """Return a stored time as on the club's clock; without one, there is no limit."""
    if stored is None:
        return "no limit"
    return clock_time(datetime.fromisoformat(stored), event.club.zone)


def _names_of(acts: Sequence[Act]) -> _Names:
    """Return the names that stored acts need, in a constant number of queries."""
    stored = [values for act in acts for values in _stored(act.undoes or act)]
    moved = {one for values in stored for one in values.get("table", ())}
    entries = event_rows.with_players(Entry.objects.filter(pk__in=moved)) if moved else ()
    people = {one for values in stored for one in values.get("players", ())}
    return _Names(
        _sides_of([act.pairing_id for act in acts if act.pairing_id]),
        {entry.pk: team_of(entry).name for entry in entries},
        dict(Player.objects.filter(pk__in=people).values_list("pk", "name")),
    )


def _stored(act: Act) -> tuple[dict[str, Any], dict[str, Any]]:
    return act.before, act.after


def _sides_of(pairings: Iterable[int]) -> dict[int, str]:
    """Return the names of both sides of some matches, by match, as they were drawn then."""
    rows = list(
        Pairing.objects.filter(pk__in=set(pairings))
        .select_related("round__event")
        .prefetch_related(Prefetch("entries", PairingEntry.objects.order_by("side", "position")))
    )
    if not rows:
        return {}
    event = rows[0].round.event
    teams, past = teams_drawn(event), past_seats(event)
    sides = {}
    for row in rows:
        there = teams_at(row, teams, past)
        both = (together(there[one] for one in row.entries_of_side(side)) for side in (0, 1))
        sides[row.pk] = " – ".join(team.name for team in both)
    return sides
