"""From which addresses the players of a reserved table have come, as keyed hashes, for a while.

They are compared with each other to find rated games that one person has played against oneself;
see `tournaments.ratings.rating_holds`. No address is stored, and no hash is shown.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from django.utils.crypto import salted_hmac

from games.models import Seat, SeenFrom

#: For how long it is remembered.
KEPT: Final = timedelta(days=30)


def note(table_id: int, player_id: int, address: str) -> None:
    """Note that a player has been at a table; nothing unless it is reserved and has a seat there.

    address: as `games.people.addresses.address_of` gives it.
    """
    if Seat.objects.filter(table=table_id, player=player_id, table__reserved=True).exists():
        note_all([(table_id, player_id, address)])


def note_all(seen: Iterable[tuple[int, int, str]]) -> None:
    """Note table, player and address of some who have seats at reserved tables."""
    SeenFrom.objects.bulk_create(
        [
            SeenFrom(table_id=table_id, player_id=player_id, digest=_digest(address))
            for table_id, player_id, address in seen
        ],
        ignore_conflicts=True,
    )


def _digest(address: str) -> str:
    return salted_hmac("games.whereabouts", address, algorithm="sha256").hexdigest()[:32]


def forget(now: datetime) -> None:
    """Remove what has been remembered for long enough."""
    SeenFrom.objects.filter(at__lt=now - KEPT).delete()
