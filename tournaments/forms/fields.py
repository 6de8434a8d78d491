"""Fields that several forms of clubs and events have."""

import unicodedata
from typing import Any

from django import forms


class NameField(forms.CharField):
    """A name on one line: spaces are tidied, what cannot be seen is refused."""

    def to_python(self, value: Any) -> str:
        """Return the name with single spaces, its characters composed."""
        return " ".join(unicodedata.normalize("NFC", super().to_python(value) or "").split())

    def validate(self, value: Any) -> None:
        """Refuse invisible characters, as a name with them could pass for another."""
        super().validate(value)
        if any(unicodedata.category(character).startswith("C") for character in value):
            raise forms.ValidationError("A name cannot hold invisible characters.")
