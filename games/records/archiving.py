"""Archiving finished games: a game's events and its shuffle become one compressed row.

A game is archived `ARCHIVE_DAYS` after its end, unless somebody may still object to it. It is read
as before, through `Game.stored_events` and the other methods of `Game`, which know both forms. The
browsers' keys of events are dropped: they only tell a repeated request from a new one.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, TypeAlias
from uuid import UUID

import structlog
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, DataError, IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from games.files.archive import ArchivedGame, ArchiveError, pack, unpack
from games.models import Game, GameArchive, GameEvent, GameSubstitute, LogLine, TalkReport
from games.models.shared_deals import sealed
from games.shuffle.secret_box import opens, secret_of

log = structlog.get_logger(__name__)

#: Games archived in one run, so that a long backlog does not hold up other tasks.
AT_ONCE: Final = 20
#: When a game is tried again that could not be archived. The doctor reports it until then.
RETRY_AFTER: Final = timedelta(days=1)

#: Returns the condition that a game may still be objected to.
Contested: TypeAlias = Callable[[], Q]


def _reported() -> Q:
    return Q(Exists(TalkReport.objects.filter(game=OuterRef("pk"), decided=None)))


_contested: Final[list[Contested]] = [_reported]


def wait_while(contested: Contested) -> None:
    """Keep games that fulfil a condition of another app from being archived."""
    _contested.append(contested)


def to_archive(now: datetime) -> QuerySet[Game]:
    """Return the games that can be archived, oldest first."""
    ended = Game.objects.filter(
        ~sealed(),
        *(~contested() for contested in _contested),
        archived=False,
        noted=True,
        published=True,
        version__gt=0,
        ended__lt=now - timedelta(days=settings.ARCHIVE_DAYS),
    )
    return ended.order_by("ended")  # and no more: SQLite would look through `game_by_end`


def ready(now: datetime) -> QuerySet[Game]:
    """Return the games to archive now: those that could not be are left out for a while."""
    return to_archive(now).filter(Q(archive_after=None) | Q(archive_after__lte=now))


def archive_due(now: datetime, most: int = AT_ONCE) -> int:
    """Archive the oldest games that are ready, each in a transaction of its own; return how many.

    Safe to run late, twice or in several processes, and to kill at any point. A game that cannot be
    archived is logged and tried again later, so that even many do not hold up the others. Raise an
    error that has nothing to do with one game, such as a lost database or another DEAL_KEY.
    """
    archived = 0
    for game_id in list(ready(now).values_list("pk", flat=True)[:most]):
        try:
            archived += archive(game_id, now)
        except Exception as error:
            if not _is_of_one_game(error):
                raise
            log.exception("game not archived", game=str(game_id))
            Game.objects.filter(pk=game_id).update(archive_after=now + RETRY_AFTER)
    return archived


def _is_of_one_game(error: Exception) -> bool:
    if isinstance(error, DatabaseError):
        return isinstance(error, DataError | IntegrityError)
    return not isinstance(error, ImproperlyConfigured) or opens()


@transaction.atomic
def archive(game_id: UUID, now: datetime) -> bool:
    """Archive a game; return False if that may not be done, or is being done elsewhere."""
    due = to_archive(now).filter(pk=game_id).select_for_update(of=("self",), skip_locked=True)
    game = due.first()
    if game is None:
        return False
    record = ArchivedGame(
        secret_of(game),
        bytes(game.seat_commitments),
        bytes(game.contributions),
        game.stored_events(),
    )
    packed = pack(record)
    if unpack(packed) != record:
        raise ArchiveError("The archive of a game is not equal to the game.")
    GameArchive.objects.create(game=game, record=packed)
    acted = {event.player for event in record.events if event.player is not None}
    GameSubstitute.objects.bulk_create(
        GameSubstitute(game=game, player_id=player)
        for player in sorted(acted - set(game.seats.values_list("player", flat=True)))
    )
    GameEvent.objects.filter(game=game).delete()
    LogLine.objects.filter(match=game.pk).drop_data()
    Game.objects.filter(pk=game.pk).update(
        archived=True, archive_after=None, secret=b"", seat_commitments=b"", contributions=b""
    )
    return True
