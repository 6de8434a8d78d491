"""Tables of rated quick games: people in all seats, no house players but stand-ins, one game.

They are reserved tables (`games.seats.reserved`): seats are assigned, nothing is undone or
resigned, and a house player stands in for whoever lets the turn clock run out, until they take the
seat back.
"""

import random
from collections.abc import Sequence
from datetime import datetime
from typing import Final

import structlog
from django.db import transaction
from django.utils import timezone

from games.engine.rules import RuleSet
from games.exclusive_tasks import failing_alone
from games.models import Seeker, Table
from games.quick import company, matching
from games.seats import reserved
from games.seats.reserved import ReservedTable

log = structlog.get_logger(__name__)

TITLE: Final = "Rated game"
#: The path of the page where the next game is found.
BACK: Final = "/play/"
_chance: Final = random.SystemRandom()


def open_table(rules: RuleSet, turn_seconds: int, seekers: Sequence[Seeker]) -> Table:
    """Seat as many people as the rules have seats, and start their rated game."""
    people = {one.player_id: one for one in seekers}
    order = matching.balanced_seats(company.ratings_of(people, rules), _chance)
    place = ReservedTable([people[one].player for one in order], TITLE, BACK)
    with transaction.atomic():
        (table,) = reserved.open_tables([place], rules, place.players[0], turn_seconds=turn_seconds)
        Table.objects.filter(pk=table.pk).update(rated=True, rating_due=1)
        now = timezone.now()
        for one in seekers:
            table.seats.filter(player=one.player_id).update(
                since=now, last_seen=now, throws_in=one.throws_in
            )
        reserved.begin(table.pk, 1, rules)
    table.refresh_from_db()
    return table


def close_over(now: datetime) -> None:
    """Close the tables whose game is over; safe to run twice, late or concurrently.

    A failure is logged and holds up no other table.
    """
    over = Table.objects.filter(rated=True, state=Table.State.FINISHED)
    for table_id in over.values_list("pk", flat=True):
        with failing_alone(log, "rated table not closed", table=table_id):
            reserved.end(table_id, now)
