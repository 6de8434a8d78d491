"""Undoing acts of directors, until something depends on them.

What depends is named in the refusal: a round drawn since, a later act on the same match or player,
a table that has ended. An act that is undone stays in the log, with the undo after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Final

from django.db import transaction
from django.db.models import Q
from django.urls import reverse

from games.models import Player
from games.notifying import pushes
from games.refusals import Remedy
from games.seats import reserved
from tournaments.attendance import claiming, newcomers, substitutes
from tournaments.changes import row_locks
from tournaments.directing import (
    correcting,
    directing,
    drawing_again,
    penalties,
    playing_again,
    seating_by_hand,
    table_time,
)
from tournaments.events import acts
from tournaments.events.notices import note
from tournaments.events.states import UPCOMING
from tournaments.models import Act, Entry, Event, Notice, Pairing
from tournaments.outbox import letters
from tournaments.refusals import RefusedError
from tournaments.running import reopening, undrawing
from tournaments.standings import conflicts_of_interest

Kind = Act.Kind
_Undo = Callable[[Event, Act, Player, datetime], None]


def can_ever(act: Act) -> bool:
    """Return whether acts of this kind can be undone at all, and this one has not been."""
    return act.kind in _UNDO and not hasattr(act, "undone_by")


def refusals(event: Event, rows: Iterable[Act], by: Player, now: datetime) -> dict[int, str]:
    """Return why acts cannot be undone now, by key: each is undone, and that is rolled back."""
    why: dict[int, str] = {}
    with row_locks.locked(event):
        for act in filter(can_ever, rows):
            act.event = event
            try:
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
    with row_locks.changing(act.event) as event:
        rows = event.acts.select_related("round", "pairing__round", "entry", "undone_by__by")
        row = rows.get(pk=act.pk)
        what = row.get_kind_display()
        if hasattr(row, "undone_by"):
            raise RefusedError("undone", f"{row.undone_by.by.name} has undone this already.")
        if row.kind not in _UNDO:
            raise RefusedError("final", f"“{what}” cannot be undone.")
        if row.kind in _OF_MATCHES and row.pairing is None:
            raise RefusedError("depends", "The round has been taken back, or drawn again.")
        if row.kind != Kind.CLAIM:  # nothing that follows depends on whose the results are
            _check_latest(event, row)
        _UNDO[Kind(row.kind)](event, row, by, now)
        row = rows.get(pk=act.pk)  # its round or entry may be gone
        acts.record(
            event,
            Kind.UNDO,
            by,
            now,
            on=row.entry or row.pairing or row.round,
            match=row.pairing,
            undoes=row,
            before=row.after,
            after=row.before,
        )
        note(event, f"Undone: {what}.", by)


def _check_latest(event: Event, act: Act) -> None:
    """Refuse while a later act on the same match, entry or end of a round is not undone."""
    same = Q(pk=None)
    if act.pairing_id:
        same |= Q(pairing=act.pairing_id)
    if act.entry_id:
        same |= Q(entry=act.entry_id)
    if act.kind in (Kind.LATE, Kind.SUBSTITUTE):
        same |= Q(kind__in=(Kind.TAKE_BACK, Kind.REDRAW))
    if act.kind in _TIMES:
        same |= Q(round=act.round_id, kind__in=_TIMES)
    rows = event.acts.filter(same, pk__gt=act.pk, undone_by=None).exclude(kind__in=_ASIDE)
    later = rows.order_by("-pk").first()
    if later is not None:
        path = reverse("undo_act", args=[event.pk, later.pk])
        raise RefusedError(
            "depends",
            f"A later act depends on it: “{later.get_kind_display()}” by {later.by.name}. Undo"
            " that first.",
            remedy=Remedy("Undo the later act", path),
        )


def _result(event: Event, act: Act, by: Player, now: datetime) -> None:
    if act.before["how"]:
        correcting.take_back(event, act, by, now)
        return
    match = _match(act)
    conflicts_of_interest.check_result(event, match, by)
    reopening.reopen(event, match, now, anew=False)
    undrawing.restore_absences(act.kept)


def _match(act: Act) -> Pairing:
    return Pairing.objects.select_related("round", "table").get(acts=act)


def _withdrawal(event: Event, act: Act, by: Player, now: datetime) -> None:
    entry = _entry(event, act)
    if entry.state != act.after["state"]:
        raise RefusedError("depends", f"{entry.name} is in the event again.")
    conflicts_of_interest.check_return(event, entry, by)
    if "rounds" not in act.before:
        _withdrawal_before_start(event, act, entry, by, now)
        return
    _check_rounds(event, act, f"without {entry.name}", "Put them back for the rounds to come.")
    _restore(entry, act)
    if act.pairing_id is None:
        return
    match = _match(act)
    if match.state == Pairing.State.DECIDED and match.decided == act.at:
        reopening.reopen(event, match, now, anew=False)
        undrawing.restore_absences(act.before)
    elif match.state != Pairing.State.DECIDED and match.table_id is not None:
        players = entry.players.values_list("player", flat=True)
        reserved.stand_in_for(match.table_id, list(players), stand_in=False)


def _withdrawal_before_start(
    event: Event, act: Act, entry: Entry, by: Player, now: datetime
) -> None:
    directing.reinstate(entry, by, now)
    event.acts.filter(kind=Kind.PUT_BACK, entry=entry).latest("pk").delete()
    entry.refresh_from_db()
    before = act.before["state"]
    if entry.state == Entry.State.WAITING and before != Entry.State.WAITING:
        words = f"The place of {entry.name} has gone to the next on the waiting list."
        raise RefusedError("depends", words)
    entry.state, entry.here = before, act.before["here"]
    entry.save(update_fields=["state", "here"])


def _return(event: Event, act: Act, by: Player, now: datetime) -> None:
    entry = _entry(event, act)
    if entry.state != act.after["state"]:
        raise RefusedError("depends", f"{entry.name} has left again, or has checked in.")
    if "rounds" not in act.before:
        directing.withdraw(entry, by, now, reason="The director had put you back by mistake.")
        event.acts.filter(kind=Kind.WITHDRAW, entry=entry).latest("pk").delete()
        return
    conflicts_of_interest.check_withdrawal(event, entry, by)
    _check_rounds(event, act, f"with {entry.name}", "Withdraw them instead.")
    _restore(entry, act)


def _entry(event: Event, act: Act) -> Entry:
    return event.entries.prefetch_related("players__player").get(acts=act)


def _check_rounds(event: Event, act: Act, how: str, instead: str) -> None:
    """Refuse if a round has been drawn since, or the event is over."""
    if event.state != Event.State.RUNNING:
        raise RefusedError("depends", "The event is over.")
    since = event.played_rounds.filter(number__gt=act.before["rounds"]).order_by("number").first()
    if since is not None:
        raise RefusedError("depends", f"Round {since.number} was drawn {how}. {instead}")


def _restore(entry: Entry, act: Act) -> None:
    entry.state = act.before["state"]
    entry.missed, entry.warned = act.before["missed"], act.before["warned"]
    entry.save(update_fields=["state", "missed", "warned"])


def _check_in(event: Event, act: Act, _by: Player, _now: datetime) -> None:
    entry = _entry(event, act)
    if event.state not in UPCOMING:
        raise RefusedError("depends", f"The event has started with {entry.name}.")
    if [entry.state, entry.here] != [act.after["state"], act.after["here"]]:
        raise RefusedError("depends", f"{entry.name} has left, or got a place, since.")
    entry.state, entry.here = act.before["state"], act.before["here"]
    entry.save(update_fields=["state", "here"])


def _time(event: Event, act: Act, by: Player, now: datetime) -> None:
    round_ = act.round
    if round_ is None or round_.over is not None:
        raise RefusedError("depends", "The round is over.")
    conflicts_of_interest.check_time(event, by)
    since = round_.pairings.filter(how=Pairing.How.TIME, decided__gte=act.at)
    tables = list(since.order_by("number").values_list("number", flat=True))
    if tables:
        words = f"Time has ended table {', '.join(map(str, tables))}."
        raise RefusedError("depends", words)
    before, after = (
        datetime.fromisoformat(ends) if ends else None
        for ends in (act.before["ends"], act.after["ends"])
    )
    if before is None or after is None or round_.ends is None:
        round_.ends = before
    else:  # a pause since then has moved it
        at = event.paused or now
        round_.ends = max(round_.ends - (after - before), at)
    round_.save(update_fields=["ends"])
    round_.pairings.update(time_up="")
    event.due = now
    event.save(update_fields=["due"])


def _house(event: Event, act: Act, _by: Player, _now: datetime) -> None:
    if event.state not in UPCOMING:
        raise RefusedError("depends", "The event has started with them.")
    event.entries.filter(pk__in=act.after["entries"]).delete()


def _message(_event: Event, act: Act, _by: Player, _now: datetime) -> None:
    Notice.objects.filter(pk=act.after["notice"]).update(public=False)
    for outgoing in (letters, pushes):
        outgoing.delete_unsent(acts.message_key(act.after["notice"]))


#: Acts that can be undone only while their match is there.
_OF_MATCHES: Final = (Kind.RESULT, Kind.REOPEN, Kind.PENALTY, Kind.MORE_TIME, Kind.MOVE)
_TIMES: Final = (Kind.TIME, Kind.TIME_UP)
#: Acts that change nothing of what others have changed.
_ASIDE: Final = (Kind.UNDO, Kind.CODE, Kind.NAME)
_UNDO: Final[Mapping[str, _Undo]] = {
    Kind.RESULT: _result,
    Kind.REOPEN: playing_again.take_back,
    Kind.PENALTY: penalties.take_back,
    Kind.SEATS: seating_by_hand.take_back,
    Kind.TAKE_BACK: drawing_again.put_back,
    Kind.REDRAW: drawing_again.put_back,
    Kind.WITHDRAW: _withdrawal,
    Kind.PUT_BACK: _return,
    Kind.CHECK_IN: _check_in,
    Kind.ENTER: newcomers.undo,
    Kind.LATE: newcomers.undo_late,
    Kind.SUBSTITUTE: substitutes.undo,
    Kind.CLAIM: claiming.undo,
    Kind.MOVE: directing.move_back,
    Kind.TIME: _time,
    Kind.MORE_TIME: table_time.take_back,
    Kind.TIME_UP: _time,
    Kind.HOUSE: _house,
    Kind.MESSAGE: _message,
}
