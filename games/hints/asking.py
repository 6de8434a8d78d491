"""Asking for a hint, which makes the game practice."""

from __future__ import annotations

from typing import NamedTuple

from games.engine.observation import Observation
from games.live import state
from games.models import Game, Player, Table
from games.picture import viewing
from games.picture.cast import Cast, cast_of
from games.seats import seating
from games.seats.seating import SeatingError


class Asked(NamedTuple):
    """What the player saw, and the strength of the table's house players."""

    seen: Observation
    cast: Cast
    level: str


def ask(table: Table, player: Player, stamp: str) -> Asked:
    """Make the game practice and return what the player sees; repeating is harmless.

    Raises SeatingError: ``not seated``; ``reserved``: a solo table; ``moved on``: the table is not
    at this stamp any more; ``no hint``: other people play too, a program asks, or there is nothing
    to choose.
    """
    with seating.held_table(table) as held:
        seating.seat_of(held, player)
        seating.refuse_solo(held)
        live = state.read(held.pk)
        if stamp != live.stamp:
            raise SeatingError("moved on", "The table has moved on since; ask again.")
        view = viewing.view_of(live, player.pk)
        seen = view.observation if view.may_hint else None
        if seen is None:
            raise SeatingError(
                "no hint",
                "You can ask for a hint when it is your turn, in an unrated game with house "
                "players only.",
            )
        game = Game.objects.select_for_update().filter(table=held).latest("number")
        if game.state != Game.State.PLAYING:
            raise SeatingError("no hint", "The game is over.")
        if not game.for_practice:
            game.for_practice = True
            game.save(update_fields=["for_practice"])
        cast = cast_of(tuple(one.name for one in live.seats))
        return Asked(seen, cast, live.house_level)
