"""Fields that several forms of clubs and events have."""

import unicodedata
from typing import Any

from django import forms

from games.lookalikes import mixed_in_words, mixed_word, unseen


class NameField(forms.CharField):
    """A name on one line: spaces are tidied, what cannot be seen or misleads is refused."""

    def to_python(self, value: Any) -> str:
        """Return the name with single spaces, its characters composed."""
        return " ".join(unicodedata.normalize("NFC", super().to_python(value) or "").split())

    def validate(self, value: Any) -> None:
        """Refuse invisible characters, as a name with them could pass for another."""
        super().validate(value)
        if value and unseen(value):
            raise forms.ValidationError("A name has letters or digits, and nothing invisible.")
        if value and (word := mixed_word(value)):
            raise forms.ValidationError(mixed_in_words(word))
