"""An act that the site does not have: forgiving a table's players the rounds that they missed."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.db.models import F
from django.http import HttpRequest

from games.form_fields import WholeNumber
from games.models import Player
from tournaments.acts.base import Names, TableAct, match_of
from tournaments.acts.page import ActPage, choice_in
from tournaments.changes import row_images
from tournaments.events import acts
from tournaments.events.notices import note
from tournaments.models import Act, Entry, Event, Pairing
from tournaments.refusals import RefusedError


class ForgiveForm(forms.Form):
    rounds = WholeNumber(label="Rounds", least=1, most=9)


def forgive(match: Pairing, rounds: int, by: Player, *, reason: str, now: datetime) -> None:
    """Forgive everybody at a table some missed rounds."""
    reason = acts.reason(reason)
    with row_images.changing(match.round.event) as event:
        entries = Entry.objects.filter(pairings__pairing=match, missed__gte=rounds)
        if not entries.update(missed=F("missed") - rounds):
            raise RefusedError("nothing", f"Nobody at table {match.number} has missed {rounds}.")
        note(event, f"Table {match.number}: {rounds} missed rounds forgiven. {reason}", by)
        acts.record(
            event, "forgive", by, now, on=match, reason=reason,
            after={"rounds": rounds},
        )  # fmt: skip


class Forgive(TableAct):
    kind, words = "forgive", "Forgave missed rounds"
    address = "rounds/<num:number>/tables/<num:table>/forgive/"
    url_name = "forgive"
    offered, brief = "Forgive", "rounds that they missed"

    def page(self, request: HttpRequest, _event: Event, by: Player, match: Any) -> ActPage:
        form = ForgiveForm(choice_in(request))
        return ActPage(
            title=f"Forgive table {match.number}",
            explains="They have not missed these rounds.",
            submit_label="Forgive them",
            done=f"Table {match.number} is forgiven.",
            until="Can be undone until the match is over.",
            verb=lambda reason, now: forgive(
                match, form.cleaned_data["rounds"], by, reason=reason, now=now
            ),
            choice=form,
        )

    def value(self, _event: Event, values: dict[str, Any], _names: Names) -> str:
        return f"{values['rounds']} rounds" if values else ""

    def undo(self, event: Event, row: Act, by: Player, now: datetime) -> None:
        if match_of(row).state == Pairing.State.DECIDED:
            raise RefusedError("depends", "The match is over.")
        super().undo(event, row, by, now)
