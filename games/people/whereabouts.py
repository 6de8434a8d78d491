"""Keyed hashes of the addresses from which players came to reserved tables, kept for a while.

Compared with each other to find rated games that one person played alone; see
`tournaments.ratings.holds`. No address is stored and no hash is shown.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from django.utils.crypto import salted_hmac

from games.models import Seat, SeenFrom

#: How long hashes are kept.
KEPT: Final = timedelta(days=30)


def record(table_id: int, player_id: int, address: str) -> None:
    """Record a player's address, from `address_of`, if they have a seat at a reserved table.

    At a solo table nobody else plays; the owner of its deals compares addresses.
    """
    seats = Seat.objects.filter(table__reserved=True, table__solo=False)
    if seats.filter(table=table_id, player=player_id).exists():
        record_all([(table_id, player_id, address)])


def record_all(seen: Iterable[tuple[int, int, str]]) -> None:
    SeenFrom.objects.bulk_create(
        [
            SeenFrom(table_id=table_id, player_id=player_id, digest=digest(address))
            for table_id, player_id, address in seen
        ],
        ignore_conflicts=True,
    )


def digest(address: str) -> str:
    """Return the keyed hash of an address."""
    return salted_hmac("games.whereabouts", address, algorithm="sha256").hexdigest()[:32]


def forget(now: datetime) -> None:
    SeenFrom.objects.filter(at__lt=now - KEPT).delete()
