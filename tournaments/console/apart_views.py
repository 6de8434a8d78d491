"""The page on which a director keeps couples and others apart."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from tournaments.acts.page import directed
from tournaments.answers import SeeOther, refused_at
from tournaments.console import keeping_apart
from tournaments.models import Event, KeptApart


class ApartForm(forms.Form):
    """Two entries, and how they are kept apart."""

    one = forms.TypedChoiceField(coerce=int, label="One")
    other = forms.TypedChoiceField(coerce=int, label="The other")
    kind = forms.ChoiceField(label="They are", error_messages={"required": "Choose one."})

    def __init__(self, *args: Any, event: Event, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        entries = [(entry.pk, entry.name) for entry in keeping_apart.choices(event)]
        for name in ("one", "other"):
            field = self.fields[name]
            field.choices = [("", "Choose"), *entries]  # type: ignore[attr-defined]
            field.error_messages["invalid_choice"] = "Choose somebody who has entered."
        self.fields["kind"].choices = [  # type: ignore[attr-defined]
            (kind.value, kind.label if event.individual else "Never opponents")
            for kind in KeptApart.Kind
            if kind in event.first_stage.keeps_apart
        ]


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@refused_at("keep_apart", "event_id")
def keep_apart(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show who is kept apart and whether that is possible, or add two.

    Fields: `one`, `other`, `kind`.
    """
    event, by = directed(request, event_id)
    form = ApartForm(request.POST if request.method == "POST" else None, event=event)
    if form.is_valid():
        chosen = form.cleaned_data
        keeping_apart.keep(event, chosen["one"], chosen["other"], chosen["kind"], by)
        messages.success(request, "They are kept apart as far as possible.")
        return SeeOther(resolve_url("keep_apart", event.pk))
    context = {"event": event, "form": form, "lines": keeping_apart.lines_of(event)}
    status = 422 if form.is_bound else 200
    return render(request, "tournaments/console/apart.html", context, status=status)


@require_POST
@refused_at("keep_apart", "event_id")
def no_longer_apart(request: HttpRequest, event_id: int, apart_id: int) -> HttpResponse:
    """Keep two entries apart no longer."""
    event, by = directed(request, event_id)
    rows = event.kept_apart.select_related("event", "one", "other")
    keeping_apart.release(get_object_or_404(rows, pk=apart_id), by)
    return SeeOther(resolve_url("keep_apart", event.pk))
