"""Who came to a table, left it or plays again: told to everybody there."""

from datetime import datetime
from typing import Final

from games.models import Player, Table

#: How many of them a table keeps.
MOST: Final = 3


def tell(table: Table, what: str, player: Player, position: int, now: datetime) -> None:
    """Let everybody at a held table be told who came or left.

    what: ``CAME``, ``LEFT`` or ``BACK`` of `games.models.tables`. position: to or from which seat.
    """
    table.comings = [*table.comings, [what, player.pk, position, now.timestamp()]][-MOST:]
    table.save(update_fields=["comings"])
