"""Withdrawing an entry, before the start or after it, and putting it back."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from games.models import Player
from games.seats import reserved
from tournaments.acts.base import EntryAct, entry_of, match_of
from tournaments.acts.page import ActPage, RemarkForm
from tournaments.attendance import substitutes
from tournaments.changes import row_locks
from tournaments.changes.row_locks import changed
from tournaments.entering import conditions, leaving_running_event, places_and_waiting_list
from tournaments.events import acts
from tournaments.events.notices import note
from tournaments.events.states import UPCOMING
from tournaments.events.timetable import start_in_words
from tournaments.models import Act, Entry, Event, Pairing, PairingEntry
from tournaments.models.entries import COMPLETE, PLACED
from tournaments.outbox import letters
from tournaments.refusals import RefusedError
from tournaments.standings import conflicts_of_interest

Kind = Act.Kind


def withdraw(entry: Entry, by: Player, now: datetime, *, reason: str = "") -> None:
    """Withdraw an entry before the start, and write to its players with the reason.

    Its place goes to the first on the waiting list.
    """
    with row_locks.locked(entry.event) as event:
        mine = upcoming_entry(event, entry)
        if mine.state not in (*COMPLETE, Entry.State.SEEKING, Entry.State.INVITING):
            raise RefusedError("out", f"{mine.name}: {mine.get_state_display().lower()} already.")
        placed = mine.state in PLACED
        before = {"state": mine.state, "here": mine.here}
        mine.state, mine.invited = Entry.State.WITHDRAWN, None
        mine.save(update_fields=["state", "invited"])
        mine.players.update(active=False)
        note(event, f"{mine.name}: taken out before the start.", by)
        after = {"state": mine.state}
        acts.record(
            event, Act.Kind.WITHDRAW, by, now, on=mine, reason=reason, before=before, after=after
        )
        if placed:
            places_and_waiting_list.promote(event, now)
        full = places_and_waiting_list.full_now(event)
        letters.write(
            f"event {event.pk} taken out {mine.pk} {now:%Y%m%d%H%M%S}",
            places_and_waiting_list.players_of(mine),
            f"You are no longer in {event.name}",
            "taken_out",
            event=event,
            by=by,
            reason=reason,
            suggestion=conditions.suggested(event, "", now, full=full, here=False),
        )
        changed(event)


def reinstate(entry: Entry, by: Player, now: datetime, *, reason: str = "") -> None:
    """Restore an entry that was withdrawn before the start, and write to its players.

    It gets a place if one is free and nobody waits; otherwise it is on the waiting list by its time
    of arrival.
    """
    with row_locks.locked(entry.event) as event:
        mine = upcoming_entry(event, entry)
        if mine.state != Entry.State.WITHDRAWN:
            state = mine.get_state_display().lower()
            raise RefusedError("in", f"{mine.name} cannot be put back; the entry is {state}.")
        players = [line.player_id for line in mine.players.all()]
        entered = event.entered_players.filter(active=True, player__in=players)
        if entered.exists():
            who = entered.select_related("player")[0].player.name
            raise RefusedError("entered", f"{who} has entered again in the meantime.")
        if len(players) != event.team_size or mine.arrival is None:
            raise RefusedError("incomplete", f"{mine.name}: incomplete; they enter again.")
        full = places_and_waiting_list.full_now(event)
        before = {"state": mine.state}
        mine.state = Entry.State.WAITING if full else Entry.State.ENTERED
        mine.here = False
        mine.save(update_fields=["state", "here"])
        mine.players.update(active=True)
        note(event, f"{mine.name}: put back before the start.", by)
        after = {"state": mine.state}
        acts.record(
            event, Act.Kind.PUT_BACK, by, now, on=mine, reason=reason, before=before, after=after
        )
        letters.write(
            f"event {event.pk} put back {mine.pk} {now:%Y%m%d%H%M%S}",
            places_and_waiting_list.players_of(mine),
            f"You are back in {event.name}",
            "put_back",
            event=event,
            by=by,
            waiting=mine.state == Entry.State.WAITING,
            starts=start_in_words(event),
        )
        changed(event)


def upcoming_entry(event: Event, entry: Entry) -> Entry:
    """Return the stored entry of a locked event; refuse if the event has begun."""
    if event.state not in UPCOMING:
        state = event.get_state_display().lower()
        raise RefusedError(
            "begun", f"This is possible only before the start; the event is {state}."
        )
    return event.entries.prefetch_related("players__player").get(pk=entry.pk)


class Withdraw(EntryAct):
    kind, words = Kind.WITHDRAW, "Withdrew"
    address, url_name = "entries/<num:entry_id>/withdraw/", "withdraw_entry"

    def page(self, _request: HttpRequest, event: Event, by: Player, target: Any) -> ActPage:
        entry: Entry = target
        seat = leaving_running_event.open_seat(entry) if event.started else None
        out = leaving_running_event.withdraw if event.started else withdraw
        words: dict[str, Any] = {
            "explains": (
                "The place goes to the first on the waiting list. They get an e-mail, and may enter"
                " again while registration is open."
            ),
            "until": "Can be undone until the event starts, or somebody else has the place.",
        }
        if event.started:
            words = _words_while_running(event, entry, seat)
        return ActPage(
            **words,
            title=f"Withdraw {entry.name}?",
            submit_label=f"Withdraw {entry.name}",
            done=f"{entry.name}: out of the event.",
            verb=lambda reason, now: out(entry, by, now, reason=reason),
            leads_to=_seat_to_fill(event, entry, seat),
            stop=True,
        )

    def undo(self, event: Event, row: Act, by: Player, now: datetime) -> None:
        entry = entry_of(event, row)
        if entry.state != row.after["state"]:
            raise RefusedError("depends", f"{entry.name} is in the event again.")
        conflicts_of_interest.check_return(event, entry, by)
        if "rounds" not in row.before:
            _undo_before_start(event, row, entry, by, now)
            return
        leaving_running_event.check_no_round_since(
            event,
            row.before["rounds"],
            f"without {entry.name}",
            "Put them back for the rounds to come.",
        )
        super().undo(event, row, by, now)
        match = match_of(row) if row.pairing_id else None
        if match and match.state != Pairing.State.DECIDED and match.table_id is not None:
            players = entry.players.values_list("player", flat=True)
            reserved.stand_in_for(match.table_id, list(players), stand_in=False)


class PutBack(EntryAct):
    kind, words = Kind.PUT_BACK, "Put back"
    address, url_name = "entries/<num:entry_id>/put-back/", "put_back_entry"

    def page(self, _request: HttpRequest, event: Event, by: Player, target: Any) -> ActPage:
        entry: Entry = target
        back = leaving_running_event.put_back if event.started else reinstate
        return ActPage(
            title=f"Put {entry.name} back?",
            explains="They play again from the next round that is drawn."
            if event.started
            else (
                "They get a place if one is free and nobody waits; otherwise they are on the"
                " waiting list, by their time of arrival. They get an e-mail."
            ),
            submit_label=f"Put {entry.name} back",
            done=f"{entry.name}: back in the event.",
            until="Can be undone until the next round is drawn."
            if event.started
            else "Can be undone until the event starts.",
            verb=lambda reason, now: back(entry, by, now, reason=reason),
            said=RemarkForm,
        )

    def undo(self, event: Event, row: Act, by: Player, now: datetime) -> None:
        entry = entry_of(event, row)
        if entry.state != row.after["state"]:
            raise RefusedError("depends", f"{entry.name} has left again, or has checked in.")
        if "rounds" not in row.before:
            withdraw(entry, by, now, reason="The director had put you back by mistake.")
            event.acts.filter(kind=Kind.WITHDRAW, entry=entry).latest("pk").delete()
            return
        conflicts_of_interest.check_withdrawal(event, entry, by)
        leaving_running_event.check_no_round_since(
            event, row.before["rounds"], f"with {entry.name}", "Withdraw them instead."
        )
        super().undo(event, row, by, now)


def _words_while_running(event: Event, entry: Entry, seat: PairingEntry | None) -> dict[str, Any]:
    """Return what a withdrawal from a running event means for its match, and what may be meant."""
    now = ""
    if seat is not None and leaving_running_event.goes_on(event, seat):
        now = " A house player plays on for them in this round."
        if seat.pairing.in_room:
            now = (
                f" Table {seat.pairing.number} plays with real cards, so no house player sits in:"
                " its match goes on without them, and the table waits until you let somebody sit"
                " in."
            )
    elif seat is not None:
        number = seat.pairing.number
        now = f" They lose the match at table {number}, which is not finished."
    words: dict[str, Any] = {
        "explains": f"Their finished matches count.{now} You can put them back for a later round.",
        "until": "Can be undone until the next round is drawn.",
    }
    running = event.state == Event.State.RUNNING
    if running and substitutes.can_be_replaced(event, entry):
        words["suggestion"] = (
            "Does somebody else play on? Then put a substitute in instead: results and points stay"
            " with the place in the event."
        )
        words["alternatives"] = tuple(
            (f"Find a substitute for {one.player.name}", _find_for(event, one.pk))
            for one in entry.players.all()
        )
    return words


def _seat_to_fill(event: Event, entry: Entry, seat: PairingEntry | None) -> str:
    """Return the path to who sits in at a match that goes on in the room; else an empty string."""
    if seat is None or not (seat.pairing.in_room and leaving_running_event.goes_on(event, seat)):
        return ""
    return _find_for(event, entry.players.all()[0].pk)


def _find_for(event: Event, seat: int) -> str:
    return f"{reverse('find_people', args=[event.pk])}?seat={seat}"


def _undo_before_start(event: Event, act: Act, entry: Entry, by: Player, now: datetime) -> None:
    reinstate(entry, by, now)
    event.acts.filter(kind=Kind.PUT_BACK, entry=entry).latest("pk").delete()
    entry.refresh_from_db()
    before = act.before["state"]
    if entry.state == Entry.State.WAITING and before != Entry.State.WAITING:
        words = f"The place of {entry.name} has gone to the next on the waiting list."
        raise RefusedError("depends", words)
    entry.state, entry.here = before, act.before["here"]
    entry.save(update_fields=["state", "here"])
