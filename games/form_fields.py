"""Fields that forms of both apps have, each with its own words for what is wrong."""

from typing import Any

from django import forms


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
