"""What directors did to an event, as its members read it: what, on whom, before and after."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from games.models.shared_deals import sealed
from tournaments.events import event_words
from tournaments.models import Act, Entry, Event, PairingEntry
from tournaments.results import corrections
from tournaments.results.match_lines import team_of, together

Kind = Act.Kind


@dataclass(frozen=True, slots=True)
class ActLine:
    """An act in words; `on` is the match, round or entry.

    `before` and `after` are empty where the act has no values to compare.
    """

    row: Act
    what: str
    on: str
    before: str = ""
    after: str = ""


def rows_of(event: Event) -> QuerySet[Act]:
    """Return an event's acts, the latest first, without results that are still sealed."""
    return event.acts.filter(Q(pairing=None) | ~sealed("pairing__table"))


def lines_of(event: Event, rows: Iterable[Act]) -> list[ActLine]:
    """Return acts as they are listed, in a constant number of queries."""
    acts = list(
        Act.objects.filter(pk__in=[row.pk for row in rows])
        .select_related("by", "round", "pairing", "entry")
        .prefetch_related("entry__players__player")
    )
    sides = _sides_of([act.pairing_id for act in acts if act.pairing_id])
    return [_line(event, act, sides) for act in acts]


def _line(event: Event, act: Act, sides: dict[int, str]) -> ActLine:
    what, on = act.get_kind_display(), ""
    before, after = act.before, act.after
    if act.pairing is not None and act.round is not None:
        on = f"round {act.round.number}, table {act.pairing.number}: {sides[act.pairing.pk]}"
    elif act.round is not None:
        on = f"round {act.round.number}"
    elif act.entry is not None:
        on = team_of(act.entry).name
    if act.kind == Kind.RESULT:
        if before.get("how"):
            return ActLine(
                act,
                "Corrected a result",
                on,
                corrections.in_words(before),
                corrections.in_words(after),
            )
        return ActLine(act, what, on, "none", corrections.in_words(after))
    if act.kind in (Kind.TIME, Kind.TIME_UP):
        return ActLine(act, what, on, _time(event, before["ends"]), _time(event, after["ends"]))
    if act.kind == Kind.HOUSE:
        return ActLine(act, what, event_words.plural(len(after["entries"]), "place"))
    if "state" in after:
        states = (Entry.State(values["state"]).label for values in (before, after))
        return ActLine(act, what, on, *states)
    return ActLine(act, what, on)


def _time(event: Event, stored: str | None) -> str:
    """Return a stored time as on the club's clock; without one, there is no limit."""
    if stored is None:
        return "no limit"
    return f"{datetime.fromisoformat(stored).astimezone(event.club.zone):%H:%M}"


def _sides_of(pairings: Iterable[int]) -> dict[int, str]:
    """Return the names of both sides of some matches, by match."""
    lines = PairingEntry.objects.filter(pairing__in=set(pairings))
    lines = lines.select_related("entry").prefetch_related("entry__players__player")
    drawn: dict[int, tuple[list[Entry], list[Entry]]] = {}
    for line in lines.order_by("side", "position"):
        drawn.setdefault(line.pairing_id, ([], []))[line.side].append(line.entry)
    return {
        pairing: " – ".join(together(team_of(one) for one in side).name for side in both)
        for pairing, both in drawn.items()
    }
