"""Starting an event by hand, making its results final, and cancelling it."""

from __future__ import annotations

from datetime import datetime

from django import forms
from django.db.models import Q

from games.models import Player
from games.seats import reserved
from tournaments.acts.base import Button
from tournaments.changes import row_locks
from tournaments.events import acts, ending, repeating, states
from tournaments.events.notices import note
from tournaments.events.states import Who
from tournaments.models import Act, Event, Pairing
from tournaments.outbox import letters
from tournaments.ratings import rating_games
from tournaments.refusals import RefusedError
from tournaments.results import matches, place_owners
from tournaments.running import before_start, finishing, steps
from tournaments.standings import conflicts_of_interest
from tournaments.webhooks import webhooks


class CancelForm(forms.Form):
    reason = forms.CharField(
        label="Reason",
        max_length=200,
        help_text="Sent to everybody who has entered. At most 200 characters.",
    )


def start_now(event: Event, by: Player, now: datetime) -> None:
    """Start an event early, with the entries that would play if its time had come."""
    with row_locks.changing(event) as locked:
        note(locked, "Started by hand.", by)
        acts.record(locked, Act.Kind.START, by, now)
        before_start.complete_field(locked, now)
        steps.start(locked, now, Who.DIRECTOR)
        repeating.make_next(locked, now)


def final_now(event: Event, by: Player, now: datetime) -> None:
    """Make the results of a fully played event final without waiting longer."""
    with row_locks.changing(event) as locked:
        if locked.final_at is None or locked.state != Event.State.RUNNING:
            raise RefusedError(
                "not played", "Results can become final only when everything has been played."
            )
        conflicts_of_interest.check_end(locked, by)
        _check_grace(locked, now)
        note(locked, "Results are final.", by)
        acts.record(locked, Act.Kind.FINAL, by, now)
        locked.paused = None
        locked.save(update_fields=["paused"])
        finishing.finish(locked, now)


def cancel(event: Event, by: Player, reason: str, now: datetime) -> None:
    """Cancel an event, even while it is running, and write to everybody in it.

    A weekly event still makes its next one. Finished games are rated. `reason` has at most 200
    characters.
    """
    reason = reason.strip()
    if not 1 <= len(reason) <= 200:
        raise RefusedError("reason", "Give a reason of 1 to 200 characters.", 422)
    with row_locks.changing(event) as locked:
        conflicts_of_interest.check_time(locked, by)
        conflicts_of_interest.check_end(locked, by)
        if locked.final_at is not None:
            _check_grace(locked, now)
        states.move(locked, Event.State.CANCELLED, Who.DIRECTOR)
        repeating.make_next(locked, now)
        undecided = Pairing.objects.filter(round__event=locked, table__isnull=False)
        for pairing in undecided.exclude(state=Pairing.State.DECIDED).select_related("table"):
            reserved.end(pairing.table_id or 0, now)
            pairing.deal_results = matches.deal_results(pairing)
            pairing.save(update_fields=["deal_results"])
        locked.ended, locked.due, locked.paused, locked.final_at = now, None, None, None
        locked.save(update_fields=["ended", "due", "paused", "final_at"])
        rating_games.queue_rating(locked)
        note(locked, f"Cancelled: {reason}", by, public=True)
        acts.record(locked, Act.Kind.CANCEL, by, now, reason=reason)
        owners = place_owners.owner_ids(locked)
        players = Player.objects.filter(
            Q(entries__event=locked, entries__active=True) | Q(pk__in=owners), user__isnull=False
        )
        letters.write(
            f"event {locked.pk} cancelled",
            players.distinct(),
            f"{locked.name} is cancelled",
            "event_cancelled",
            event=locked,
            reason=reason,
        )
        webhooks.event_cancelled(locked, reason, now)


def _check_grace(event: Event, now: datetime) -> None:
    """Refuse to shorten the promised time for objections in a rated event."""
    why = ending.too_early(event, now)
    if why:
        raise RefusedError("too early", why)


class Start(Button):
    kind, words = Act.Kind.START, "Started the event"
    address, url_name = "start", "start_event"
    done = "The event has started."
    undoable = False
    verb = staticmethod(start_now)


class MakeFinal(Button):
    kind, words = Act.Kind.FINAL, "Made the results final"
    address, url_name = "final-now", "final_now"
    done = "The results are final."
    undoable = False
    verb = staticmethod(final_now)


class Cancel(Button):
    kind, words = Act.Kind.CANCEL, "Cancelled the event"
    address, url_name = "cancel", "cancel_event"
    form = CancelForm
    done = "The event is cancelled; everybody gets an e-mail."
    undoable = False
    verb = staticmethod(cancel)
