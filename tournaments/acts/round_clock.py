"""The clock of a running event: pausing it, the end of a round, and the end of a break."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.db.models import Q

from games.form_fields import WholeNumber
from games.models import Player
from tournaments.acts.base import Button, Names
from tournaments.changes import row_images, row_locks
from tournaments.entering.leaving_running_event import must_go_on, must_run
from tournaments.events import acts, timetable
from tournaments.events.acts import moment
from tournaments.events.notices import note
from tournaments.events.timetable import MAX_PAUSE, pause_ends
from tournaments.models import Act, Event, Pairing, Round
from tournaments.refusals import RefusedError
from tournaments.standings import conflicts_of_interest
from tournaments.times import clock_time

Kind = Act.Kind
#: The most minutes by which the end of a round can be moved at once.
MAX_MINUTES = 120


class MinutesForm(forms.Form):
    minutes = WholeNumber(least=-MAX_MINUTES, most=MAX_MINUTES)
    ends = forms.DateTimeField(
        label="End of the round",
        required=False,
        error_messages={"invalid": "Give a date and a time in ISO 8601."},
    )


def pause(event: Event, by: Player, now: datetime) -> None:
    """Pause the event: no round begins and no time runs out; games go on.

    After `MAX_PAUSE` in total it resumes by itself.
    """
    with row_locks.changing(event) as locked:
        if locked.state != Event.State.RUNNING or locked.paused is not None:
            raise RefusedError("not running", "Only a running event can be paused, and only once.")
        conflicts_of_interest.check_time(locked, by)
        if locked.paused_for >= MAX_PAUSE:
            words = f"It has been paused for {MAX_PAUSE.days} days: let it play, or cancel it."
            raise RefusedError("paused enough", words)
        locked.paused = now
        locked.due = pause_ends(locked)
        locked.save(update_fields=["paused", "due"])
        note(locked, "Paused.", by)
        acts.record(locked, Act.Kind.PAUSE, by, now)


def resume(event: Event, by: Player, now: datetime) -> None:
    """Resume the event; all its times are postponed by the length of the pause."""
    with row_locks.changing(event) as locked:
        if locked.paused is None:
            raise RefusedError("not paused", "The event is not paused.")
        pause = timetable.resume(locked, now)
        note(locked, f"Resumed after {round(pause.total_seconds() / 60)} minutes.", by)
        acts.record(locked, Act.Kind.RESUME, by, now)


def extend_round(
    event: Event, by: Player, minutes: int, now: datetime, *, ends: datetime | None = None
) -> None:
    """Move the end of the round being played by minutes, 1 to 120 later or earlier.

    A round without a limit gets one. ends: the end on the page that was pressed; if the round has
    another by now, nothing is moved, so that a second press gives no time twice.
    """
    if not 1 <= abs(minutes) <= MAX_MINUTES:
        raise RefusedError("minutes", f"From 1 to {MAX_MINUTES} minutes, not {minutes}.", 422)
    with row_images.changing(event) as locked:
        round_ = being_played(locked)
        conflicts_of_interest.check_time(locked, by)
        if ends is not None and round_.ends != ends:
            words = "The end of the round has been moved meanwhile. Nothing was added: look again."
            raise RefusedError("changed", words)
        at = locked.paused or now
        before = {"ends": moment(round_.ends)}
        round_.ends = max((round_.ends or at) + timedelta(minutes=minutes), at)
        round_.save(update_fields=["ends"])
        round_.pairings.update(time_up="")
        locked.due = now
        locked.save(update_fields=["due"])
        note(locked, f"Round {round_.number}: {minutes:+d} minutes.", by)
        after = {"ends": moment(round_.ends)}
        acts.record(locked, Act.Kind.TIME, by, now, on=round_, before=before, after=after)


def end_round_now(event: Event, by: Player, now: datetime) -> None:
    """End the round's time now: its matches end by the event's rule."""
    with row_images.changing(event) as locked:
        round_ = being_played(locked)
        conflicts_of_interest.check_time(locked, by)
        before = {"ends": moment(round_.ends)}
        round_.ends = locked.paused or now
        round_.save(update_fields=["ends"])
        locked.due = now
        locked.save(update_fields=["due"])
        note(locked, f"Round {round_.number}: time is up.", by)
        after = {"ends": moment(round_.ends)}
        acts.record(locked, Act.Kind.TIME_UP, by, now, on=round_, before=before, after=after)


def next_round_now(event: Event, by: Player, now: datetime) -> None:
    """Draw the next round without waiting for the end of the break."""
    with row_locks.changing(event) as locked:
        round_ = _latest_round(locked)
        if round_.over is None:
            raise RefusedError("round open", f"Round {round_.number} is still being played.")
        must_go_on(locked)
        at = locked.paused or now
        round_.over = min(round_.over, at - timedelta(seconds=locked.break_seconds))
        round_.save(update_fields=["over"])
        locked.due = now
        locked.save(update_fields=["due"])
        note(locked, "The break is over.", by)
        acts.record(locked, Act.Kind.NEXT_ROUND, by, now, on=round_)


def being_played(event: Event) -> Round:
    round_ = _latest_round(event)
    if round_.over is not None:
        raise RefusedError("round over", f"Round {round_.number} is over already.")
    return round_


def _latest_round(event: Event) -> Round:
    must_run(event)
    latest = event.played_rounds.order_by("-number").first()
    if latest is None:
        raise RefusedError("no round", "No round has been drawn yet.")
    return latest


class Pause(Button):
    kind, words = Kind.PAUSE, "Paused the event"
    address, url_name = "pause", "pause_event"
    done = "The event is paused; games go on."
    undoable = False
    changes_draw = False
    verb = staticmethod(pause)


class Resume(Button):
    kind, words = Kind.RESUME, "Resumed the event"
    address, url_name = "resume", "resume_event"
    done = "The event goes on."
    undoable = False
    changes_draw = False
    verb = staticmethod(resume)


class NextRound(Button):
    kind, words = Kind.NEXT_ROUND, "Ended the break"
    address, url_name = "next-round", "next_round"
    done = "The next round is being drawn."
    undoable = False
    changes_draw = False
    verb = staticmethod(next_round_now)


class _EndOfRound(Button):
    def value(self, event: Event, values: dict[str, Any], _names: Names) -> str:
        if values["ends"] is None:
            return "no limit"
        return clock_time(datetime.fromisoformat(values["ends"]), event.club.zone)

    def dependents(self, row: Act) -> Q:
        return Q(round=row.round_id, kind__in=(Kind.TIME, Kind.TIME_UP))

    def undo(self, event: Event, row: Act, by: Player, now: datetime) -> None:
        """Give the round the end that it had, moved by pauses since, and not before now."""
        round_ = row.round
        if round_ is None or round_.over is not None:
            raise RefusedError("depends", "The round is over.")
        conflicts_of_interest.check_time(event, by)
        since = round_.pairings.filter(how=Pairing.How.TIME, decided__gte=row.at)
        tables = list(since.order_by("number").values_list("number", flat=True))
        if tables:
            words = f"Time has ended table {', '.join(map(str, tables))}."
            raise RefusedError("depends", words)
        super().undo(event, row, by, now)
        round_.pairings.update(time_up="")
        round_.refresh_from_db()
        if round_.ends is not None:
            round_.ends = max(round_.ends, event.paused or now)
            round_.save(update_fields=["ends"])


class ExtendRound(_EndOfRound):
    kind, words = Kind.TIME, "Moved the end of the round"
    address, url_name = "extend", "extend_round"
    form = MinutesForm
    done = "The end of the round has been moved."
    verb = staticmethod(extend_round)


class EndRound(_EndOfRound):
    kind, words = Kind.TIME_UP, "Ended the round’s time"
    address, url_name = "end-round", "end_round"
    done = "Time is up: the tables finish as the event’s rule says."
    verb = staticmethod(end_round_now)
