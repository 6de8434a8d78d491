"""Forms of fair-play matters; `matters` checks whether an act is allowed."""

from typing import Any

from django import forms

from games.form_fields import MultilineField
from games.numbers import parse_number


class RowKey(forms.CharField):
    """A primary key from a hidden field; None if empty."""

    def clean(self, value: Any) -> int | None:
        text = super().clean(value)
        if not text:
            return None
        number = parse_number(text)
        if number is None:
            raise forms.ValidationError("There is no such number.")
        return number


class OpenForm(forms.Form):
    """The sign and the player to open a matter for; `event` if it was on an event's page."""

    sign = forms.CharField(max_length=60)
    player = RowKey()
    event = RowKey(required=False)


class WordsForm(forms.Form):
    words = MultilineField(required=False)
