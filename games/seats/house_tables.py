"""Tables of house players that play game after game, so that there is always one to watch."""

from datetime import datetime, timedelta
from typing import Final

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from games.engine.rules import RuleSet
from games.exclusive_tasks import failing_alone
from games.models import Game, Player, Table
from games.people.house_players import house_players
from games.seats import reserved
from games.seats.reserved import ReservedTable
from games.shuffle import shuffling
from games.sockets import hub

log = structlog.get_logger(__name__)

#: Finished games kept at such a table; older ones are deleted, since no person played them.
KEPT: Final = 10


def open_house_table(host: Player, rules: RuleSet, *, title: str, back: str) -> Table:
    """Open a table of house players for the page `back`, and start the first of its games."""
    place = ReservedTable(house_players(rules.players), title, back)
    with transaction.atomic():
        (table,) = reserved.open_tables([place], rules, host)
        Table.objects.filter(pk=table.pk).update(plays_on=True)
        reserved.begin(table.pk, 1, rules)
    table.refresh_from_db()
    return table


def end_house_tables(back: str, now: datetime) -> None:
    for table_id in Table.objects.filter(plays_on=True, back=back).values_list("pk", flat=True):
        reserved.end(table_id, now)


def begin_next(now: datetime) -> int:
    """Start the next game at each house table after its pause, and return how many were started.

    A failure is logged and holds up no other table. Safe to run twice, late or concurrently.
    """
    begun = 0
    for table_id in _rested(now).values_list("pk", flat=True):
        with failing_alone(log, "house table not continued", table=table_id):
            begun += _begin_next(table_id, now)
    return begun


def _rested(now: datetime) -> QuerySet[Table]:
    since = now - timedelta(seconds=settings.NEXT_GAME_PAUSE)
    just_ended = Game.objects.filter(table=OuterRef("pk"), ended__gt=since)
    return Table.objects.filter(~Exists(just_ended), plays_on=True, state=Table.State.FINISHED)


def _begin_next(table_id: int, now: datetime) -> bool:
    """Start a table's next game; return False if another worker has."""
    with transaction.atomic():
        table = Table.objects.select_for_update().get(pk=table_id)
        if not _rested(now).filter(pk=table_id).exists():
            return False
        shuffling.begin(table, now)
        # Delete only published games: the public log must have their secret first.
        finished = table.games.filter(ended__isnull=False).order_by("-number")
        old = list(finished.values_list("pk", flat=True)[KEPT:])
        Game.objects.filter(pk__in=old, published=True, noted=True).delete()
        transaction.on_commit(lambda: hub.announce(table_id))
    return True
