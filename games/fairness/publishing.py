"""Publishes the secrets of ended games in the public log."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

import structlog
from django.db import DatabaseError, transaction
from django.db.models import Q

from games.models import Game, LogLine
from games.models.shared_deals import sealed
from games.records.game_files import seal_of, state_of
from games.shuffle import public_log
from games.shuffle.secret_box import unseal

log = structlog.get_logger(__name__)

#: Games published in one run, so that a long backlog does not hold up other tasks.
AT_ONCE: Final = 20
RETRY_AFTER: Final = timedelta(minutes=10)


def publish_ended(now: datetime, most: int = AT_ONCE) -> int:
    """Publish the games that have ended, oldest first, and return how many.

    One that cannot be sealed is logged and retried later. Safe to run twice, late or concurrently.
    """
    ready = Q(publish_after=None) | Q(publish_after__lte=now)
    waiting = Game.objects.filter(ready, ~sealed(), published=False, ended__isnull=False)
    games = list(waiting.select_related("table__shared_deals").order_by("ended", "pk")[:most])
    published = 0
    for game in games:
        try:
            published += publish(game)
        except DatabaseError:
            raise
        except Exception:
            log.exception("game not published", game=str(game.pk))
            Game.objects.filter(pk=game.pk).update(publish_after=now + RETRY_AFTER)
    return published


def publish(game: Game) -> bool:
    """Publish an ended game's secret and seal; return False if that had been done already.

    Raises ValueError if other tables still play its deals.
    """
    if game.table.sealed:
        raise ValueError(f"The deals of game {game.pk} are still being played.")
    data = {
        "state": state_of(game),
        "secret": unseal(game.secret).hex(),
        "seal": seal_of(game).hex(),
    }
    with transaction.atomic():
        unpublished = Game.objects.filter(pk=game.pk, published=False)
        if not unpublished.update(published=True, publish_after=None):
            return False
        public_log.append([(game.pk, LogLine.Kind.REVEALED, data)])
    return True
