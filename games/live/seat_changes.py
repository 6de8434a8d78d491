"""The latest arrivals and departures at a table, shown to all there."""

from datetime import datetime
from typing import Final

from games.models import Player, Table

#: Entries kept by a table.
MAX_KEPT: Final = 3


def record(table: Table, what: str, player: Player, position: int, now: datetime) -> None:
    """Add an entry, ``CAME``, ``LEFT`` or ``BACK``, to a table whose row is locked."""
    table.comings = [*table.comings, [what, player.pk, position, now.timestamp()]][-MAX_KEPT:]
    table.save(update_fields=["comings"])
