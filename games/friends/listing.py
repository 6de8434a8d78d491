"""A player's friends with what they are doing, in a fixed number of queries.

Those who are free come first, then those at a table with a free seat, those who play, and those who
are away or do not show themselves. A table by invitation is not named to others.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from typing import Final

from django.db.models import OuterRef, Prefetch, Subquery

from games.access import tables_for
from games.models import Game, Player, Seat, Table
from games.models.tables import BEFORE_A_GAME, BEGUN, PATIENCE
from games.people import friends, online

#: Friends in the panel of those who are online.
MAX_ONLINE: Final = 4
NUMBERS: Final = {1: "one free seat", 2: "two free seats", 3: "three free seats"}


class Doing(IntEnum):
    """What a friend is doing; friends are sorted by it."""

    HERE = 1
    AT_A_TABLE = 2
    PLAYING = 3
    AWAY = 4


@dataclass(frozen=True, slots=True)
class FriendLine:
    """A friend in a list. table_id: the table that the viewer may go to, to join or to watch."""

    player: Player
    doing: Doing
    words: str = ""
    table_id: int | None = None

    @property
    def may_invite(self) -> bool:
        return self.doing in (Doing.HERE, Doing.AWAY)

    @property
    def online(self) -> bool:
        return self.doing != Doing.AWAY


def lines_for(viewer: Player, now: datetime, invited: Collection[int] = ()) -> list[FriendLine]:
    """Return a player's friends; invited: ids of tables whose link the viewer has followed."""
    people = [one.player for one in friends.friends_of(viewer)]
    lines = _lines(viewer, people, now, invited)
    return sorted(lines, key=lambda line: line.doing)  # by name within each


def _lines(
    viewer: Player, people: Collection[Player], now: datetime, invited: Collection[int]
) -> list[FriendLine]:
    shown = [one.pk for one in people if one.seen_by != Player.SeenBy.NOBODY]
    if not shown:
        return [FriendLine(one, Doing.AWAY) for one in people]
    seats = Seat.objects.filter(
        player__in=shown, missing_since=None, stand_in=False, last_seen__gt=now - PATIENCE
    ).exclude(table__state=Table.State.CLOSED)
    sits = dict(seats.order_by("last_seen").values_list("player_id", "table_id"))
    here = online.here(shown, now)
    tables = _tables({*sits.values()})
    access = tables_for([(viewer, key, invited) for key in {*tables}])
    enters = {one.table.pk: one.spectator for one in access if one is not None}
    lines = []
    for one in people:
        table = tables.get(sits.get(one.pk) or 0)
        if table is not None:
            lines.append(_at_table(one, table, enters.get(table.pk)))
        elif one.pk in here:
            lines.append(FriendLine(one, Doing.HERE, "Here now"))
        else:
            lines.append(FriendLine(one, Doing.AWAY))
    return lines


def _tables(table_ids: Collection[int]) -> dict[int, Table]:
    if not table_ids:
        return {}
    running = Game.objects.filter(table=OuterRef("pk"), state=Game.State.PLAYING)
    tables = Table.objects.filter(pk__in=table_ids)
    tables = tables.annotate(hand=Subquery(running.values("deal_number")[:1]))
    found = tables.prefetch_related(Prefetch("seats", Seat.objects.select_related("player")))
    return {one.pk: one for one in found}


def _at_table(person: Player, table: Table, spectator: bool | None) -> FriendLine:
    """Return a line for somebody at a table; spectator: None if the viewer may not enter it."""
    if spectator is False:
        return FriendLine(person, Doing.PLAYING, "At a table with you", table.pk)
    link = table.pk if spectator else None
    if table.state in BEGUN:
        return FriendLine(person, Doing.PLAYING, _playing(table), link)
    free = [
        seat
        for seat in table.seats.all()
        if seat.player is None or (seat.player.house and table.state not in BEFORE_A_GAME)
    ]
    if free and link is not None and not table.reserved:
        words = f"At a table with {NUMBERS.get(len(free), 'free seats')}"
        return FriendLine(person, Doing.AT_A_TABLE, words, link)
    return FriendLine(person, Doing.PLAYING, "At a table", link)


def _playing(table: Table) -> str:
    """Return what may be said of a running game: at a delayed table, others see it later."""
    hand: int | None = getattr(table, "hand", None)
    return f"Playing, hand {hand}" if hand and not table.delayed else "Playing"
