"""Turn clock: a house player stands in for a person who is late or gone.

Depends only on rows (last event, seat, table), so that it survives restarts and any process may
enforce it.
"""

from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from games.live import absence
from games.models import Game, Player, Table
from games.sockets import hub


def ends(seconds: int, moved: datetime, since: datetime) -> datetime:
    """Return a turn's deadline, counted from the last move or, if later, from `since`.

    `since` is when the player sat down.
    """
    return max(moved, since) + timedelta(seconds=seconds)


def run_out(game_id: UUID, version: int, now: datetime, grace: timedelta = timedelta()) -> bool:
    """Let a house player take an expired turn; return whether it had expired.

    It expires when the time is up, or when the player has been gone for as long as the table waits;
    `grace` is extra time, while news of a return may arrive late. The player may take the seat
    back. Safe to run late, twice or in two processes: does nothing if the game has moved on from
    `version`.
    """
    with transaction.atomic():
        table = Table.objects.select_for_update().get(games=game_id)
        playing = Game.objects.select_for_update().filter(
            pk=game_id, version=version, state=Game.State.PLAYING
        )
        game = playing.defer("secret").first()
        if game is None or table.state != Table.State.PLAYING:
            return False
        persons = table.seats.exclude(player__kind=Player.Kind.HOUSE)
        seat = persons.filter(position=game.turn, stand_in=False).first()
        if seat is None:
            return False
        gone = absence.ends(table, seat)
        late = (
            table.turn_seconds is not None
            and now >= ends(table.turn_seconds, game.moved, seat.since)
            and (table.reserved or absence.somebody_waits(table, seat))
        )
        if not late and (gone is None or now < gone + grace):
            return False
        unchanged = table.seats.filter(pk=seat.pk, missing_since=seat.missing_since)
        if not unchanged.update(stand_in=True):
            return False  # the player came back at this moment
        transaction.on_commit(lambda: hub.announce(table.pk))
    return True
