"""Pages of a director's acts on a round and its tables; each shows first what it will change."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Protocol

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from games.form_fields import WholeNumber
from games.models import Player
from tournaments.answers import SeeOther, refused
from tournaments.directing import (
    act_page,
    after_acts,
    correcting,
    directing,
    drawing_again,
    penalties,
    playing_again,
    seating_by_hand,
    table_time,
)
from tournaments.directing.act_page import ActPage
from tournaments.directing.forms import RemarkForm
from tournaments.directing.penalties import MOST, Penalty
from tournaments.directing.views import directed
from tournaments.models import Act, Event, Pairing
from tournaments.refusals import RefusedError
from tournaments.results.match_lines import matches_of, teams_drawn
from tournaments.results.penalties import LONE_RENEGE, OTHER, RENEGE, TABLE_TALK, WARNING
from tournaments.room_scores import codes
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


class PenaltyForm(forms.Form):
    """Which side has done what; the points are asked only where nothing sets them."""

    GIVE, TAKE = "give", "take"
    side = forms.TypedChoiceField(
        label="Against",
        coerce=int,
        error_messages=dict.fromkeys(("required", "invalid_choice"), "Say against which side."),
    )
    what = forms.ChoiceField(
        label="For",
        choices=[
            (RENEGE, "Renege: 2 points to the other side"),
            (LONE_RENEGE, "Renege on a lone hand: 4 points to the other side"),
            (TABLE_TALK, "Table talk: 1 point to the other side"),
            (WARNING, "Warning, no points"),
            (GIVE, "Something else: points to the other side"),
            (TAKE, "Something else: points off their own"),
        ],
    )
    points = WholeNumber(
        label="Points", least=1, most=MOST, required=False, help_text="Only for something else."
    )

    def __init__(self, *args: Any, event: Event, match: Pairing, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        (line,) = matches_of(event, Pairing.objects.filter(pk=match.pk), teams_drawn(event))
        names = zip(("North–south", "East–west"), line.sides, strict=True)
        sides = [(at, f"{name}: {side.team.name}") for at, (name, side) in enumerate(names)]
        self.fields["side"].choices = sides  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        other = said.get("what") in (self.GIVE, self.TAKE)
        if other and not said.get("points") and "points" not in self.errors:
            self.add_error("points", "Say how many points.")
        return said

    @property
    def penalty(self) -> Penalty:
        said = self.cleaned_data
        if said["what"] in (self.GIVE, self.TAKE):
            points = said["points"] if said["what"] == self.GIVE else -said["points"]
            return Penalty(said["side"], OTHER, points)
        return Penalty(said["side"], said["what"])


class TableTimeForm(forms.Form):
    minutes = WholeNumber(label="Minutes more", least=1, most=table_time.MOST)


class HadForm(forms.Form):
    had = WholeNumber(label="Minutes shown", least=0, most=table_time.MOST)


class FallForm(forms.Form):
    """Whether results that stand in a round may be lost."""

    fall = forms.BooleanField(
        error_messages={"required": "Tick that it may be lost, or leave the round as it is."}
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
    form = SeatsForm(act_page.choice_in(request), event=event, match=match)

    def verb(reason: str) -> None:
        seating_by_hand.seat(match, by, form.entries, reason=reason, now=timezone.now())

    never = seating_by_hand.why_not(match)
    explains = (
        "The seats stay as they were drawn. Set the result as it was played and say in the reason"
        " who sat where, or take the round back if it has to be played otherwise."
        if never
        else "Choose who sits where. Whoever has to make room takes the place of the one who comes."
    )
    page = ActPage(
        title=f"Seats at table {table}, round {number}",
        explains=explains,
        deed="Change the seats",
        done=f"The seats at table {table} have been changed.",
        until="Can be undone until a score is entered at one of these tables.",
        verb=verb,
        back=back_to(event, number),
        choice=form,
        never=never,
        instead=_instead_of_seats(event, match) if never else (),
    )
    return act_page.answer(request, event, page)


def _instead_of_seats(event: Event, match: Pairing) -> tuple[tuple[str, str], ...]:
    """Return what mends a table whose seats cannot be changed, in words and paths."""
    ways = []
    number = match.round.number
    if correcting.can_be_set(event, decided=match.state == Pairing.State.DECIDED):
        path = resolve_url("set_result", event.pk, number, match.number)
        ways.append(("Set the result as played", path))
    if drawing_again.can_be_taken_back(event, match.round):
        path = resolve_url("take_back_round", event.pk, number)
        ways.append((f"Take back round {number}", path))
    return tuple(ways)


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
            "Its result is removed, and the round goes on until there is a new one. A match online"
            " is played at a new table, with the full time of a round. If only the score is wrong,"
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
def penalty(request: HttpRequest, event_id: int, number: int, table: int) -> HttpResponse:
    """Give a side of a match a penalty; fields `side`, `what`, `points`, `reason`, `seen`.

    A link may name the `side` alone: it is selected, and what it has done is asked.
    """
    event, by, match = directed_match(request, event_id, number, table)
    sent = request.POST if request.method == "POST" else request.GET
    bound = sent if request.method == "POST" or "what" in sent else None
    side = {"side": sent.get("side")}
    form = PenaltyForm(bound, initial=side, event=event, match=match)

    def verb(reason: str) -> None:
        penalties.give(match, form.penalty, by, reason=reason, now=timezone.now())

    page = ActPage(
        title=f"Penalty at table {table}, round {number}",
        explains=(
            "Points count for the score of this match; at a table in the room that still plays,"
            " they go on its score card. A game that has been won stays won."
        ),
        deed="Give this penalty",
        done=f"The penalty at table {table} is given.",
        until="Can be undone until the score is signed with it, or something else depends on it.",
        verb=verb,
        back=back_to(event, number),
        choice=form,
    )
    return act_page.answer(request, event, page)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def more_time(request: HttpRequest, event_id: int, number: int, table: int) -> HttpResponse:
    """Give one table more time; fields `minutes`, `reason`, `seen`."""
    event, by, match = directed_match(request, event_id, number, table)
    form = TableTimeForm(act_page.choice_in(request))

    def verb(reason: str) -> None:
        minutes = form.cleaned_data["minutes"]
        table_time.give(match, minutes, by, reason=reason, now=timezone.now())

    page = ActPage(
        title=f"More time at table {table}, round {number}",
        explains=(
            "Only this table gets it, beyond the end of the round; the next round waits for it."
        ),
        deed="Give this time",
        done=f"Table {table} has more time.",
        until="Can be undone until the match is over.",
        verb=verb,
        back=back_to(event, number),
        choice=form,
    )
    return act_page.answer(request, event, page)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def move_table(request: HttpRequest, event_id: int, number: int, table: int) -> HttpResponse:
    """Move a table to the room or online; fields `to` of the query, `reason`, `seen`.

    to: "room" or "online"; without it, where the table is not.
    """
    event, by, match = directed_match(request, event_id, number, table)
    in_room = request.GET.get("to", "online" if match.in_room else "room") == "room"

    def verb(reason: str) -> None:
        directing.move_table(
            event, by, number, table, timezone.now(), in_room=in_room, reason=reason
        )

    where = "to the room" if in_room else "online"
    page = ActPage(
        title=f"Move table {table} {where}?",
        explains=(
            "They play with real cards and write the score on their phones, with the table’s"
            " code. The table on the site is closed."
            if in_room
            else "Its players are called to a table on the site. What they have written on the"
            " score card does not count there."
        ),
        deed=f"Move table {table} {where}",
        done=f"Table {table} has been moved {where}.",
        until="Can be undone until anything is scored there.",
        verb=verb,
        back=back_to(event, number),
        said=RemarkForm,
    )
    return act_page.answer(request, event, page)


@require_POST
def five_minutes(request: HttpRequest, event_id: int, number: int, table: int) -> HttpResponse:
    """Give one table the usual minutes in one press; field `had`: those that the page showed."""
    event, by, match = directed_match(request, event_id, number, table)
    form = HadForm(request.POST)
    back = after_acts.back_to(request, event, back_to(event, number))
    try:
        if not form.is_valid():
            raise RefusedError("had", f"Minutes shown: {form.errors['had'][0]}", 422)
        table_time.give_usual(match, by, had=form.cleaned_data["had"], now=timezone.now())
    except RefusedError as error:
        return refused(request, error, back)
    act = match.acts.filter(kind=Act.Kind.MORE_TIME).order_by("-pk").first()
    words = f"Table {table} has {table_time.USUAL} minutes more."
    after_acts.say_done(request, event, words, act)
    return SeeOther(back)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def new_table_code(request: HttpRequest, event_id: int, table: int) -> HttpResponse:
    """Give a table in the room another code; fields `reason`, `seen`."""
    event, by = directed(request, event_id)
    get_object_or_404(event.room_tables, number=table)

    def verb(reason: str) -> None:
        codes.renew(event, table, by, reason=reason, now=timezone.now())

    sheet = f"{resolve_url('print_table_cards', event.pk)}?tables={max(table, 1)}"
    page = ActPage(
        title=f"A new code for table {table}",
        explains=(
            "For a card that was lost or photographed. Phones that have the table open have to scan"
            " the new card; anything they have not sent yet is refused with a message."
        ),
        deed="Make a new code",
        done=f"Table {table} has a new code: print its card, or write the code on the old one.",
        until="Cannot be undone: the old code no longer works.",
        verb=verb,
        back=resolve_url("manage_event", event.pk),
        leads_to=sheet,
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
        until="Can be undone until a score is entered in the new round.",
    )  # fmt: skip


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def take_back_round(request: HttpRequest, event_id: int, number: int) -> HttpResponse:
    """Take the latest round back; fields `fall`, `reason`, `seen`."""
    explains = (
        "The round was drawn too soon: first correct what was wrong, such as a result or an "
        "entry. The event is paused until you resume it; then the round is drawn again."
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
    request: HttpRequest, event_id: int, number: int, act: _OnRound, **words: Any
) -> HttpResponse:
    """Answer the page of an act on the latest round, in which something may stand."""
    event, by = directed(request, event_id)
    round_ = get_object_or_404(event.played_rounds, number=number)
    stands = undrawing.standing(round_)
    form = None
    if stands:
        form = FallForm(act_page.choice_in(request))
        form.fields[
            "fall"
        ].label = f"What was entered at {drawing_again.tables_of(stands)} may be lost"

    def verb(reason: str) -> None:
        override = form is not None and form.cleaned_data["fall"]
        act(event, by, number, reason=reason, override=override, now=timezone.now())

    page = ActPage(
        **words,
        verb=verb,
        back=resolve_url("manage_event", event.pk),
        choice=form,
        stop=bool(stands),
        instead=(),
    )
    return act_page.answer(request, event, page)
