"""What directors did to an event, as its members read it: what, on whom, before and after."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Prefetch, Q, QuerySet

from games.models import Player
from games.models.shared_deals import sealed
from tournaments.acts import undoing
from tournaments.acts.base import Names
from tournaments.acts.registry import act_of
from tournaments.models import Act, Entry, Event, Pairing, PairingEntry
from tournaments.results import event_rows
from tournaments.results.match_lines import (
    past_seats,
    team_of,
    teams_at,
    teams_drawn,
    together,
)


@dataclass(frozen=True, slots=True)
class ActLine:
    """An act in words; `on` is the match, round or entry.

    `before` and `after` are empty where the act has no values to compare. `undone` names who undid
    it, `undoable` says whether that is possible for such an act, `kept` why it is not now.
    `private`: only directors read its reason here.
    """

    row: Act
    what: str
    on: str
    before: str = ""
    after: str = ""
    undone: str = ""
    undoable: bool = False
    kept: str = ""
    private: bool = False


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


def _line(event: Event, row: Act, names: Names) -> ActLine:
    if row.undoes is not None:
        undone = copy(row.undoes)
        undone.round, undone.pairing, undone.entry = row.round, row.pairing, row.entry
        line = _line(event, undone, names)
        what = f"Undid “{line.what}”"
        return replace(line, row=row, what=what, before=line.after, after=line.before)
    act = act_of(row)
    before, after = (act.value(event, values, names) for values in (row.before, row.after))
    title, subject = act.title(row), act.subject(row, names)
    return ActLine(row, title, subject, before, after, private=act.private)


def _names_of(acts: Sequence[Act]) -> Names:
    """Return the names that stored acts need, in a constant number of queries."""
    rows = [act.undoes or act for act in acts]
    stored = [values for row in rows for values in (row.before, row.after)]
    moved = {one for values in stored for one in values.get("table", ())}
    entries = event_rows.with_players(Entry.objects.filter(pk__in=moved)) if moved else ()
    people = {one for values in stored for one in values.get("players", ())}
    return Names(
        _sides_of([act.pairing_id for act in acts if act.pairing_id]),
        {entry.pk: team_of(entry).name for entry in entries},
        dict(Player.objects.filter(pk__in=people).values_list("pk", "name")),
    )


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
