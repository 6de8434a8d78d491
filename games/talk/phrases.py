"""The set phrases, which are stored by their number."""

from typing import Final

#: In the order of the page. Numbers are stored: add new ones at the end and never remove one.
PHRASES: Final = (
    "Nice hand",
    "Sorry, partner",
    "Thank you",
    "Good luck",
    "Well played",
    "One moment",
)


def phrase_in_words(number: int) -> str:
    return PHRASES[number] if 0 <= number < len(PHRASES) else "…"
