"""Absence: who has gone, and from when on a house player plays for them until they are back.

Rows tell it, so that it is the same in every process: a seat's `missing_since` is noted when its
person's last socket has closed, and taken back when one opens or that person acts. Nobody is
played for while nobody waits: where a whole table has gone at once, as when its lines were cut,
the time of the others begins anew when the first is back.
"""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import QuerySet

from games.live import comings, state
from games.models import Player, Proposal, Seat, Table
from games.models.tables import BACK, PATIENCE
from games.sockets import hub


class Gone(NamedTuple):
    """Somebody whose last socket at a table has closed in this process.

    Attributes:
        table_id: the table.
        player_id: who.
    """

    table_id: int
    player_id: int


def ends(table: Table, seat: Seat) -> datetime | None:
    """From when on a house player plays for a seat's person; None while it does not.

    table: the seat's, held.
    """
    if table.reserved or table.house_after is None or seat.missing_since is None:
        return None
    if not _here(table).exists():
        return None
    return seat.missing_since + timedelta(seconds=table.house_after)


def note_gone(gone: Mapping[Gone, datetime]) -> None:
    """Note who has gone, and when; all who watch their tables are shown it.

    Somebody who has been seen since, in whichever process, is not gone.
    """
    for who, closed in gone.items():
        seats = Seat.objects.filter(table=who.table_id, player=who.player_id, missing_since=None)
        if seats.filter(last_seen__lte=closed).update(missing_since=closed, last_seen=closed):
            hub.announce(who.table_id)


def note_lost(seat_ids: Collection[int], now: datetime) -> None:
    """Note that some seats' persons are gone, of whom nothing has been heard for a minute.

    So those are found whose line was never seen to close, as of a process that was killed, or who
    never had one.
    """
    unheard = Seat.objects.filter(
        pk__in=seat_ids, missing_since=None, last_seen__lte=now - PATIENCE
    )
    tables = set(unheard.values_list("table", flat=True))
    unheard.update(missing_since=now)
    for table_id in tables:
        hub.announce(table_id)


def lose_unheard(now: datetime, most: int) -> list[int]:
    """Note who is gone where the house plays for such, though nobody has a socket there.

    Those who have just been heard of come first, and not those of games left long ago.

    Args:
        now: the present moment.
        most: how many seats are noted at once.

    Returns:
        Their tables, at which something may be due from now on.
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
        note_lost([pk for pk, _ in lost], now)
    return sorted({table_id for _, table_id in lost})


def note_here(table_id: int, player_id: int, now: datetime, **noted: Any) -> None:
    """Note that a seat's person is here; a seat the house has played for is their own again.

    At a table whose seats are given a house player stays until the seat is taken back.

    noted: what else becomes known of the seat, by field.
    """
    mine = Seat.objects.filter(table=table_id, player=player_id)
    if mine.filter(missing_since=None, stand_in=False).update(last_seen=now, **noted):
        return
    if mine.exists():
        _come_back(table_id, player_id, now, noted)


@transaction.atomic
def _come_back(table_id: int, player_id: int, now: datetime, noted: Mapping[str, Any]) -> None:
    table = Table.objects.select_for_update().get(pk=table_id)
    mine = table.seats.filter(player=player_id)
    seat = mine.select_for_update(of=("self",)).select_related("player").first()
    if seat is None or seat.player is None:
        return
    if seat.missing_since is not None and not _here(table).exists():
        table.seats.filter(missing_since__lt=now).update(missing_since=now)  # none has waited yet
    if seat.stand_in and not table.reserved:
        comings.tell(table, BACK, seat.player, seat.position, now)
        mine.update(stand_in=False, since=now)
    mine.update(last_seen=now, missing_since=None, **noted)
    transaction.on_commit(lambda: hub.announce(table_id))


@transaction.atomic
def agree(table_id: int, proposal_id: int, now: datetime) -> None:
    """Agree to what waits for nobody any more, since house players stand in for all who were asked.

    The table then does it at once.
    """
    table = Table.objects.select_for_update().get(pk=table_id)
    game = table.games.select_for_update().latest("number")
    live = state.read(table_id)  # somebody may have come back meanwhile
    asked = live.proposal(now)
    if asked is None or asked.proposal_id != proposal_id or live.awaited(asked):
        return
    game.proposals.filter(pk=proposal_id).update(state=Proposal.State.AGREED)
    game.due = now
    game.save(update_fields=["due"])


def _here(table: Table) -> QuerySet[Seat]:
    """The seats whose players, persons or programs from outside, are not gone."""
    players = table.seats.filter(player__isnull=False, missing_since=None)
    return players.exclude(player__kind=Player.Kind.HOUSE)
