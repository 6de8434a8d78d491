"""Withdrawing a player from clubs, events and tables, as if they did it themselves.

Called in the transaction that deletes an account, in the order clubs, events, tables, in which they
are locked everywhere, so that transactions cannot deadlock.
"""

from contextlib import suppress
from datetime import datetime

from django.db.models import Q

from games.models import Game, Player, Seat, Table
from games.seats import consent, seating
from tournaments.changes.row_locks import locked_club
from tournaments.entering import entering, partners
from tournaments.events.states import UPCOMING
from tournaments.models import Entry, EntryPlayer, Event, Membership
from tournaments.models.clubs import DIRECTORS
from tournaments.outbox import letters
from tournaments.refusals import RefusedError

#: States of an event in which it needs a director.
DIRECTED = (*UPCOMING, Event.State.RUNNING)


def obstacle(player: Player) -> str:
    """Return a sentence that says why a player cannot be deleted; empty if they can."""
    alone = [
        member.club.name
        for member in player.memberships.filter(role=Membership.Role.OWNER).select_related("club")
        if _last_owner(member)
    ]
    if not alone:
        return ""
    return (
        f"You are the only owner of {' and '.join(alone)}. Make another member the owner first, on "
        "the club’s page of members."
    )


def leave_clubs(player: Player) -> None:
    """End all memberships, and notify the other directors of clubs with open events.

    A club without other members stays, without an owner; the site's staff can act for it. Raises
    RefusedError ``last owner`` if it has other members.
    """
    members = player.memberships.select_related("club").order_by("club_id")
    for member in members:
        club = locked_club(member.club)
        if _last_owner(member):
            raise RefusedError("last owner", obstacle(player))
        member.delete()
        if member.role in DIRECTORS:
            _notify_directors(member, list(club.events.filter(state__in=DIRECTED)))


def _last_owner(member: Membership) -> bool:
    if member.club.closed is not None:
        return False  # only the staff can see it, and they can change its owner
    others = member.club.memberships.exclude(pk=member.pk)
    if member.role != Membership.Role.OWNER or not others.exists():
        return False
    return not others.filter(role=Membership.Role.OWNER).exists()


def _notify_directors(gone: Membership, events: list[Event]) -> None:
    if not events:
        return
    others = gone.club.memberships.filter(role__in=DIRECTORS).select_related("player__user")
    letters.write(
        f"club {gone.club_id} director gone {gone.pk}",
        [other.player for other in others],
        f"A director of {gone.club} has left",
        "director_gone",
        club=gone.club,
        events=events,
    )


def leave_events(player: Player, now: datetime) -> None:
    partners.decline_all(player)
    Entry.objects.filter(invited=player).update(invited=None)
    lines = EntryPlayer.objects.filter(player=player, active=True, event__state__in=DIRECTED)
    for line in lines.select_related("event").order_by("event_id"):
        with suppress(RefusedError):  # withdrawn already, or all rounds are played
            entering.withdraw(line.event, player, now)


def leave_tables(player: Player, now: datetime) -> None:
    """Give up all seats; raise RefusedError ``shuffling`` if a game is about to begin."""
    own_business = Q(table__reserved=False) | Q(table__rated=True)  # others are their events'
    seats = Seat.objects.filter(own_business, player=player)
    tables = Table.objects.filter(seats__in=seats).exclude(state=Table.State.CLOSED)
    for table in tables.order_by("pk"):
        with seating.held_table(table) as held:
            game = Game.objects.filter(table=held, state=Game.State.PLAYING).first()
            if held.state == Table.State.SHUFFLING:
                raise RefusedError(
                    "shuffling",
                    "A game is about to begin at your table. Try again in a few seconds.",
                )
            if held.state == Table.State.PLAYING and game is not None:
                consent.leave(held, player, game.number, now)
            elif held.state != Table.State.CLOSED and not held.reserved:
                seating.stand_up(held, player)
