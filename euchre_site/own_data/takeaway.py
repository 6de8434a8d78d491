"""Taking one's data away: asked for by a press, made by a task, kept for a day.

The files are rows, so that a worker on another machine can make them.
"""

from datetime import datetime, timedelta
from typing import Final

import structlog
from django.db import DatabaseError, IntegrityError, transaction
from django.utils import timezone

from euchre_site.own_data import contents
from games.models import Player, Takeaway, TakeawayFile
from tournaments.outbox.claiming import Clock, claims
from tournaments.refusals import RefusedError

log = structlog.get_logger(__name__)

#: For how long the files can be fetched.
KEPT: Final = timedelta(days=1)
#: How often somebody may ask in that time.
MOST_A_DAY: Final = 3
#: How long after each try that failed, or whose worker died, the next one is made.
DELAYS: Final = (timedelta(minutes=15), timedelta(minutes=30), timedelta(hours=2))


@transaction.atomic
def ask(player: Player, now: datetime) -> Takeaway:
    """Ask for all data about a player; while they are being made it stays as it is.

    Raises:
        RefusedError: ``too often``.
    """
    Player.objects.select_for_update().get(pk=player.pk)
    latest = latest_of(player, now)
    if latest is not None and latest.made is None and latest.due is not None:
        return latest
    recent = player.takeaways.filter(asked__gt=now - KEPT)
    if recent.count() >= MOST_A_DAY:
        raise RefusedError(
            "too often",
            f"You have asked {MOST_A_DAY} times within 24 hours, which is the most. The files made "
            "last are still here.",
            429,
        )
    return Takeaway.objects.create(player=player, asked=now, due=now)


def latest_of(player: Player, now: datetime) -> Takeaway | None:
    """Return what a player has asked for last and can still fetch, made or not."""
    return player.takeaways.filter(asked__gt=now - KEPT).order_by("-asked", "-pk").first()


def file_of(player: Player, number: int, now: datetime) -> TakeawayFile | None:
    """Return one of the files that were made last for a player."""
    made = player.takeaways.filter(asked__gt=now - KEPT, made__isnull=False)
    latest = made.order_by("-asked", "-pk").first()
    return latest.files.filter(number=number).first() if latest is not None else None


def make_due(clock: Clock = timezone.now) -> int:
    """Make what has been asked for; return how many. Any number of workers may do so at once.

    One that cannot be made is logged, tried again later and then given up, and holds up no other.
    """
    made = 0
    waiting = Takeaway.objects.filter(made=None).select_related("player__user")
    for (takeaway,) in claims(waiting, clock, DELAYS, "tries"):
        try:
            _make(takeaway, clock())
            made += 1
        except IntegrityError:  # the account has been deleted meanwhile
            log.info("nobody takes this away any more", takeaway=takeaway.pk)
        except DatabaseError:
            raise
        except Exception:
            log.exception("data to be taken away not made", takeaway=takeaway.pk)
    return made


def forget_old(now: datetime) -> None:
    """Remove the files that have been kept for long enough."""
    old = Takeaway.objects.filter(asked__lte=now - KEPT)
    if old.exists():  # asking takes no turn to write
        old.delete()


def _make(takeaway: Takeaway, now: datetime) -> None:
    """Make the files, each stored by itself: no transaction is open while one is made."""
    takeaway.files.all().delete()
    player = takeaway.player
    for number, games in enumerate(contents.files(contents.games_of(player)), start=1):
        made = contents.zip_file(player, games, first=number == 1, now=now)
        TakeawayFile.objects.create(takeaway=takeaway, number=number, data=made, size=len(made))
    Takeaway.objects.filter(pk=takeaway.pk).update(made=now, due=None)
