"""Standing tables: a group of friends, their rules, and one lasting address.

Whoever is asked belongs to it once they have agreed; of a "no" nobody hears. Any of them opens it:
that goes on with the game that is not over, or begins one and calls the others. Its games are never
rated.

Each verb locks the standing table's row first, then a table's or a player's.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Final

from django.db import transaction
from django.db.models import Q, QuerySet

from games.engine.rules import RuleSet, rules_to_data
from games.friends import inviting
from games.models import Invitation, Player, StandingPlace, StandingTable, Table
from games.models.tables import HOUSE_AFTER, PATIENCE
from games.people import avoiding, friends
from games.people.friends import WAITS
from games.people.traces import UNKNOWN_ORIGIN, Origin
from games.refusals import VerbError
from games.seats import seating
from games.seats.seating import NOT_HOUSE

#: The most people of one standing table, with those who are asked, and the most tables of one.
MOST_PEOPLE: Final = 8
MOST_TABLES: Final = 10


class StandingError(VerbError):
    pass


def make(
    by: Player,
    name: str,
    rules: RuleSet,
    others: Collection[Player],
    now: datetime,
    *,
    seats: Mapping[int, int] | None = None,
    turn_seconds: int | None = None,
    house_after: int | None = HOUSE_AFTER,
    house_level: str = Table.HouseLevel.STRONG,
) -> StandingTable:
    """Make a standing table and ask others to it, whom the caller has checked may be asked.

    seats: where players sat, by id. Raises StandingError: ``no account``, ``too many tables``,
    ``nobody``, ``too many people``.
    """
    if not others:
        raise StandingError("nobody", "Choose at least one person to play with.")
    if len(others) >= MOST_PEOPLE:
        raise StandingError("too many people", _MOST_PEOPLE)
    sat = seats or {}
    with transaction.atomic():
        _check_may_join(by)
        standing = StandingTable.objects.create(
            name=name,
            rules_data=rules_to_data(rules),
            turn_seconds=turn_seconds,
            house_after=house_after,
            house_level=house_level,
            made=now,
        )
        standing.places.create(player=by, position=sat.get(by.pk), asked=now, agreed=now)
        for one in sorted(others, key=lambda one: one.pk):
            _ask(standing, by, one, now, sat.get(one.pk))
    return standing


def ask(standing: StandingTable, by: Player, other: Player, now: datetime) -> None:
    """Ask a friend to belong to it; asking again changes nothing.

    Raises StandingError: ``not yours``, ``not a friend``, ``too many people``.
    """
    with _locked(standing, by) as held:
        if not friends.are_friends(by, other.pk):
            raise StandingError("not a friend", f"You and {other.name} are not friends.")
        found = held.places.filter(player=other).first()
        if found is not None and not _is_over(found, now):
            if found.withdrawn:
                _check_room(held, now)
                held.places.filter(pk=found.pk).update(withdrawn=False)
            return
        _check_room(held, now)
        if found is not None:
            found.delete()
        _ask(held, by, other, now)


def take_back(standing: StandingTable, by: Player, other: Player) -> None:
    """Take a request back that waits for an answer; repeating it is harmless."""
    with _locked(standing, by) as held:
        held.places.filter(player=other, agreed=None).update(withdrawn=True)


def rename(standing: StandingTable, by: Player, name: str) -> None:
    """Give it another name, which `StandingNameForm` has checked; any of its people may.

    Raises StandingError ``not yours``.
    """
    with _locked(standing, by) as held:
        held.name = name
        held.save(update_fields=["name"])


def accept(standing: StandingTable, player: Player, now: datetime) -> None:
    """Agree to belong to it; repeating it is harmless.

    Raises StandingError: ``not asked``, ``no account``, ``too many tables``.
    """
    with transaction.atomic():
        held = StandingTable.objects.select_for_update().filter(pk=standing.pk).first()
        if held is None:
            raise StandingError("not asked", _NOT_ASKED)
        mine = held.places.filter(player=player)
        if mine.filter(agreed__isnull=False).exists():
            return
        if not mine.filter(_asks(now)).exists():
            raise StandingError("not asked", _NOT_ASKED)
        _check_may_join(player)
        mine.update(agreed=now)


def decline(standing: StandingTable, player: Player) -> None:
    """Say no, of which the others do not hear; repeating it is harmless."""
    standing.places.filter(player=player, agreed=None).update(declined=True)


def leave(standing: StandingTable, player: Player) -> None:
    """Belong to it no longer; with the last of its people it goes. Repeating it is harmless.

    A game that is being played goes on: its seat is left like any other.
    """
    with transaction.atomic():
        held = StandingTable.objects.select_for_update().filter(pk=standing.pk).first()
        if held is None or not held.places.filter(player=player, agreed__isnull=False).delete()[0]:
            return
        Invitation.objects.filter(table__standing=held, to=player).delete()
        if not held.places.filter(agreed__isnull=False).exists():
            held.delete()


def leave_all(player: Player) -> None:
    for place in places_of(player).order_by("standing"):
        leave(place.standing, player)


def open_table(
    standing: StandingTable,
    player: Player,
    now: datetime,
    *,
    house: bool,
    where: Origin = UNKNOWN_ORIGIN,
    throws_in: bool = False,
) -> Table:
    """Sit down at the game that is not over, or begin one and call the others.

    house: house players take the free seats, and the game begins at once; the others take these
    seats when they come. Whoever finds every seat taken by a person may watch. People kept apart
    neither call each other nor sit together: to them the table is full. Raises StandingError:
    ``not yours``, ``taken``; and SeatingError.
    """
    with _locked(standing, player) as held:
        table = _latest(held, now)
        if table is None:
            return _begin(held, player, now, house=house, throws_in=throws_in)
        people = _seated(table)
        if player.pk not in people:
            if avoiding.kept_apart(player, people):
                raise StandingError("taken", "Every seat is taken. Try again after the game.")
            position = _free_seat(held, table, player)
            if position is None:
                return table
            seating.sit(table, player, position, throws_in=throws_in, where=where, by_link=True)
            held.places.filter(player=player).update(position=position)
        elif table.state == Table.State.FINISHED:
            seating.again(table, player)
        table.refresh_from_db()
        if house and table.state == Table.State.GATHERING:
            seating.start(table, player)
        return table


def current(standing: StandingTable, viewer: Player, now: datetime) -> Table | None:
    """Return the table of the game that is not over, unless people there are kept apart."""
    table = _latest(standing, now)
    if table is None:
        return None
    others = [one for one in _seated(table) if one != viewer.pk]
    return None if avoiding.kept_apart(viewer, others) else table


def places_of(player: Player) -> QuerySet[StandingPlace]:
    """Return the standing tables to which a player belongs, by name."""
    mine = StandingPlace.objects.filter(player=player, agreed__isnull=False)
    return mine.select_related("standing").order_by("standing__name", "pk")


def asking(player: Player, now: datetime) -> list[tuple[StandingTable, list[str]]]:
    """Return the standing tables to which a player is asked, with the names of their people."""
    places = StandingPlace.objects.filter(_asks(now), player=player).select_related("standing")
    found = places.prefetch_related("standing__places__player")
    return [(one.standing, names_of(one.standing.places.all())) for one in found]


def names_of(places: Collection[StandingPlace]) -> list[str]:
    return [one.player.name for one in places if one.agreed is not None]


def people_of(standing: StandingTable, now: datetime) -> tuple[list[Player], list[Player]]:
    """Return its people, and those who are asked and have not said yes."""
    places = standing.places.select_related("player")
    agreed = [one.player for one in places if one.agreed is not None]
    return agreed, [one.player for one in places.filter(_waits(now))]


def may_be_asked(standing: StandingTable, by: Player, now: datetime) -> list[Player]:
    """Return a player's friends who do not belong to it and are not asked."""
    agreed, waiting = people_of(standing, now)
    if len(agreed) + len(waiting) >= MOST_PEOPLE:
        return []
    known = {one.pk for one in (*agreed, *waiting)}
    return [one.player for one in friends.friends_of(by) if one.player.pk not in known]


def forget(now: datetime) -> None:
    """Delete requests that have expired."""
    old = StandingPlace.objects.filter(agreed=None, asked__lte=now - WAITS)
    if old.exists():  # on SQLite a query needs no write lock
        old.delete()


_NOT_ASKED: Final = "This request is no longer there."
_MOST_PEOPLE: Final = f"A standing table is for at most {MOST_PEOPLE} people."


@contextmanager
def _locked(standing: StandingTable, player: Player) -> Iterator[StandingTable]:
    """Lock a standing table to which a player belongs."""
    with transaction.atomic():
        held = StandingTable.objects.select_for_update().filter(pk=standing.pk).first()
        if held is None or not held.places.filter(player=player, agreed__isnull=False).exists():
            raise StandingError("not yours", "You do not belong to this table.")
        yield held


def _check_may_join(player: Player) -> None:
    held = Player.objects.select_for_update(of=("self",), no_key=True).select_related("user")
    if not friends.may_have_friends(held.get(pk=player.pk)):
        raise StandingError("no account", "You need an account for a standing table.")
    if places_of(player).count() >= MOST_TABLES:
        raise StandingError(
            "too many tables", f"You have {MOST_TABLES} standing tables; that is the most."
        )


def _check_room(standing: StandingTable, now: datetime) -> None:
    taken = standing.places.filter(Q(agreed__isnull=False) | _waits(now))
    if taken.count() >= MOST_PEOPLE:
        raise StandingError("too many people", _MOST_PEOPLE)


def _ask(
    standing: StandingTable, by: Player, other: Player, now: datetime, position: int | None = None
) -> None:
    # The one asked does not hear of it if they avoid the one who asks.
    avoided = avoiding.avoided_by(other, [by.pk])
    standing.places.create(player=other, position=position, asked=now, declined=bool(avoided))


def _waits(now: datetime) -> Q:
    return Q(agreed=None, withdrawn=False, asked__gt=now - WAITS)


def _asks(now: datetime) -> Q:
    return _waits(now) & Q(declined=False)


def _is_over(place: StandingPlace, now: datetime) -> bool:
    return place.agreed is None and place.asked <= now - WAITS


def _latest(standing: StandingTable, now: datetime) -> Table | None:
    """Return its table with a game that is not over, or where people stay after one."""
    tables = standing.tables.exclude(state=Table.State.CLOSED)
    table = tables.order_by("-pk").first()
    if table is None or table.state != Table.State.FINISHED:
        return table
    there = table.seats.filter(NOT_HOUSE, missing_since=None, last_seen__gt=now - PATIENCE)
    return table if there.exists() else None


def _seated(table: Table) -> list[int]:
    people = table.seats.filter(NOT_HOUSE)
    return [one for one in people.values_list("player_id", flat=True) if one is not None]


def _free_seat(standing: StandingTable, table: Table, player: Player) -> int | None:
    """Return a player's usual seat if a person may have it, else a free one, else the house's."""
    place = standing.places.get(player=player)
    rows = table.seats.select_related("player")
    open_to = [one for one in rows if one.player is None or one.player.house]
    order: Sequence[int] = [
        one.position
        for one in sorted(
            open_to, key=lambda one: (one.position != place.position, one.player is not None)
        )
    ]
    return order[0] if order else None


def _begin(
    standing: StandingTable, player: Player, now: datetime, *, house: bool, throws_in: bool
) -> Table:
    rules, place = standing.rules, standing.places.get(player=player)
    seats = range(rules.players)
    seat = place.position if place.position in seats else rules.players // 2
    table = seating.make_table(
        player,
        rules,
        open=False,
        seat=seat,
        house_seats=seats if house else (),
        throws_in=throws_in,
        turn_seconds=standing.turn_seconds,
        house_after=standing.house_after,
        house_level=standing.house_level,
    )
    table.standing = standing
    table.save(update_fields=["standing"])
    standing.places.filter(pk=place.pk).update(position=seat)
    others = standing.places.filter(agreed__isnull=False, player__user__is_active=True)
    for other in others.exclude(pk=place.pk).select_related("player").order_by("player"):
        if not avoiding.kept_apart(player, [other.player_id]):
            inviting.store(player, other.player, table, now)
    return table
