"""Pages of a director's acts on a round and its tables; each shows first what it will change."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Protocol

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from games.models import Player
from tournaments.directing import act_page, drawing_again, playing_again, seating_by_hand
from tournaments.directing.act_page import ActPage
from tournaments.directing.views import directed
from tournaments.models import Event, Pairing
from tournaments.running import undrawing

SEATS = {4: ("North", "South", "East", "West"), 2: ("North–south", "East–west")}


class SeatsForm(forms.Form):
    """Who sits in each seat of a table, out of all who were drawn in its round."""

    def __init__(self, *args: Any, event: Event, match: Pairing, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        lines = list(match.entries.order_by("side", "position"))
        choices = seating_by_hand.choices_of(event, match.round)
        for line, label in zip(lines, SEATS.get(len(lines), ()), strict=True):
            self.fields[f"seat_{line.side}_{line.position}"] = forms.TypedChoiceField(
                label=label, choices=choices, coerce=int, initial=line.entry_id,
                error_messages={"invalid_choice": "Choose somebody who was drawn in this round."},
            )  # fmt: skip

    @property
    def entries(self) -> list[int]:
        return [self.cleaned_data[name] for name in self.fields]


class FallForm(forms.Form):
    """Whether results that stand in a round may fall."""

    fall = forms.BooleanField(
        error_messages={"required": "Say that it may fall, or leave the round as it is."}
    )


def directed_match(
    request: HttpRequest, event_id: int, number: int, table: int
) -> tuple[Event, Player, Pairing]:
    """Return a match with its event and director; raise like `directed`, Http404 without match."""
    event, by = directed(request, event_id)
    rows = Pairing.objects.select_related("round__event", "table")
    match = get_object_or_404(rows, round__event=event, round__number=number, number=table)
    return event, by, match


def back_to(event: Event, number: int) -> str:
    return f"{resolve_url('manage_event', event.pk)}?round={number}"


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def seats_by_hand(request: HttpRequest, event_id: int, number: int, table: int) -> HttpResponse:
    """Seat others at a table; fields `seat_0_0` and so on, `reason`, `seen`."""
    event, by, match = directed_match(request, event_id, number, table)
    sent = request.POST if request.method == "POST" else request.GET
    form = SeatsForm(sent or None, event=event, match=match)

    def verb(reason: str) -> None:
        seating_by_hand.seat(match, by, form.entries, reason=reason, now=timezone.now())

    page = ActPage(
        title=f"Seats at table {table}, round {number}",
        explains=(
            "Choose who sits where. Whoever has to make room takes the place of the one who comes."
        ),
        deed="Change the seats",
        done=f"The seats at table {table} have been changed.",
        until="Can be undone until something stands at one of these tables.",
        verb=verb,
        back=back_to(event, number),
        choice=form,
    )
    return act_page.answer(request, event, page)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def reopen_table(request: HttpRequest, event_id: int, number: int, table: int) -> HttpResponse:
    """Let a match be played again; fields `reason`, `seen`."""
    event, by, match = directed_match(request, event_id, number, table)

    def verb(reason: str) -> None:
        playing_again.reopen(match, by, reason=reason, now=timezone.now())

    page = ActPage(
        title=f"Play table {table} of round {number} again",
        explains=(
            "Its result falls, and the round goes on until there is another one. A match online is"
            " played at a new table, with the whole time of a round. If only the score is wrong,"
            " correct it instead."
        ),
        deed=f"Play table {table} again",
        done=f"Table {table} plays again.",
        until="Can be undone until it has been played again.",
        verb=verb,
        back=back_to(event, number),
        stop=True,
    )
    return act_page.answer(request, event, page)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def draw_again(request: HttpRequest, event_id: int, number: int) -> HttpResponse:
    """Draw the latest round again; fields `fall`, `reason`, `seen`."""
    explains = (
        "It is drawn from the entries and results as they are now. If none of them has changed, the"
        " draw is the same."
    )
    return _on_round(
        request, event_id, number, drawing_again.draw_again,
        title=f"Draw round {number} again", explains=explains,
        deed=f"Draw round {number} again", done=f"Round {number} has been drawn again.",
        until="Can be undone until something stands in the new round.",
    )  # fmt: skip


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def take_back_round(request: HttpRequest, event_id: int, number: int) -> HttpResponse:
    """Take the latest round back; fields `fall`, `reason`, `seen`."""
    explains = (
        "The round was drawn too soon: put right what has to be, such as a result or an entry. The"
        " event is paused until you let it go on; then the round is drawn from what is known then."
    )
    return _on_round(
        request, event_id, number, drawing_again.take_back,
        title=f"Take round {number} back", explains=explains,
        deed=f"Take back round {number}",
        done=f"Round {number} is taken back. The event is paused.",
        until="Can be undone until results or entries change, or the round is drawn again.",
    )  # fmt: skip


class _OnRound(Protocol):
    def __call__(
        self, event: Event, by: Player, number: int, *, reason: str, override: bool, now: datetime
    ) -> None: ...


def _on_round(
    request: HttpRequest, event_id: int, number: int, act: _OnRound, **words: str
) -> HttpResponse:
    """Answer the page of an act on the latest round, in which something may stand."""
    event, by = directed(request, event_id)
    round_ = get_object_or_404(event.played_rounds, number=number)
    stands = undrawing.standing(round_)
    form = None
    if stands:
        sent = request.POST if request.method == "POST" else request.GET
        form = FallForm(sent or None)
        form.fields["fall"].label = f"What stands at {drawing_again.tables_of(stands)} may fall"

    def verb(reason: str) -> None:
        override = form is not None and form.cleaned_data["fall"]
        act(event, by, number, reason=reason, override=override, now=timezone.now())

    page = ActPage(
        **words,
        verb=verb,
        back=resolve_url("manage_event", event.pk),
        choice=form,
        stop=bool(stands),
    )
    return act_page.answer(request, event, page)
