"""The turn clock: a house player stands in for somebody who has not acted in time.

When a turn ends is told by rows alone: the game's last event, the seat and the table. So it is
the same after a restart and in every process, and whoever finds it over first ends it.
"""

from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from games.models import Game, Player, Table
from games.sockets import hub


def ends(seconds: int, moved: datetime, since: datetime) -> datetime:
    """When a turn is over.

    Args:
        seconds: how long somebody may take.
        moved: when the last thing happened in the game.
        since: when he sat down or took his seat back.
    """
    return max(moved, since) + timedelta(seconds=seconds)


def run_out(game_id: UUID, version: int, now: datetime) -> bool:
    """Let a house player play for whoever is in turn, if his time is up; return whether it was.

    He may take his seat back as from any other who stands in for him. May run late, twice or in
    two processes at once: a game that has moved on from `version` is left alone.
    """
    with transaction.atomic():
        table = Table.objects.select_for_update().get(games=game_id)
        playing = Game.objects.select_for_update().filter(
            pk=game_id, version=version, state=Game.State.PLAYING
        )
        game = playing.defer("secret").first()
        if game is None or table.turn_seconds is None or table.state != Table.State.PLAYING:
            return False
        persons = table.seats.exclude(player__kind=Player.Kind.HOUSE)
        seat = persons.filter(position=game.turn, stand_in=False).first()
        if seat is None or now < ends(table.turn_seconds, game.moved, seat.since):
            return False
        table.seats.filter(pk=seat.pk).update(stand_in=True)
        transaction.on_commit(lambda: hub.announce(table.pk))
    return True
