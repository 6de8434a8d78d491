"""Fields that forms of both apps have, each with its own words for what is wrong."""

from typing import Any

from django import forms


class Lines(forms.CharField):
    """A text of several lines, whose ends count as one character each.

    So a browser counts them (HTML Standard, a textarea's API value); it sends two.
    """

    widget = forms.Textarea

    def to_python(self, value: Any) -> str:
        """Return the text with plain ends of lines."""
        return (super().to_python(value) or "").replace("\r\n", "\n")


class WholeNumber(forms.IntegerField):
    """A whole number from `least` to `most`; anything else is answered with these."""

    def __init__(self, *, least: int, most: int, **kwargs: Any) -> None:
        words = f"Write a whole number from {least:,} to {most:,}."
        messages = dict.fromkeys(("invalid", "min_value", "max_value"), words)
        super().__init__(
            min_value=least,
            max_value=most,
            error_messages=messages | kwargs.pop("error_messages", {}),
            **kwargs,
        )
