"""Access control: views and sockets must get tables and games through this module.

An open table may be watched by anybody. A table by invitation exists only for its players, its host
and visitors who came by its link; all others get a 404. So does everybody but its players, the host
too, where other tables still play the same deals (`games.models.shared_deals`).
"""

import hmac
import uuid
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from asgiref.sync import sync_to_async
from django.contrib.sessions.backends.base import SessionBase
from django.http import Http404

from games.models import Game, Player, Seat, Table
from games.numbers import MAX_BIGINT

INVITED_KEY = "invited"  # in the session: ids of tables whose link was followed
MAX_INVITATIONS = 50  # the oldest are dropped; a link can be followed again


class SealedError(Http404):
    """Other tables still play the deals of this table or game."""

    def __init__(self) -> None:
        super().__init__(SEALED)


SEALED: Final = (
    "Other tables still play these deals. Everybody can see them when the last table has finished."
)


@dataclass(frozen=True, slots=True)
class Access:
    """A player's or visitor's relation to a table; `host`: they made it."""

    table: Table
    seat: int | None
    host: bool

    @property
    def spectator(self) -> bool:
        return self.seat is None


def table_for(
    player: Player | None, table_id: int, *, token: str = "", invited: Collection[int] = ()
) -> Access:
    """Return a player's or (None) visitor's access to a table; raise Http404 if they have none."""
    table = Table.objects.select_related("host", "shared_deals").filter(pk=table_id).first()
    if table is None:
        raise Http404
    access = _access(player, table)
    if not (opens(token, table) or _lets_in(access, invited)):
        raise Http404
    if _is_sealed_for(access):
        raise SealedError
    return access


def tables_for(
    asked: Collection[tuple[Player | None, int, Collection[int]]],
) -> list[Access | None]:
    """Return the results of `table_for` for many (player, table id, invited); None for a 404."""
    wanted = {table_id for _, table_id, _ in asked if table_id <= MAX_BIGINT}
    tables = Table.objects.select_related("host", "shared_deals").in_bulk(wanted)
    players = {player.pk for player, _, _ in asked if player is not None}
    seats = Seat.objects.filter(table__in=tables, player__in=players)
    at = {(table, who): pos for table, who, pos in seats.values_list("table", "player", "position")}
    found: list[Access | None] = []
    for player, table_id, invited in asked:
        table, who = tables.get(table_id), player.pk if player is not None else 0
        access = Access(table, at.get((table_id, who)), table.host_id == who) if table else None
        if access is not None and (not _lets_in(access, invited) or _is_sealed_for(access)):
            access = None
        found.append(access)
    return found


def _is_sealed_for(access: Access) -> bool:
    return access.table.sealed and access.spectator


def _lets_in(access: Access, invited: Collection[int]) -> bool:
    by_right = access.host or not access.spectator
    return access.table.open or access.table.pk in invited or by_right


def opens(token: str, table: Table) -> bool:
    return hmac.compare_digest(token.encode(), table.invite_token.encode())


def game_for(
    player: Player | None, game_id: uuid.UUID, *, invited: Collection[int] = ()
) -> tuple[Access, Game]:
    """Return a game and the access of `player` to its table; raise Http404 as `table_for` does.

    Players who had a seat or acted in the game keep access after leaving the table. Raise
    SealedError for an ended game whose deals other tables still play, whoever asks.
    """
    games = Game.objects.select_related("table__host", "table__shared_deals")
    game = games.filter(pk=game_id).first()
    if game is None:
        raise Http404
    if game.table.sealed:
        access = table_for(player, game.table_id, invited=invited)
        if game.ended is not None:
            raise SealedError
        return access, game
    if played_in(player, game):
        return _access(player, game.table), game
    return table_for(player, game.table_id, invited=invited), game


def played_in(player: Player | None, game: Game) -> bool:
    """Return True if a player had a seat or acted in a game."""
    return player is not None and any(
        rows.filter(player=player).exists() for rows in (game.seats, game.events, game.substitutes)
    )


def sees_marks(player: Player | None, game: Game) -> bool:
    """Return True if a player or visitor with access to a game may see how it was played.

    What a review says about people is as public as their table was.
    """
    return game.table.open or played_in(player, game)


async def atable_for(
    player: Player | None, table_id: int, *, token: str = "", invited: Collection[int] = ()
) -> Access:
    return await sync_to_async(table_for)(player, table_id, token=token, invited=invited)


def invitations(session: SessionBase) -> tuple[int, ...]:
    return tuple(session.get(INVITED_KEY, ()))


def remember_invitation(session: SessionBase, table_id: int) -> None:
    """Store that this session followed a table's link; the caller has checked the token."""
    others = [known for known in invitations(session) if known != table_id]
    session[INVITED_KEY] = [*others, table_id][-MAX_INVITATIONS:]


def _access(player: Player | None, table: Table) -> Access:
    if player is None:
        return Access(table, None, host=False)
    seats = Seat.objects.filter(table=table, player=player)
    seat = seats.values_list("position", flat=True).first()
    return Access(table, seat, host=table.host_id == player.pk)
