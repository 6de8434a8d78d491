"""A message to the people of one table, which nobody else reads."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from django import forms
from django.http import HttpRequest
from django.urls import reverse

from games.form_fields import MultilineField
from games.models import Player
from games.notifying import pushes
from games.notifying.kinds import TO_TABLE
from tournaments.acts.base import TableAct
from tournaments.acts.page import ActPage, ReasonForm
from tournaments.changes import row_locks
from tournaments.events import acts, director_messages
from tournaments.events.notices import note
from tournaments.models import Act, Event, Pairing
from tournaments.refusals import RefusedError
from tournaments.results import matches
from tournaments.standings import conflicts_of_interest

#: The most characters: the event's record puts the table before them.
MOST: Final = 250


class TableWordsForm(ReasonForm):
    """The message, in place of a reason."""

    reason = MultilineField(
        label="Your message",
        max_length=MOST,
        widget=forms.Textarea({"rows": 3}),
        help_text="Only this table and the directors read it. At most 250 characters.",
    )


def why_not(event: Event, match: Pairing) -> str:
    """Return why nobody can write to a table, or an empty string."""
    if event.state != Event.State.RUNNING:
        return "The event is not being played."
    if event.played_rounds.filter(number__gt=match.round.number).exists():
        return f"Round {match.round.number} is over."
    return ""


def post(match: Pairing, by: Player, text: str, now: datetime) -> None:
    """Show a message to whoever sits at the table of a match of the latest round.

    Raises RefusedError if the round is over, `by` plays in the match, or the same words were sent
    there within a minute, as by a second press.
    """
    text = text.strip()
    if not 1 <= len(text) <= MOST:
        raise RefusedError("text", f"Write 1 to {MOST} characters.", 422)
    with row_locks.changing(match.round.event) as event:
        row = Pairing.objects.select_related("round").get(pk=match.pk)
        if why := why_not(event, row):
            raise RefusedError("not now", why)
        conflicts_of_interest.check_message(event, row, by)
        latest = director_messages.at_tables([row]).get(row.pk)
        if latest and latest.reason == text and now - latest.at < timedelta(minutes=1):
            raise RefusedError("said", "This message has just been sent; it was not sent again.")
        notice = note(event, f"Round {row.round.number}, table {row.number}: “{text}”", by)
        acts.record(
            event, Act.Kind.TO_TABLE, by, now, on=row, reason=text, after={"notice": notice.pk}
        )
        pushes.queue(
            TO_TABLE,
            acts.message_key(notice.pk),
            [player.pk for player in matches.seated(row)],
            f"{event.name}: the director writes to your table",
            reverse("event", args=[event.pk]),
            text=text,
            now=now,
        )


class MessageToTable(TableAct):
    kind, words = Act.Kind.TO_TABLE, "Wrote to a table"
    address, url_name = "rounds/<num:number>/tables/<num:table>/message/", "message_table"
    offered, brief = "Message", "only this table reads it"
    needs_match = False
    independent = True
    changes_draw = False
    private = True

    def why_not(self, event: Event, match: Pairing, *, written: bool) -> str:
        return why_not(event, match)

    def page(self, request: HttpRequest, event: Event, by: Player, match: Any) -> ActPage:
        return ActPage(
            title=f"A message to table {match.number}, round {match.round.number}",
            explains="The people at the table see it at once, and nobody at another table.",
            submit_label="Send the message",
            done=f"Table {match.number} has your message.",
            until="Can be taken back: it goes from their pages, but they may have read it.",
            verb=lambda text, now: post(match, by, text, now),
            blocked_reason=why_not(event, match),
            said=TableWordsForm,
        )

    def undo(self, event: Event, row: Act, by: Player, _now: datetime) -> None:
        """Take it off their pages, which read it from the acts; what is not sent is not sent."""
        if row.pairing is not None:
            conflicts_of_interest.check_message(event, row.pairing, by)
        pushes.delete_unsent(acts.message_key(row.after["notice"]))
