"""Undoing acts of directors, until something depends on them.

What depends is named in the refusal: a round drawn since, a later act on the same match or player,
a table that has ended. An act that is undone stays in the log, with the undo after it.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.urls import reverse

from games.models import Player
from games.refusals import Remedy
from tournaments.acts.registry import ACTS, act_of
from tournaments.changes import row_locks
from tournaments.events import acts
from tournaments.events.notices import note
from tournaments.models import Act, Event
from tournaments.refusals import RefusedError


def can_ever(act: Act) -> bool:
    """Return whether acts of this kind can be undone at all, and this one has not been."""
    return act_of(act).undoable and not hasattr(act, "undone_by")


def refusals(event: Event, rows: Iterable[Act], by: Player, now: datetime) -> dict[int, str]:
    """Return why acts cannot be undone now, by key.

    Each that changes only this event is undone, and that is rolled back.
    """
    why: dict[int, str] = {}
    with row_locks.locked(event):
        for act in filter(can_ever, rows):
            act.event = event
            try:
                if not act_of(act).tried:
                    act_of(act).check_undo(event, act, by)
                    continue
                with transaction.atomic():
                    undo(act, by, now)
                    transaction.set_rollback(True)
            except RefusedError as error:
                why[act.pk] = error.message
        transaction.set_rollback(True)
    return why


def undo(act: Act, by: Player, now: datetime) -> None:
    """Undo an act: everything it changed is as before.

    Raises RefusedError ``depends`` if something depends on it, or another code if `by` may not do
    it or it cannot be undone at all.
    """
    with act_of(act).holding(act), row_locks.changing(act.event) as event:
        rows = event.acts.select_related("round", "pairing__round", "entry", "undone_by__by")
        row = rows.get(pk=act.pk)
        kind = act_of(row)
        if hasattr(row, "undone_by"):
            raise RefusedError("undone", f"{row.undone_by.by.name} has undone this already.")
        if not kind.undoable:
            raise RefusedError("final", f"“{kind.words}” cannot be undone.")
        if kind.needs_match and row.pairing is None:
            raise RefusedError("depends", "The round has been taken back, or drawn again.")
        _check_latest(event, row)
        kind.undo(event, row, by, now)
        row = rows.get(pk=act.pk)  # its round or entry may be gone
        acts.record(
            event,
            Act.Kind.UNDO,
            by,
            now,
            on=row.entry or row.pairing or row.round,
            match=row.pairing,
            undoes=row,
            before=row.after,
            after=row.before,
        )
        note(event, f"Undone: {kind.words}.", by)


def _check_latest(event: Event, row: Act) -> None:
    """Refuse while a later act that depends on this one is not undone."""
    independent = [key for key, act in ACTS.items() if act.independent]
    rows = event.acts.filter(act_of(row).dependents(row), pk__gt=row.pk, undone_by=None)
    later = rows.exclude(kind__in=independent).order_by("-pk").first()
    if later is not None:
        path = reverse("undo_act", args=[event.pk, later.pk])
        raise RefusedError(
            "depends",
            f"A later act depends on it: “{act_of(later).words}” by {later.by.name}. Undo"
            " that first.",
            remedy=Remedy("Undo the later act", path),
        )
