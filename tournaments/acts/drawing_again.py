"""A round that was drawn too soon: taken back, or drawn again from what is known now.

The same entries and results give the same draw, so nobody can draw until they like it: drawing
again is refused where nothing has changed. What stands in the round falls only if the director says
so, and undoing brings it back.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django import forms
from django.http import HttpRequest
from django.urls import reverse

from games.models import Player
from games.refusals import Remedy
from tournaments.acts.base import Names, RoundAct
from tournaments.acts.page import ActPage, choice_in
from tournaments.changes import row_images
from tournaments.entering.leaving_running_event import must_run
from tournaments.events import acts, timetable
from tournaments.events.notices import note
from tournaments.models import Act, Event, FairPlayAct, Pairing, PairingEntry, Round, SitOut
from tournaments.refusals import RefusedError
from tournaments.running import steps, undrawing
from tournaments.standings import conflicts_of_interest
from tournaments.webhooks import webhooks

Kind = Act.Kind


class FallForm(forms.Form):
    """Whether results that stand in a round may be lost."""

    fall = forms.BooleanField(
        error_messages={"required": "Tick that it may be lost, or leave the round as it is."}
    )


def take_back(
    event: Event, by: Player, number: int, *, reason: str, override: bool, now: datetime
) -> None:
    """Take the latest round back: the event is as before its draw, and paused.

    It is drawn when the event goes on. override: whether results that stand may be lost. Raises
    RefusedError if it is not the latest round, or without override while something stands.
    """
    reason = acts.reason(reason)
    with row_images.changing(event) as locked:
        round_ = _latest(locked, by, number)
        fell = _falling(round_, override=override)
        paused = locked.paused is None
        if paused:
            locked.paused = now
            locked.save(update_fields=["paused"])
        undrawing.remove(locked, round_, now)
        locked.due = timetable.pause_ends(locked)
        locked.save(update_fields=["due"])
        note(locked, f"Round {number} was taken back: {reason}", by, public=True)
        acts.record(
            locked, Kind.TAKE_BACK, by, now, reason=reason,
            before={"number": number, "fell": fell, "paused": paused}, after={"number": number},
            kept=_states_of(locked),
        )  # fmt: skip


def draw_again(
    event: Event, by: Player, number: int, *, reason: str, override: bool, now: datetime
) -> None:
    """Draw the latest round again, from the entries and results as they are now.

    Raises RefusedError like `take_back`, and if the draw would be the same.
    """
    reason = acts.reason(reason)
    with row_images.changing(event) as locked:
        round_ = _latest(locked, by, number)
        fell = _falling(round_, override=override)
        states, before = _states_of(locked), _drawn(round_)
        undrawing.remove(locked, round_, now)
        steps.draw_round(locked, locked.paused or now)
        new = locked.played_rounds.filter(number=number).first()
        if new is None:
            raise RefusedError("no round", f"Without it there is no round {number} any more.")
        if _drawn(new) == before:
            raise RefusedError(
                "same",
                f"Nothing that the draw follows from has changed since round {number} was drawn,"
                " so it would be drawn the same. Change the seats by hand, or correct a result or"
                " an entry first.",
            )
        note(locked, f"Round {number} was drawn again: {reason}", by, public=True)
        acts.record(
            locked, Kind.REDRAW, by, now, on=new, reason=reason,
            before={"number": number, "fell": fell}, kept=states,
            after={"number": number},
        )  # fmt: skip


def _states_of(event: Event) -> dict[str, Any]:
    """Return the states of all entries, which an undo finds unchanged."""
    return {"states": [list(one) for one in event.entries.values_list("pk", "state")]}


def can_be_taken_back(event: Event, round_: Round) -> bool:
    """Return whether a round is the latest of a running event that can draw it again."""
    later = event.played_rounds.filter(number__gt=round_.number).exists()
    return event.state == Event.State.RUNNING and not later and not event.first_stage.duplicate


def _latest(event: Event, by: Player, number: int) -> Round:
    must_run(event)
    latest = event.played_rounds.order_by("-number").first()
    if latest is None or number > latest.number:
        raise RefusedError("no round", f"Round {number} has not been drawn.", 404)
    if number < latest.number:
        path = reverse("take_back_round", args=[event.pk, latest.number])
        raise RefusedError(
            "later round",
            f"Round {latest.number} was drawn after round {number}. Take that back first.",
            remedy=Remedy(f"Take back round {latest.number}", path),
        )
    if event.first_stage.duplicate:
        raise RefusedError("duplicate", "All tables of the round share their deals, so it stays.")
    matches = list(latest.pairings.values_list("pk", flat=True))
    aside = FairPlayAct.objects.filter(kind=FairPlayAct.Kind.SET_ASIDE, done__pairing__in=matches)
    if aside.exists():
        raise RefusedError("set aside", "The club has set aside a result of this round.")
    _check_not_playing(event, by, latest)
    return latest


def _check_not_playing(event: Event, by: Player, round_: Round) -> None:
    own = conflicts_of_interest.own_entries(event, by)
    mine = Pairing.objects.filter(round=round_, entries__entry__in=own)
    for match in mine.select_related("round"):
        conflicts_of_interest.check_seats(event, match, by)


def _falling(round_: Round, *, override: bool) -> list[list[object]]:
    stands = undrawing.standing(round_)
    if stands and not override:
        there = tables_of(stands)
        words = f"A score has been entered at {there}. Tick that it may be lost, or leave it."
        raise RefusedError("stands", words)
    return [list(one) for one in stands]


def tables_of(stands: list[undrawing.Standing]) -> str:
    """Return the tables at which something stands: "tables 1, 3 and 4"."""
    *most, last = (str(one.table) for one in stands)
    return f"tables {', '.join(most)} and {last}" if most else f"table {last}"


def _drawn(round_: Round) -> list[Any]:
    lines = PairingEntry.objects.filter(round=round_)
    seats = lines.order_by("pairing__number", "side", "position")
    out = SitOut.objects.filter(round=round_).order_by("entry").values_list("entry", flat=True)
    return [*seats.values_list("pairing__number", "side", "position", "entry"), *out]


class _Drawing(RoundAct, ABC):
    """An act that takes the latest round away, with what was entered in it."""

    verb: Callable[..., None]

    @abstractmethod
    def texts(self, number: int) -> dict[str, Any]:
        """Return what its page says about a round."""

    def page(self, request: HttpRequest, event: Event, by: Player, round_: Any) -> ActPage:
        stands = undrawing.standing(round_)
        form = FallForm(choice_in(request)) if stands else None
        if form is not None:
            label = f"What was entered at {tables_of(stands)} may be lost"
            form.fields["fall"].label = label

        def verb(reason: str, now: datetime) -> None:
            override = form is not None and form.cleaned_data["fall"]
            self.verb(event, by, round_.number, reason=reason, override=override, now=now)

        texts = self.texts(round_.number)
        return ActPage(**texts, verb=verb, choice=form, stop=bool(stands))

    def subject(self, row: Act, _names: Names) -> str:
        return f"round {row.before['number']}"

    def value(self, _event: Event, values: dict[str, Any], _names: Names) -> str:
        """Return what fell with the round, "10–7 at table 1", or that it was drawn."""
        if "fell" not in values:
            return "drawn anew"
        fell = [f"{result} at table {table}" for table, result in values["fell"] if result]
        return ", ".join(fell) or "without results"

    def undo(self, event: Event, row: Act, by: Player, now: datetime) -> None:
        """Put the round back that was there before."""
        must_run(event)
        _check_nothing_since(event, row)
        self.make_room(event, row, by, now)
        entries = event.entries.prefetch_related("players__player")
        were = dict(row.kept.get("states", ()))
        if moved := [one.name for one in entries if were.get(one.pk, one.state) != one.state]:
            words = f"{' and '.join(moved)}: not in the event as they were then."
            raise RefusedError("depends", words)
        super().undo(event, row, by, now)
        round_ = event.played_rounds.get(number=row.before["number"])
        _check_not_playing(event, by, round_)
        if row.before.get("paused") and event.paused is not None:
            timetable.resume(event, now)
        words = f"Round {round_.number} is back as it was drawn first."
        noted = note(event, words, by, public=True)
        webhooks.round_drawn(event, round_, now, noted.pk)

    @abstractmethod
    def make_room(self, event: Event, row: Act, by: Player, now: datetime) -> None:
        """Remove what has come in the round's place, or raise RefusedError."""


class TakeRoundBack(_Drawing):
    kind, words = Kind.TAKE_BACK, "Took a round back"
    address, url_name = "rounds/<num:number>/take-back/", "take_back_round"
    offered, brief = "Take it back", "it was drawn too soon; the event is paused"
    verb = staticmethod(take_back)

    def texts(self, number: int) -> dict[str, Any]:
        return {
            "title": f"Take round {number} back",
            "explains": (
                "The round was drawn too soon: first correct what was wrong, such as a result or an"
                " entry. The event is paused until you resume it; then the round is drawn again."
            ),
            "submit_label": f"Take back round {number}",
            "done": f"Round {number} is taken back. The event is paused.",
            "until": "Can be undone until results or entries change, or the round is drawn again.",
        }

    def make_room(self, event: Event, row: Act, _by: Player, _now: datetime) -> None:
        latest = event.played_rounds.order_by("-number").first()
        if latest and (latest.number >= row.before["number"] or latest.over is None):
            words = f"Round {latest.number} has been drawn since, or is being played again."
            raise RefusedError("depends", words)


class DrawAgain(_Drawing):
    kind, words = Kind.REDRAW, "Drew a round again"
    address, url_name = "rounds/<num:number>/again/", "draw_again"
    offered, brief = "Draw it again", "from the entries and results as they are now"
    verb = staticmethod(draw_again)

    def texts(self, number: int) -> dict[str, Any]:
        return {
            "title": f"Draw round {number} again",
            "explains": (
                "It is drawn from the entries and results as they are now. If none of them has"
                " changed, the draw is the same."
            ),
            "submit_label": f"Draw round {number} again",
            "done": f"Round {number} has been drawn again.",
            "until": "Can be undone until a score is entered in the new round.",
        }

    def make_room(self, event: Event, row: Act, by: Player, now: datetime) -> None:
        number = row.before["number"]
        latest = event.played_rounds.order_by("-number").first()
        if latest is None or latest.number != number or row.round_id != latest.pk:
            raise RefusedError("depends", f"Round {number} is not the latest any more.")
        _check_not_playing(event, by, latest)
        stands = undrawing.standing(latest)
        if stands:
            raise RefusedError("depends", f"A score has been entered at {tables_of(stands)} since.")
        undrawing.remove(event, latest, now)


def _check_nothing_since(event: Event, act: Act) -> None:
    """Refuse once results or entries have changed from which the round was drawn."""
    from tournaments.acts.registry import ACTS, act_of

    harmless = [key for key, one in ACTS.items() if not one.changes_draw]
    since = event.acts.filter(pk__gt=act.pk, undone_by=None).exclude(kind__in=harmless)
    for later in since.select_related("undoes", "by").order_by("-pk"):
        if later.undoes is None or later.undoes.pk < act.pk:
            words = f"A later act depends on it: “{act_of(later).words}” by {later.by.name}."
            raise RefusedError("depends", words)
