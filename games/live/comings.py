"""Who came to a table, left it or came back: shown to everybody there."""

from datetime import datetime
from typing import Final

from games.models import Player, Table

#: Most entries a table keeps.
MOST: Final = 3


def tell(table: Table, what: str, player: Player, position: int, now: datetime) -> None:
    """Add who came or left to a table whose row is locked.

    what: ``CAME``, ``LEFT`` or ``BACK`` of `games.models.tables`.
    """
    table.comings = [*table.comings, [what, player.pk, position, now.timestamp()]][-MOST:]
    table.save(update_fields=["comings"])
