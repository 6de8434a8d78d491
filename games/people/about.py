"""The word that members write about themselves on their profile."""

import re
import unicodedata
from typing import Final

from django.core.exceptions import ValidationError

from games.links import holds_address
from games.lookalikes import mixed_in_words, mixed_word, unseen
from games.models import Player
from games.models.people import ABOUT_LENGTH

#: Links and addresses, also ones written without "http".
LINK: Final = re.compile(r"://|\bwww\.|@|\b[\w-]{2,}\.[a-z]{2,}\b", re.IGNORECASE)


def checked(text: str) -> str:
    """Return the text with whitespace normalized; raise ValidationError.

    It may be empty. It has the checks of names, and neither links nor addresses.
    """
    tidy = " ".join(unicodedata.normalize("NFC", text).split())
    if not tidy:
        return ""
    if len(tidy) > ABOUT_LENGTH:
        raise ValidationError(f"At most {ABOUT_LENGTH} characters.", code="length")
    if unseen(tidy):
        raise ValidationError("Write it without invisible characters.", code="invisible")
    if word := mixed_word(tidy):
        raise ValidationError(mixed_in_words(word), code="mixed")
    if LINK.search(unicodedata.normalize("NFKC", tidy)) or holds_address(tidy):
        raise ValidationError("Links and addresses cannot be shown here.", code="link")
    return tidy


def write(player: Player, text: str) -> None:
    player.about = checked(text)
    player.save(update_fields=["about"])
