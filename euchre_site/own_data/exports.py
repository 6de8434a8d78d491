"""Exports of one's own data: requested on a page, made by a task, kept for a day.

The files are stored in the database, since a worker on another machine may make them.
"""

from datetime import datetime, timedelta
from typing import Final

import structlog
from django.db import DatabaseError, IntegrityError, transaction
from django.utils import timezone

from euchre_site.own_data import export_contents
from games.models import Player, Takeaway, TakeawayFile
from tournaments.outbox.claiming import Clock, claims
from tournaments.refusals import RefusedError

log = structlog.get_logger(__name__)

#: How long the files can be downloaded.
KEPT: Final = timedelta(days=1)
#: Maximum number of requests in that time.
MAX_PER_DAY: Final = 3
#: Delays before retrying after failed attempts, or if a worker died.
DELAYS: Final = (timedelta(minutes=15), timedelta(minutes=30), timedelta(hours=2))


@transaction.atomic
def request(player: Player, now: datetime) -> Takeaway:
    """Request an export unless one is being made; raise RefusedError ``too often``."""
    Player.objects.select_for_update().get(pk=player.pk)
    latest = latest_of(player, now)
    if latest is not None and latest.made is None and latest.due is not None:
        return latest
    recent = player.takeaways.filter(asked__gt=now - KEPT)
    if recent.count() >= MAX_PER_DAY:
        raise RefusedError(
            "too often",
            f"You have asked {MAX_PER_DAY} times in 24 hours, which is the limit. The files of "
            "last time are still here.",
            429,
        )
    return Takeaway.objects.create(player=player, asked=now, due=now)


def latest_of(player: Player, now: datetime) -> Takeaway | None:
    return player.takeaways.filter(asked__gt=now - KEPT).order_by("-asked", "-pk").first()


def file_of(player: Player, number: int, now: datetime) -> TakeawayFile | None:
    made = player.takeaways.filter(asked__gt=now - KEPT, made__isnull=False)
    latest = made.order_by("-asked", "-pk").first()
    return latest.files.filter(number=number).first() if latest is not None else None


def make_due(clock: Clock = timezone.now) -> int:
    """Make the requested exports; return their number. Safe to run in parallel.

    A failure is retried later and finally given up; it does not hold up other exports.
    """
    made = 0
    waiting = Takeaway.objects.filter(made=None).select_related("player__user")
    for (takeaway,) in claims(waiting, clock, DELAYS, "tries"):
        try:
            _make(takeaway, clock())
            made += 1
        except IntegrityError:  # the account was deleted in the meantime
            log.info("export abandoned", takeaway=takeaway.pk)
        except DatabaseError:
            raise
        except Exception:
            log.exception("export failed", takeaway=takeaway.pk)
    return made


def delete_old(now: datetime) -> None:
    old = Takeaway.objects.filter(asked__lte=now - KEPT)
    if old.exists():  # a query does not wait for the write lock
        old.delete()


def _make(takeaway: Takeaway, now: datetime) -> None:
    """Store the files one by one, without holding a transaction open."""
    takeaway.files.all().delete()
    player = takeaway.player
    for number, games in enumerate(
        export_contents.files(export_contents.games_of(player)), start=1
    ):
        made = export_contents.zip_file(player, games, first=number == 1, now=now)
        TakeawayFile.objects.create(takeaway=takeaway, number=number, data=made, size=len(made))
    Takeaway.objects.filter(pk=takeaway.pk).update(made=now, due=None)
