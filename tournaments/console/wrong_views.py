"""The page "Something went wrong": what happened, in a director's words, and the way to mend it.

Each case leads to the page of one act, which shows first what will change.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias
from urllib.parse import urlencode

from django import forms
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.form_fields import WholeNumber
from tournaments.acts import drawing_again, seating_by_hand
from tournaments.acts.page import directed
from tournaments.answers import SeeOther
from tournaments.models import Entry, EntryPlayer, Event, Pairing, Round
from tournaments.results.possible import FORFEIT

MOST: Final = 9999

#: The fields of the form that was sent; the others have none.
Sent: TypeAlias = QueryDict | None


class LateForm(forms.Form):
    """Who came late; the page of people found says what can be done."""

    q = forms.CharField(label="Who came late", max_length=60, help_text="Part of the name.")

    def path(self, event: Event) -> str:
        return f"{reverse('find_people', args=[event.pk])}?{urlencode(self.cleaned_data)}"


class LeftForm(forms.Form):
    """Who left, and whether somebody takes their seat."""

    then = forms.ChoiceField(
        label="Their seat",
        choices=[("substitute", "Somebody else takes it"), ("withdraw", "Nobody takes it")],
    )
    field_order = ("seat", "then")

    def __init__(self, sent: Sent, event: Event) -> None:
        super().__init__(sent, auto_id="early-%s")
        playing = event.entered_players.filter(
            active=True, entry__seed__isnull=False, entry__house=False
        ).exclude(entry__state=Entry.State.WITHDRAWN)
        self.fields["seat"] = forms.ModelChoiceField(
            playing.select_related("player").order_by("player__name", "pk"),
            label="Who left",
            error_messages={"invalid_choice": "Choose somebody who plays in this event."},
        )
        self.order_fields(self.field_order)

    def path(self, event: Event) -> str:
        seat: EntryPlayer = self.cleaned_data["seat"]
        if self.cleaned_data["then"] == "substitute":
            return f"{reverse('find_people', args=[event.pk])}?seat={seat.pk}"
        return reverse("withdraw_entry", args=[event.pk, seat.entry_id])


class TableForm(forms.Form):
    """A table of a round, and the act that mends what happened there."""

    round = WholeNumber(label="Round", least=1, most=MOST)
    table = WholeNumber(label="Table", least=1, most=MOST)

    def __init__(self, sent: Sent, latest: Round, case: str, act: str, query: str = "") -> None:
        super().__init__(sent, auto_id=f"{case}-%s")
        self.fields["round"].initial = latest.number
        self.event, self.act, self.query = latest.event, act, query

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        if {"round", "table"} <= said.keys():
            rows = Pairing.objects.filter(round__event=self.event, round__number=said["round"])
            if not rows.filter(number=said["table"]).exists():
                tables = rows.count()
                there = f"has tables 1 to {tables}" if tables else "has not been drawn"
                self.add_error("table", f"Round {said['round']} {there}.")
        return said

    def path(self, event: Event) -> str:
        said = self.cleaned_data
        return reverse(self.act, args=[event.pk, said["round"], said["table"]]) + self.query


@require_safe
@never_cache
def something_wrong(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show what may have gone wrong, or lead to the act that mends it.

    Field `case`: which of the forms was sent; the others are that form's.
    """
    event, _by = directed(request, event_id)
    latest = event.played_rounds.order_by("-number").first()
    if event.state != Event.State.RUNNING or latest is None:
        context: dict[str, object] = {"event": event}
        return render(request, "tournaments/console/wrong.html", context, status=409)
    settled = seating_by_hand.why_settled(event, latest)
    asked = request.GET.get("case", "")
    sent = {asked: request.GET}
    cases: dict[str, LateForm | LeftForm | TableForm] = {
        "late": LateForm(sent.get("late"), auto_id="late-%s"),
        "early": LeftForm(sent.get("early"), event),
        "result": TableForm(sent.get("result"), latest, "result", "set_result"),
        "people": TableForm(
            sent.get("people"), latest, "people", "set_result" if settled else "seats_by_hand"
        ),
        "nobody": TableForm(
            sent.get("nobody"), latest, "nobody", "set_result", f"?ended={FORFEIT}"
        ),
    }
    form = cases.get(asked)
    if form is not None and form.is_valid():
        return SeeOther(form.path(event))
    context = {
        "event": event,
        "latest": latest,
        "cases": cases,
        "settled": settled,
        "can_be_taken_back": drawing_again.can_be_taken_back(event, latest),
    }
    status = 422 if asked else 200
    return render(request, "tournaments/console/wrong.html", context, status=status)
