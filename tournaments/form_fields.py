"""Form fields shared by the forms of clubs and events."""

import unicodedata
from typing import Any

from django import forms

from games.lookalikes import mixed_in_words, mixed_word, unseen


class NameField(forms.CharField):
    """A one-line name: spaces are collapsed, invisible and misleading characters refused."""

    def to_python(self, value: Any) -> str:
        """Return the name in Unicode normal form, with single spaces."""
        return " ".join(unicodedata.normalize("NFC", super().to_python(value) or "").split())

    def validate(self, value: Any) -> None:
        """Refuse invisible characters, which would make a name look like another one."""
        super().validate(value)
        if value and unseen(value):
            raise forms.ValidationError("A name has letters or digits, and nothing invisible.")
        if value and (word := mixed_word(value)):
            raise forms.ValidationError(mixed_in_words(word))
