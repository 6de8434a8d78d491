"""Invitations to tables: a friend by name, and the same people again after a game.

An invitation lets a player enter a table for a while, as its link does, and is shown to them.
Whoever has it declined is not told; the one invited is not invited to the same table again.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.dispatch import Signal

from games.engine.rules import RuleSet
from games.models import Game, Invitation, Player, Seat, Table
from games.models.tables import BEFORE_A_GAME
from games.people import avoiding, friends
from games.refusals import VerbError
from games.seats import seating
from games.seats.seating import FREE_OR_HOUSE

#: How long an invitation is open.
OPEN_FOR: Final = timedelta(minutes=15)
#: How long it is kept.
KEPT: Final = timedelta(days=1)

#: Sent after the commit with `invitation`, for whatever tells a person of it.
invited: Final = Signal()


class InvitingError(VerbError):
    pass


def invite(by: Player, to: Player, table: Table, now: datetime) -> Invitation:
    """Invite a friend to a table at which one sits; repeating it lasts longer.

    Raises InvitingError: ``not a friend``, ``not seated``, ``no room``.
    """
    if not friends.are_friends(by, to.pk):
        raise InvitingError("not a friend", f"You and {to.name} are not friends.")
    if not table.seats.filter(player=by).exists():
        raise InvitingError("not seated", "You have no seat at this table.")
    full = not table.seats.filter(FREE_OR_HOUSE).exists()
    if table.reserved or table.state == Table.State.CLOSED or full:
        raise InvitingError("no room", "This table has no free seat.")
    return store(by, to, table, now)


def table_to_share(by: Player, rules: RuleSet, now: datetime) -> Table:
    """Return the table at which a player sits and has room for a friend, or make one.

    A new one is by invitation, with three free seats. Raises InvitingError ``playing`` for whoever
    plays at a table that has no room.
    """
    room = Seat.objects.filter(FREE_OR_HOUSE, table=OuterRef("pk"))
    here = Seat.objects.filter(player=by, missing_since=None, last_seen__gt=now - OPEN_FOR)
    tables = Table.objects.filter(Exists(here.filter(table=OuterRef("pk"))))
    tables = tables.exclude(state=Table.State.CLOSED)
    found = tables.filter(Exists(room), reserved=False).order_by("-pk").first()
    if found is not None:
        return found
    if tables.filter(state__in=(Table.State.PLAYING, Table.State.SHUFFLING)).exists():
        raise InvitingError("playing", "Your table has no free seat. Invite after the game.")
    return seating.make_table(by, rules, open=False, seat=rules.players // 2)


def again(player: Player, game: Game, now: datetime, *, throws_in: bool = False) -> Table:
    """Sit down with the people of a finished game again, each where they sat.

    The first makes a table and invites the others; the game starts when the last of them has come,
    or whoever sits there fills the free seats with the house. Raises InvitingError: ``not played``,
    ``given``, ``apart``, and SeatingError.
    """
    with transaction.atomic():
        held = Game.objects.select_for_update(of=("self",), no_key=True).get(pk=game.pk)
        seats = {
            seat.player_id: seat.position
            for seat in held.seats.select_related("player")
            if seat.player.kind == Player.Kind.PERSON
        }
        if player.pk not in seats:
            raise InvitingError("not played", "You have not played this game.")
        if held.table.reserved:
            raise InvitingError("given", "The games of an event are not played again like this.")
        table = _table_again(player, held, now)
        if table is None:
            return _first_again(player, held, seats, now, throws_in=throws_in)
    if not table.seats.filter(player=player).exists():
        seating.sit(table, player, seats[player.pk], throws_in=throws_in, by_link=True)
    return table


def invite_members(
    by: Player, to: Collection[Player], table: Table, club: str, now: datetime
) -> None:
    """Invite members of a club to a table, except those who are or were invited to it."""
    Invitation.objects.bulk_create(
        (
            Invitation(table=table, by=by, to=one, made=now, until=now + OPEN_FOR, club=club)
            for one in to
        ),
        ignore_conflicts=True,
        batch_size=100,
    )


def end_of_club(table: Table, club: str, now: datetime) -> None:
    """End the open invitations of a club's members to a table."""
    table.invitations.filter(club=club, until__gt=now).update(until=now)


def store(
    by: Player, to: Player, table: Table, now: datetime, again: Game | None = None
) -> Invitation:
    """Store an invitation, which the caller has checked; repeating it lasts longer."""
    with transaction.atomic():
        found, new = Invitation.objects.get_or_create(
            table=table,
            to=to,
            defaults={"by": by, "made": now, "until": now + OPEN_FOR, "again": again},
        )
        if not new:
            found.until = now + OPEN_FOR
            found.save(update_fields=["until"])
        elif not found.declined:
            transaction.on_commit(lambda: invited.send(Invitation, invitation=found))
    return found


def waiting_for(player: Player, now: datetime) -> list[Invitation]:
    """Return the open invitations of a player to tables that still have room."""
    room = Seat.objects.filter(FREE_OR_HOUSE, table=OuterRef("table"))
    seated = Seat.objects.filter(player=player, table=OuterRef("table"))
    found = Invitation.objects.filter(
        Exists(room), ~Exists(seated), to=player, until__gt=now, declined=False
    ).exclude(table__state=Table.State.CLOSED)
    rows = list(found.select_related("table", "by"))
    apart = avoiding.avoided_by(player, [one.by_id for one in rows])
    return [one for one in rows if one.by_id not in apart]


def decline(player: Player, number: int) -> None:
    """Decline an invitation by its number; repeating it is harmless."""
    player.invitations.filter(pk=number).update(declined=True)


def forget(now: datetime) -> None:
    """Delete old invitations."""
    old = Invitation.objects.filter(made__lte=now - KEPT, until__lte=now)
    if old.exists():  # on SQLite a query needs no write lock
        old.delete()


def _table_again(player: Player, game: Game, now: datetime) -> Table | None:
    """Return the table at which a player is expected again after a game, or waits for others."""
    somebody = Seat.objects.filter(table=OuterRef("table"), player__isnull=False)
    found = Invitation.objects.filter(
        Q(to=player) | Q(by=player),
        Exists(somebody),
        again=game,
        until__gt=now,
        table__state__in=BEFORE_A_GAME,
    )
    first = found.select_related("table").order_by("pk").first()
    return first.table if first is not None else None


def _first_again(
    player: Player, game: Game, seats: dict[int, int], now: datetime, *, throws_in: bool
) -> Table:
    others = list(Player.objects.filter(pk__in=seats.keys() - {player.pk}).order_by("pk"))
    house = [at for at in range(game.rules.players) if at not in seats.values()]
    table = seating.make_table(
        player,
        game.rules,
        open=False,
        seat=seats[player.pk],
        house_seats=house,
        throws_in=throws_in,
        turn_seconds=game.table.turn_seconds,
        house_after=game.table.house_after,
        house_level=game.table.house_level,
    )
    apart = avoiding.apart_among(seats.keys())
    coming = [player.pk]
    for other in others:
        if not any(apart(one, other.pk) for one in coming):
            coming.append(other.pk)
            store(player, other, table, now, again=game)
    return table
