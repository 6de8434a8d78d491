"""Calls to a club: a member who sits at a table of their own calls the members who are online.

A club is called once in ten minutes, and a table calls once in that time, whoever presses. The
caller does not learn who has been called. Each verb locks the club's row and then the table's.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse

from games.friends import inviting
from games.models import Player, QuietHours, Seat, Table
from games.models.tables import BEGUN, PATIENCE
from games.notifying import choices, pushes
from games.notifying.kinds import CLUB_CALL, Way
from games.notifying.quiet_hours import quiet_until
from games.people import avoiding, online
from games.people.traces import Origin
from games.seats import seating
from games.seats.seating import FREE_OR_HOUSE, NOT_HOUSE
from tournaments.changes.row_locks import locked_club
from tournaments.models import Club, ClubCall
from tournaments.refusals import RefusedError

#: How often a club, or a table, may call.
EVERY: Final = timedelta(minutes=10)
NUMBERS: Final = {1: "one free seat", 2: "two free seats", 3: "three free seats"}
ENDED: Final = "This call is over."
NO_TABLE: Final = "Sit down at a table that you have made, and that has a free seat."
#: Tables whose host chooses who comes: no event, no queue, nothing for watching.
_OWN: Final = Q(reserved=False, quick=False, rated=False, plays_on=False)


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A call as a member sees it. mine: they made it; seated: they sit at its table."""

    call: ClubCall
    free: int
    mine: bool
    seated: bool

    @property
    def seats(self) -> str:
        return NUMBERS[self.free]

    @property
    def rules(self) -> str:
        return self.call.table.rules.name


def own_table(player: Player | None) -> Table | None:
    """Return the latest table that a player made, sits at, and can call a club to."""
    if player is None:
        return None
    return _callable(player).order_by("-pk").first()


def may_be_called(club: Club, now: datetime) -> bool:
    """Return True if a club takes calls and has not been called lately."""
    return club.calls and not club.table_calls.filter(made__gt=now - EVERY).exists()


def call(club: Club, by: Player, table: Table, now: datetime) -> ClubCall:
    """Call the members of a club who are online to a table.

    Raises RefusedError: ``gone``, ``off``, ``not a member``, ``no table``, ``too soon``.
    """
    with transaction.atomic():
        club = locked_club(club)
        Table.objects.select_for_update().get(pk=table.pk)
        if not club.calls:
            raise RefusedError("off", f"{club} has switched calls to tables off.", 403)
        if not club.memberships.filter(player=by).exists():
            raise RefusedError("not a member", f"Only members of {club} can call it.", 403)
        if not _callable(by).filter(pk=table.pk).exists():
            raise RefusedError("no table", NO_TABLE)
        recent = ClubCall.objects.filter(Q(club=club) | Q(table=table), made__gt=now - EVERY)
        latest = recent.first()
        if latest is not None:
            what = str(club) if latest.club_id == club.pk else "A club"
            wait = -(-(latest.made + EVERY - now) // timedelta(minutes=1))
            minutes = f"{wait} minute{'' if wait == 1 else 's'}"
            raise RefusedError(
                "too soon",
                f"{what} has just been called; that is possible again in {minutes}.",
                429,
            )
        made = ClubCall.objects.create(
            club=club, table=table, by=by, made=now, until=now + inviting.OPEN_FOR
        )
        _reach(made, now)
        return made


def end(club_call: ClubCall, now: datetime) -> None:
    """End a call and what it has sent; repeating it is harmless."""
    with transaction.atomic():
        locked_club(club_call.club)
        if not ClubCall.objects.filter(pk=club_call.pk, until__gt=now).update(until=now):
            return
        inviting.end_of_club(club_call.table, club_call.club.name, now)
        pushes.delete_unsent(_key(club_call))


def join(
    club_call: ClubCall, player: Player, where: Origin, now: datetime, *, throws_in: bool = False
) -> Table:
    """Take a free seat at the table of a call, or a house player's; opposite the caller first.

    Raises RefusedError: ``over``, ``taken``; and SeatingError.
    """
    with seating.held_table(club_call.table) as table:
        seats = {seat.position: seat for seat in table.seats.select_related("player")}
        if any(seat.player == player for seat in seats.values()):
            return table
        caller = next((at for at, one in seats.items() if one.player_id == club_call.by_id), None)
        if club_call.until <= now or caller is None or table.state == Table.State.CLOSED:
            raise RefusedError("over", ENDED)
        half = len(seats) // 2
        free = sorted(
            (seat for seat in seats.values() if seat.player is None or seat.player.house),
            key=lambda seat: (
                seat.player is not None,
                seat.position != (caller + half) % len(seats),
            ),
        )
        if not free or avoiding.kept_apart(player, _people(table)):
            name = club_call.by.name
            raise RefusedError("taken", f"Every seat at {name}’s table has been taken.")
        seating.sit(table, player, free[0].position, throws_in=throws_in, where=where, by_link=True)
        return table


def open_calls(club: Club, viewer: Player, now: datetime) -> list[OpenCall]:
    """Return a club's calls to tables with room, except those of people kept apart."""
    calls = club.table_calls.filter(until__gt=now).select_related("by", "table")
    caller = Seat.objects.filter(table=OuterRef("table"), player=OuterRef("by"))
    found = []
    for one in calls.filter(Exists(caller)).exclude(table__state=Table.State.CLOSED):
        people, free = _people(one.table), one.table.seats.filter(FREE_OR_HOUSE).count()
        seated = viewer.pk in people
        if free and (seated or not avoiding.kept_apart(viewer, people)):
            found.append(OpenCall(one, free, one.by_id == viewer.pk, seated))
    return found


def forget(now: datetime) -> None:
    """Delete calls a day after they have ended."""
    old = ClubCall.objects.filter(made__lte=now - inviting.KEPT, until__lte=now)
    if old.exists():  # on SQLite a query needs no write lock
        old.delete()


def _callable(player: Player) -> QuerySet[Table]:
    seats = Seat.objects.filter(table=OuterRef("pk"))
    return Table.objects.filter(
        _OWN, Exists(seats.filter(player=player)), Exists(seats.filter(FREE_OR_HOUSE)), host=player
    ).exclude(state=Table.State.CLOSED)


def _people(table: Table) -> list[int]:
    people = table.seats.filter(NOT_HOUSE)
    return [one for one in people.values_list("player_id", flat=True) if one is not None]


def _key(club_call: ClubCall) -> str:
    return f"club call {club_call.pk}"


def _reach(club_call: ClubCall, now: datetime) -> None:
    """Invite the members who are online and want it, on their pages, by push or both."""
    here = _reachable(club_call, now)
    by_page = choices.wanting(CLUB_CALL, Way.PAGE, here)
    club, by, table = club_call.club, club_call.by, club_call.table
    inviting.invite_members(by, by_page, table, club.name, now)
    pushes.queue(
        CLUB_CALL,
        _key(club_call),
        [one.pk for one in here],
        f"{by.name} of {club} looks for players",
        reverse("club", args=[club.slug]),
        now=now,
    )


def _reachable(club_call: ClubCall, now: datetime) -> list[Player]:
    """Return the members who are online, free, and neither in quiet hours nor kept apart."""
    seated = _people(club_call.table)
    playing = Seat.objects.filter(
        player=OuterRef("pk"),
        table__state__in=BEGUN,
        stand_in=False,
        missing_since=None,
        last_seen__gt=now - PATIENCE,
    )
    found = Player.objects.filter(
        ~Exists(playing),
        memberships__club=club_call.club,
        user__is_active=True,
        last_here__at__gt=now - online.HERE_FOR,
    ).exclude(pk__in=seated)
    members = list(found.order_by("pk"))
    hours = QuietHours.objects.filter(player__in=members, on=True)
    quiet = {one.player_id for one in hours if quiet_until(one, now)}
    not_now = avoiding.kept_from(seated) | quiet
    return [one for one in members if one.pk not in not_now]
