"""Checks of what is said at a table: length, invisible characters and addresses."""

import unicodedata
from typing import Final

from games.links import holds_address
from games.lookalikes import invisible_in
from games.models.talk import WORDS_LENGTH

TOO_LONG: Final = f"At most {WORDS_LENGTH} characters at once."
EMPTY: Final = "Write something first."
UNSEEN: Final = "That has invisible characters. Write it without them."
ADDRESS: Final = (
    "Links, addresses and phone numbers are not sent here. Nobody has seen it; write it without."
)


class WordsError(Exception):
    """Words that are not sent; the message says why."""


def checked(text: str) -> str:
    """Return words as they are sent, or raise WordsError."""
    words = " ".join(unicodedata.normalize("NFC", text).replace("\ufe0f", "").split())
    if not words:
        raise WordsError(EMPTY)
    if len(words) > WORDS_LENGTH:
        raise WordsError(TOO_LONG)
    if invisible_in(words):
        raise WordsError(UNSEEN)
    if holds_address(words):
        raise WordsError(ADDRESS)
    return words
