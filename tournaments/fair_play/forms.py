"""What is asked for in a matter; whether it can be done, the verbs say."""

import re
from typing import Any

from django import forms

from games.form_fields import MultilineField
from tournaments.models.fair_play import OF_MODERATORS, FairPlayAct


class RowKey(forms.CharField):
    """The key of a row, which no person types; None where it is left out."""

    def clean(self, value: Any) -> int | None:
        """Return the key; raise ValidationError where it cannot be one."""
        text = super().clean(value)
        if not text:
            return None
        if not re.fullmatch("[0-9]{1,18}", text):
            raise forms.ValidationError("There is no such number.")
        return int(text)


class OpenForm(forms.Form):
    """The sign and the player of whom a matter is opened; `event` where it was seen."""

    sign = forms.CharField(max_length=60)
    player = RowKey()
    event = RowKey(required=False)


class WordsForm(forms.Form):
    """What a player says."""

    words = MultilineField(required=False)


class ActForm(WordsForm):
    """What is done, and why; `match` is the one whose result is set aside, `back` the act taken."""

    act = forms.ChoiceField(
        choices=[(kind, kind.label) for kind in (*OF_MODERATORS, FairPlayAct.Kind.TAKE_BACK)],
        error_messages={
            "required": "Say what is to be done.",
            "invalid_choice": "There is no such thing to do.",
        },
    )
    match = RowKey(required=False)
    back = RowKey(required=False)
