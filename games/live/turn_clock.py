"""The end of a turn: a house player stands in for who has not acted in time, or has gone.

When a turn ends is told by rows alone: the game's last event, the seat and the table. So it is
the same after a restart and in every process, and whoever finds it over first ends it.
"""

from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from games.live import absence
from games.models import Game, Player, Table
from games.sockets import hub


def ends(seconds: int, moved: datetime, since: datetime) -> datetime:
    """When a turn is over.

    Args:
        seconds: how long somebody may take.
        moved: when the last thing happened in the game.
        since: when they sat down or took their seat back.
    """
    return max(moved, since) + timedelta(seconds=seconds)


def run_out(game_id: UUID, version: int, now: datetime, unheard: timedelta = timedelta()) -> bool:
    """Let a house player play for whoever is in turn, if that turn is over; return whether it was.

    It is over when its time is up, or when its player has been gone for as long as the table
    waits. The seat may be taken back as from any other who stands in. May run late, twice or in
    two processes at once: a game that has moved on from `version` is left alone.

    Args:
        game_id: the game.
        version: at which its turn is to end.
        now: the present moment.
        unheard: for how long it may be unknown here that somebody is back.
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
        late = table.turn_seconds is not None and now >= ends(
            table.turn_seconds, game.moved, seat.since
        )
        if not late and (gone is None or now < gone + unheard):
            return False
        unchanged = table.seats.filter(pk=seat.pk, missing_since=seat.missing_since)
        if not unchanged.update(stand_in=True):
            return False  # its player has come back at this moment
        transaction.on_commit(lambda: hub.announce(table.pk))
    return True
