"""Form fields shared by both apps."""

from typing import Any

from django import forms


class MultilineField(forms.CharField):
    """A text of several lines, in which a line break counts as one character.

    Browsers count it so (HTML Standard, a textarea's API value) but send two characters.
    """

    widget = forms.Textarea

    def to_python(self, value: Any) -> str:
        return (super().to_python(value) or "").replace("\r\n", "\n")


class WholeNumber(forms.IntegerField):
    """A whole number; its error messages state the range from `least` to `most`."""

    def __init__(self, *, least: int, most: int, **kwargs: Any) -> None:
        words = f"Write a whole number from {least:,} to {most:,}."
        messages = dict.fromkeys(("invalid", "min_value", "max_value"), words)
        super().__init__(
            min_value=least,
            max_value=most,
            error_messages=messages | kwargs.pop("error_messages", {}),
            **kwargs,
        )
