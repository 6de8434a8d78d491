"""Closes abandoned tables and ends their games."""

from datetime import datetime, timedelta

import structlog
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from games.exclusive_tasks import failing_alone
from games.models import Game, Player, Seat, Table
from games.seats import seating
from games.shuffle import shuffling
from games.sockets import hub

log = structlog.get_logger(__name__)

#: Close a table after this time without a person present or an event.
LEFT_AFTER = timedelta(hours=12)


def close_left(now: datetime) -> int:
    """Close abandoned tables and their games, and return how many tables were closed.

    A failure is logged and holds up no other table. Safe to run twice, late or concurrently.
    """
    before = now - LEFT_AFTER
    left = list(_left(before).values_list("pk", flat=True))
    closed = 0
    for table_id in left:
        with failing_alone(log, "table not closed", table=table_id):
            closed += _close(table_id, before, now)
    return closed


def _left(before: datetime) -> QuerySet[Table]:
    somebody = Seat.objects.filter(
        table=OuterRef("pk"), player__kind=Player.Kind.PERSON, last_seen__gte=before
    )
    played = Game.objects.filter(table=OuterRef("pk"), moved__gte=before)
    return Table.objects.filter(
        ~Q(state=Table.State.CLOSED),
        ~Exists(somebody),
        ~Exists(played),
        created__lt=before,
        plays_on=False,
    )


def _close(table_id: int, before: datetime, now: datetime) -> bool:
    """Close a table; return False if a player has come back meanwhile."""
    with transaction.atomic():
        table = Table.objects.select_for_update().get(pk=table_id)
        if not _left(before).filter(pk=table_id).update(state=Table.State.CLOSED):
            return False
        Game.objects.filter(table=table_id, state=Game.State.PLAYING).update(
            state=Game.State.ABANDONED, ended=now, due=None, turn=-1
        )
        table.state = Table.State.CLOSED
        seating.forget_strangers(table)
        shuffling.abort([table_id])
        transaction.on_commit(lambda: hub.announce(table_id))
    return True
