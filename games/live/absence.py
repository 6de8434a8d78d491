"""Absence of players, and when a house player takes over until they return.

Stored in rows and thus equal in every process: `Seat.missing_since` is set when a player's last
socket has closed, and cleared when one opens or the player acts. It only counts while somebody else
is waiting: if a whole table drops out at once, the time of the others restarts when the first of
them is back.
"""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import QuerySet

from games.live import seat_changes, state
from games.models import Player, Proposal, Seat, Table
from games.models.tables import BACK, PATIENCE
from games.sockets import hub


class GonePlayer(NamedTuple):
    table_id: int
    player_id: int


def ends(table: Table, seat: Seat) -> datetime | None:
    """Return when a house player takes over a seat, if ever; the table's row must be locked."""
    if table.reserved or table.house_after is None or seat.missing_since is None:
        return None
    if not _present_seats(table).exists():
        return None
    return seat.missing_since + timedelta(seconds=table.house_after)


def record_gone(gone: Mapping[GonePlayer, datetime]) -> None:
    """Mark players as gone since a time, unless any process has seen them since then."""
    for who, closed in gone.items():
        seats = Seat.objects.filter(table=who.table_id, player=who.player_id, missing_since=None)
        if seats.filter(last_seen__lte=closed).update(missing_since=closed, last_seen=closed):
            hub.announce(who.table_id)


def mark_stale_as_gone(seat_ids: Collection[int], now: datetime) -> None:
    """Mark the players of some seats as gone who have not been seen for a minute.

    Catches connections that never closed visibly, as when a process is killed, and players who
    never connected.
    """
    unseen = Seat.objects.filter(pk__in=seat_ids, missing_since=None, last_seen__lte=now - PATIENCE)
    tables = set(unseen.values_list("table", flat=True))
    unseen.update(missing_since=now)
    for table_id in tables:
        hub.announce(table_id)


def mark_all_stale_as_gone(now: datetime, most: int) -> list[int]:
    """Mark unseen players as gone at tables without sockets where the house takes over.

    Marks at most `most` seats, the most recently seen first, so that long abandoned games do not
    delay them. Returns their tables, which may now have an action due.
    """
    seats = Seat.objects.filter(
        table__state=Table.State.PLAYING,
        table__reserved=False,
        table__house_after__isnull=False,
        player__kind__in=[Player.Kind.PERSON, Player.Kind.PROGRAM],
        missing_since=None,
        last_seen__lte=now - PATIENCE,
    )
    lost = list(seats.order_by("-last_seen", "pk").values_list("pk", "table_id")[:most])
    if lost:
        mark_stale_as_gone([pk for pk, _ in lost], now)
    return sorted({table_id for _, table_id in lost})


def record_present(table_id: int, player_id: int, now: datetime, **seat_fields: Any) -> None:
    """Mark a player as present, set `seat_fields` on the seat, and end a stand-in.

    In a reserved seat the house player continues until the player takes the seat back.
    """
    mine = Seat.objects.filter(table=table_id, player=player_id)
    if mine.filter(missing_since=None, stand_in=False).update(last_seen=now, **seat_fields):
        return
    if mine.exists():
        _come_back(table_id, player_id, now, seat_fields)


@transaction.atomic
def _come_back(
    table_id: int, player_id: int, now: datetime, seat_fields: Mapping[str, Any]
) -> None:
    table = Table.objects.select_for_update().get(pk=table_id)
    mine = table.seats.filter(player=player_id)
    seat = mine.select_for_update(of=("self",)).select_related("player").first()
    if seat is None or seat.player is None:
        return
    if seat.missing_since is not None and not _present_seats(table).exists():
        table.seats.filter(missing_since__lt=now).update(missing_since=now)  # restart the wait
    if seat.stand_in and not table.reserved:
        seat_changes.record(table, BACK, seat.player, seat.position, now)
        mine.update(stand_in=False, since=now)
    mine.update(last_seen=now, missing_since=None, **seat_fields)
    transaction.on_commit(lambda: hub.announce(table_id))


@transaction.atomic
def agree(table_id: int, proposal_id: int, now: datetime) -> None:
    """Agree to a proposal that waits only for players whom house players have replaced."""
    table = Table.objects.select_for_update().get(pk=table_id)
    game = table.games.select_for_update().latest("number")
    live = state.read(table_id)  # somebody may have returned meanwhile
    asked = live.proposal(now)
    if asked is None or asked.proposal_id != proposal_id or live.awaited(asked):
        return
    game.proposals.filter(pk=proposal_id).update(state=Proposal.State.AGREED)
    game.due = now
    game.save(update_fields=["due"])


def somebody_waits(table: Table, seat: Seat) -> bool:
    """Return True if somebody else is here, for whom the clock of a player in turn runs."""
    return _present_seats(table).exclude(pk=seat.pk).exists()


def _present_seats(table: Table) -> QuerySet[Seat]:
    """Return the seats of players, persons or external programs, who are not gone."""
    players = table.seats.filter(player__isnull=False, missing_since=None)
    return players.exclude(player__kind=Player.Kind.HOUSE)
