"""More time for one table, as after a late start; the round's time stays for the others."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from django import forms
from django.http import HttpRequest
from django.urls import URLPattern, path

from games.form_fields import WholeNumber
from games.models import Player
from tournaments.acts import page
from tournaments.acts.base import Names, TableAct, match_of
from tournaments.acts.page import ActPage, choice_in
from tournaments.changes import row_images
from tournaments.events import acts
from tournaments.events.notices import note
from tournaments.models import Act, Event, Pairing
from tournaments.refusals import RefusedError
from tournaments.standings import conflicts_of_interest

#: The most minutes that a table can have beyond the end of its round.
MOST: Final = 60
#: The minutes that one press on the console gives.
USUAL: Final = 5


class TableTimeForm(forms.Form):
    minutes = WholeNumber(label="Minutes more", least=1, most=MOST)


class HadForm(forms.Form):
    had = WholeNumber(label="Minutes shown", least=0, most=MOST)


def why_not(match: Pairing) -> str:
    """Return why a table cannot be given more time now, or an empty string."""
    if match.state == Pairing.State.DECIDED:
        return "The match is over."
    if match.round.ends is None:
        return "The round has no time limit."
    return ""


def give(match: Pairing, minutes: int, by: Player, *, reason: str, now: datetime) -> None:
    """Give the table of a match more minutes, also after the end of the round.

    Raises RefusedError if the match is over, its round has no limit, the table would have more than
    `MOST` minutes, or `by` plays in the match.
    """
    _give(match, minutes, by, reason=acts.reason(reason), now=now)


def give_usual(match: Pairing, by: Player, *, had: int, now: datetime) -> None:
    """Give the table of a match `USUAL` minutes more than it `had` on the page that was pressed.

    Raises RefusedError as `give` does, or if the table has other minutes by now, so that a second
    press, or another director's, gives nothing twice.
    """
    _give(match, USUAL, by, now=now, had=had)


def _give(
    match: Pairing,
    minutes: int,
    by: Player,
    *,
    reason: str = "",
    now: datetime,
    had: int | None = None,
) -> None:
    with row_images.changing(match.round.event) as event:
        row = Pairing.objects.select_related("round").get(pk=match.pk)
        if event.state != Event.State.RUNNING or (why := why_not(row)):
            words = why if event.state == Event.State.RUNNING else "The event is not being played."
            raise RefusedError("not now", words)
        conflicts_of_interest.check_table_time(event, row, by)
        if had is not None and row.more_minutes != had:
            words = (
                f"Table {row.number} has {row.more_minutes} minutes more by now, not {had}."
                " Nothing was added: look at the table again."
            )
            raise RefusedError("changed", words)
        total = row.more_minutes + minutes
        if minutes < 1 or total > MOST:
            words = f"A table can have 1 to {MOST} minutes more, not {total}."
            raise RefusedError("minutes", words, 422)
        before, after = {"minutes": row.more_minutes}, {"minutes": total}
        row.more_minutes, row.time_up = total, ""
        row.save(update_fields=["more_minutes", "time_up"])
        event.due = now
        event.save(update_fields=["due"])
        where = f"Round {row.round.number}, table {row.number}"
        note(event, f"{where}: {minutes} minutes more. {reason}".strip(), by, public=True)
        acts.record(
            event, Act.Kind.MORE_TIME, by, now, on=row, reason=reason, before=before, after=after
        )


class MoreTime(TableAct):
    kind, words = Act.Kind.MORE_TIME, "Gave a table more time"
    address = "rounds/<num:number>/tables/<num:table>/time/"
    url_name, query = "more_time", "?minutes=5"
    offered, brief = "Give time", "more minutes for this table alone"

    def urls(self) -> list[URLPattern]:
        address = "rounds/<num:number>/tables/<num:table>/five-minutes"
        return [*super().urls(), path(address, page.press, {"act": self}, name="five_minutes")]

    def press(self, request: HttpRequest, match: Any, by: Player, now: datetime) -> str:
        """Give the usual minutes; field `had`: those that the page showed."""
        form = HadForm(request.POST)
        if not form.is_valid():
            raise RefusedError("had", page.wrong_in(form), 422)
        give_usual(match, by, had=form.cleaned_data["had"], now=now)
        return f"Table {match.number} has {USUAL} minutes more."

    def why_not(self, _event: Event, match: Pairing, *, written: bool) -> str:
        return why_not(match)

    def page(self, request: HttpRequest, _event: Event, by: Player, match: Any) -> ActPage:
        form = TableTimeForm(choice_in(request))
        return ActPage(
            title=f"More time at table {match.number}, round {match.round.number}",
            explains=(
                "Only this table gets it, beyond the end of the round; the next round waits for it."
            ),
            submit_label="Give this time",
            done=f"Table {match.number} has more time.",
            until="Can be undone until the match is over.",
            verb=lambda reason, now: give(
                match, form.cleaned_data["minutes"], by, reason=reason, now=now
            ),
            choice=form,
        )

    def value(self, _event: Event, values: dict[str, Any], _names: Names) -> str:
        return f"{values['minutes']} minutes"

    def undo(self, event: Event, row: Act, by: Player, now: datetime) -> None:
        match = match_of(row)
        conflicts_of_interest.check_table_time(event, match, by)
        if match.state == Pairing.State.DECIDED:
            raise RefusedError("depends", f"The match at table {match.number} is over.")
        super().undo(event, row, by, now)
