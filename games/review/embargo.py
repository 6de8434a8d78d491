"""Reasons to hold a review back: sealed deals, and what apps that this one does not know say."""

from __future__ import annotations

from typing import Final

from django.dispatch import Signal

from games.models import Game

#: Sent with ``game`` before its review is made or shown; a receiver returns a sentence for people
#: that says why it must wait, or an empty text.
asked: Final = Signal()


SEALED: Final = "The review opens when all tables have played these hands."


def embargo_on(game: Game) -> str:
    """Return why the review of a game must wait, or an empty text."""
    if game.table.sealed:
        return SEALED
    return next((why for _, why in asked.send(sender=Game, game=game) if why), "")
