"""A message to everybody in an event, on its page, its screens and by mail."""

from __future__ import annotations

from datetime import datetime, timedelta

from django import forms
from django.urls import reverse

from games.form_fields import MultilineField
from games.models import Player
from games.notifying import pushes
from games.notifying.kinds import DIRECTOR
from tournaments.acts.base import Button
from tournaments.changes import row_locks
from tournaments.entering.places_and_waiting_list import players_of
from tournaments.events import acts, director_messages
from tournaments.events.notices import note
from tournaments.models import Act, Entry, Event, Notice
from tournaments.models.entries import PLACED
from tournaments.outbox import letters
from tournaments.refusals import RefusedError


class WordsForm(forms.Form):
    text = MultilineField(
        label="Your message",
        max_length=300,
        widget=forms.Textarea({"rows": 3}),
        help_text="Shown on the event’s page at once. At most 300 characters.",
    )


def post_message(event: Event, by: Player, text: str, now: datetime) -> None:
    """Post a message of at most 300 characters on the event's page; players may get it by mail.

    The same words again within a minute are a second press of the button, and refused.
    """
    text = text.strip()
    if not 1 <= len(text) <= 300:
        raise RefusedError("text", "Write 1 to 300 characters.", 422)
    with row_locks.changing(event) as locked:
        latest = director_messages.latest(locked)
        if latest and latest.reason == text and now - latest.at < timedelta(minutes=1):
            raise RefusedError("said", "This message has just been sent; it was not sent again.")
        notice = note(locked, text, by, public=True)
        acts.record(locked, Act.Kind.MESSAGE, by, now, reason=text, after={"notice": notice.pk})
        players = players_of(*locked.entries.filter(state__in=(*PLACED, Entry.State.WAITING)))
        letters.write(
            acts.message_key(notice.pk),
            players,
            f"A message from the director: {locked.name}",
            "director_message",
            kind=DIRECTOR,
            event=locked,
            text=text,
        )
        pushes.queue(
            DIRECTOR,
            acts.message_key(notice.pk),
            [player.pk for player in players],
            locked.name,
            reverse("event", args=[locked.pk]),
            text=text,
        )


class Message(Button):
    kind, words = Act.Kind.MESSAGE, "Wrote to all"
    address, url_name = "tell", "tell_event"
    form = WordsForm
    done = "Your message is on the event’s page."
    changes_draw = False
    verb = staticmethod(post_message)

    def undo(self, _event: Event, row: Act, _by: Player, _now: datetime) -> None:
        """Take it off the event's page; what has not been sent is not sent."""
        Notice.objects.filter(pk=row.after["notice"]).update(public=False)
        for outgoing in (letters, pushes):
            outgoing.delete_unsent(acts.message_key(row.after["notice"]))
