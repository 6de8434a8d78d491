"""Who is here: when members last asked for a page, and to whom they show it.

Each web process notes its members in memory and stores them every few seconds in one statement, at
most once a minute for each. Nothing is written while a page is made. Whoever sits at a table is
known to be there by their seat (`Seat.last_seen`).
"""

import asyncio
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final

import structlog
from django.utils import timezone

from games.models import LastHere, Player
from games.people import friends
from games.sockets import loop

log = structlog.get_logger(__name__)

#: Seconds between two looks at who has been noted.
STORE_EVERY: Final = 15.0
#: How often the same member is stored, at most.
EVERY: Final = timedelta(seconds=60)
#: How long after their last page somebody counts as here.
HERE_FOR: Final = timedelta(minutes=5)
#: Rows per statement.
CHUNK: Final = 400


class _Noted:
    players: dict[int, datetime]


_Noted.players = {}


def note(player_id: int) -> None:
    """Note that a member has asked for a page; this only writes to memory."""
    _Noted.players[player_id] = timezone.now()


def store(now: datetime) -> int:
    """Store who has been noted and has not been stored for `EVERY`; return their number.

    Those who show themselves to nobody are not stored.
    """
    noted, _Noted.players = _Noted.players, {}
    ids, stored = sorted(noted), 0
    for first in range(0, len(ids), CHUNK):
        chunk = ids[first : first + CHUNK]
        due = Player.objects.filter(pk__in=chunk, user__is_active=True)
        due = due.exclude(seen_by=Player.SeenBy.NOBODY).exclude(last_here__at__gt=now - EVERY)
        rows = [
            LastHere(player_id=player, at=noted[player])
            for player in due.order_by("pk").values_list("pk", flat=True)
        ]
        if rows:
            LastHere.objects.bulk_create(
                rows, update_conflicts=True, unique_fields=["player"], update_fields=["at"]
            )
        stored += len(rows)
    return stored


async def keep_storing() -> None:
    while not loop.is_cancelled():
        await asyncio.sleep(STORE_EVERY)
        try:
            await loop.in_database(store, timezone.now())
        except Exception:
            log.exception("who is here was not stored")


def choose_seen_by(player: Player, seen_by: str) -> None:
    """Set to whom a player shows that they are here; what is known is deleted for "nobody"."""
    player.seen_by = seen_by
    player.save(update_fields=["seen_by"])
    if seen_by == Player.SeenBy.NOBODY:
        LastHere.objects.filter(player=player).delete()


def here(players: Collection[int], now: datetime) -> frozenset[int]:
    """Return which of some players have asked for a page lately, whoever may know."""
    rows = LastHere.objects.filter(player__in=players, at__gt=now - HERE_FOR)
    return frozenset(rows.values_list("player_id", flat=True))


def shown_to(viewer: Player | None, person: Player) -> bool:
    """Return True if a person shows a player or visitor (None) whether they are here."""
    if person.seen_by == Player.SeenBy.EVERYBODY or viewer == person:
        return True
    if viewer is None or person.seen_by == Player.SeenBy.NOBODY:
        return False
    return friends.are_friends(viewer, person.pk)
