"""People whom a player does not want to hear; only that player knows."""

from typing import Final

from django.db import transaction

from games.models import Mute, Player, Seat
from games.sockets import audience
from games.talk.speaking import TalkError, announce

#: The most people somebody may mute.
MOST: Final = 500
MOST_MUTED: Final = f"You have muted {MOST} people; that is the most."
YOURSELF: Final = "You cannot mute yourself."


def mute(by: Player, other: Player, table_id: int) -> None:
    """Hear nothing more of somebody, at any table; repeating it is harmless.

    Raises TalkError: ``yourself`` or ``many``.
    """
    if by.pk == other.pk:
        raise TalkError("yourself", YOURSELF)
    if by.mutes.exclude(other=other).count() >= MOST:
        raise TalkError("many", MOST_MUTED)
    Mute.objects.get_or_create(by=by, other=other)
    _announce(by, table_id)


def unmute(by: Player, other_id: int, table_id: int) -> None:
    by.mutes.filter(other=other_id).delete()
    _announce(by, table_id)


def _announce(by: Player, table_id: int) -> None:
    seats = Seat.objects.filter(player=by).order_by("-pk").values_list("table", flat=True)

    def tell() -> None:
        for one in {table_id, *seats[:20]}:
            announce(one)
        audience.choose_again([by.pk])

    transaction.on_commit(tell)
