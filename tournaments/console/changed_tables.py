"""Which tables of a round have changed since an open console was sent their rows.

Matches and people are not read for it, only the plain values that the rows are made of.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Max, Q, Sum

from games.seats import reserved
from tournaments.models import Event, Pairing, Round, ScoreLine, Substitution
from tournaments.running.round_tables import no_show_at


class Table(NamedTuple):
    """A table; `seated` changes with who sits there, `state` with how far it is.

    `wants`: it may want the director.
    """

    seated: str
    state: str
    decided: bool
    wants: bool

    def stamp_of(self, *, opened: bool) -> str:
        """Return what changes with its whole row: who sits there; of an open one also its state."""
        return f"{self.seated}{self.state}" if opened else self.seated

    def differs(self, number: int, known: Mapping[str, str], *, opened: bool) -> bool:
        """Return whether an open page that has these stamps has another row."""
        row, at = known.get(f"table-{number}"), known.get(f"at-{number}")
        return row != self.stamp_of(opened=opened) or at != self.state


def tables_of(event: Event, shown: Round, now: datetime) -> dict[int, Table]:
    """Return the tables of a round by number, in a constant number of queries."""
    rows = Pairing.objects.filter(round=shown).order_by("number")
    spoken = Q(score_lines__kind__in=(ScoreLine.Kind.SIGN, ScoreLine.Kind.DISPUTE))
    written = rows.annotate(last=Max("score_lines"), spoken=Max("score_lines", filter=spoken))
    lines = {row[0]: row for row in written.values_list("number", "last", "spoken")}
    sums = [
        Sum(f"table__games__{name}") for name in ("number", "deal_number", "score_0", "score_1")
    ]
    games = rows.filter(table__isnull=False).values_list("number", "table__state")
    playing = {row[0]: row for row in games.annotate(*sums, Max("table__games__ended"))}
    people: dict[int, list[Any]] = defaultdict(list)
    seats = rows.order_by("entries__side", "entries__position", "entries__entry__players__position")
    for number, *person in seats.values_list(
        "number", "entries__side", "entries__entry__state", "entries__entry__players__player__name"
    ):
        people[number].append(person)
    matches = list(
        rows.values_list(
            "number", "pk", "state", "how", "winner", "points_0", "points_1", "games_0", "games_1",
            "handicap_0", "handicap_1", "in_room", "more_minutes", "scores", "table",
        )
    )  # fmt: skip
    called = [row[-1] for row in matches if row[2] == Pairing.State.CALLED and row[-1]]
    awaited = reserved.awaited(called) if event.state == Event.State.RUNNING else {}
    late = now >= no_show_at(event, shown)
    left = Substitution.objects.filter(entry__event=event).aggregate(Max("pk"))
    shared: list[object] = [event.state, event.paused, shown.ends]
    if event.first_stage.duplicate:  # scores are shown once the last table has played the deals
        shared.append([row[2] for row in matches])
    found = {}
    for row in matches:
        number, decided, missing = row[0], row[2] == Pairing.State.DECIDED, awaited.get(row[-1])
        awaits = late and bool(missing)
        seated = digest(event.state, left, row[1], people[number])
        state = digest(shared, row, lines[number], playing.get(number), missing, awaits)
        signed = lines[number][2] is not None and not decided
        found[number] = Table(seated, state, decided, signed or awaits)
    return found


def digest(*values: object) -> str:
    """Return what changes with values: the stamp of a part."""
    return hashlib.sha256(repr(values).encode()).hexdigest()[:8]
