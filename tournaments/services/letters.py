"""E-mail: written in the transaction of what it tells of, sent by a task."""

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string

from games.models import Player
from tournaments.models import Letter


def write(key: str, players: Iterable[Player], subject: str, template: str, **context: Any) -> None:
    """Write one letter to each player that has an account; a second time it does nothing.

    Args:
        key: what it tells of, at most 90 characters, such as ``event 7 promoted 31``.
        players: to whom, with their users.
        subject: without the site's name.
        template: the name of a text in ``tournaments/mail/``, without ``.txt``.
        context: for the template, beside `player` and `site_name`.
    """
    letters = [
        Letter(
            key=f"{key} to {player.pk}",
            user_id=player.user_id,
            subject=subject,
            text=render_to_string(
                f"tournaments/mail/{template}.txt",
                {"player": player, "site_name": settings.SITE_NAME, **context},
            ),
        )
        for player in players
        if player.user_id is not None
    ]
    Letter.objects.bulk_create(letters, ignore_conflicts=True)
