"""Removal of a player from all tables, as when an account is closed."""

from datetime import datetime

from games.models import Game, Player, SeatRequest, Table
from games.seats import consent, reserved, seating
from games.seats.seating import SeatingError


def leave_all(player: Player, now: datetime) -> bool:
    """Remove a player from all tables, leaving their running games to house players for good.

    At a table of an event a house player stands in. Safe to repeat. Returns False if a table
    remains, because it is shuffling and can only be left once it plays.
    """
    SeatRequest.objects.filter(player=player).delete()
    whole = True
    for table in Table.objects.filter(seats__player=player).exclude(state=Table.State.CLOSED):
        try:
            _leave(table, player, now)
        except SeatingError:  # the table has changed meanwhile
            whole = False
        else:
            whole = whole and table.state != Table.State.SHUFFLING
    return whole


def _leave(table: Table, player: Player, now: datetime) -> None:
    if table.reserved or table.state == Table.State.SHUFFLING:
        reserved.stand_in_for(table.pk, [player.pk])
        seating.stand_up(table, player)
        return
    playing = table.games.filter(state=Game.State.PLAYING).order_by("-number").first()
    if playing is None:
        seating.stand_up(table, player)
    else:
        consent.leave(table, player, playing.number, now)
