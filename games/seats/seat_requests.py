"""Requests for a seat in a running game, which the players accept or refuse.

Without them a person could see one hand through a friend and another from a seat. A person who has
seen a hand of the game is never let in, neither by the players nor by a link. Between games a free
seat needs no request, except for a guest at the address of a seated player, who might be the same
person: a player at another address must accept them.
"""

from datetime import datetime
from typing import Final

from django.db.models import Exists, OuterRef, QuerySet

from games.models import Game, Player, SeatRequest, Table
from games.models.seat_requests import OPEN_FOR
from games.models.tables import BEGUN
from games.people import traces
from games.people.traces import Origin
from games.seats import seating
from games.seats.seating import FREE_OR_HOUSE, NOT_HOUSE, SeatingError

#: Open requests at a table, and of these from one address.
MAX_AT_TABLE: Final = 6
MAX_PER_ADDRESS: Final = 2


def still_open(now: datetime) -> QuerySet[SeatRequest]:
    """Return the requests that can still be answered; they expire, at the latest with the game."""
    ended = Game.objects.filter(table=OuterRef("table"), ended__gte=OuterRef("asked"))
    return SeatRequest.objects.filter(
        ~Exists(ended), refused=False, asked__gt=now - OPEN_FOR
    ).exclude(table__state=Table.State.CLOSED)


def ask(
    table: Table, player: Player, position: int | None, where: Origin, now: datetime
) -> SeatRequest:
    """Request a free seat or a house player's, or change the request; position None means any.

    Raises SeatingError: ``no need``, ``closed``, ``reserved``, ``seated``, ``no such seat``,
    ``taken``, ``another hand``, ``refused`` before in this game, ``nobody`` who could accept,
    ``too many ask``.
    """
    with seating.held_table(table) as held:
        seating.refuse_reserved(held, "Seats at this table are assigned; you cannot ask for one.")
        if held.state in BEGUN:
            seating.refuse_second_hand(held, player, where.at(held))
        else:
            _check_must_ask(held, player, where.at(held))
        if held.quick:
            seating.refuse_avoided(held, player)
        seats = held.seats.filter(FREE_OR_HOUSE).order_by("position")
        seat = seats.filter(position=position).first() if position is not None else seats.first()
        if seat is None:
            raise seating.no_seat(held, position)
        if not held.seats.filter(NOT_HOUSE).exists():
            raise SeatingError("nobody", "There is nobody at this table who could let you in.")
        mine = held.requests.filter(player=player).first()
        if mine is not None and mine.refused:
            raise SeatingError("refused", "The players have refused you a seat in this game.")
        session, address = where.at(held)
        others = still_open(now).filter(table=held).exclude(player=player)
        if others.count() >= MAX_AT_TABLE:
            raise SeatingError(
                "too many ask", "There are already too many requests here; try again later."
            )
        if address and others.filter(address=address).count() >= MAX_PER_ADDRESS:
            raise SeatingError(
                "too many ask", "There are already other requests from your address."
            )
        request, _ = SeatRequest.objects.update_or_create(
            table=held,
            player=player,
            defaults={"position": seat.position, "asked": now}
            | {"session": session, "address": address},
        )
        return request


def withdraw(table: Table, player: Player) -> None:
    with seating.held_table(table) as held:
        held.requests.filter(player=player, refused=False).delete()


def answer(
    table: Table, by_player: Player, request_id: int, *, let_in: bool, now: datetime
) -> None:
    """Accept a request and seat its player, or refuse it for this game.

    Raises SeatingError: ``not seated``, ``no request``, ``taken``, ``another hand``,
    ``same person``.
    """
    with seating.held_table(table) as held:
        seating.seat_of(held, by_player)
        requests = still_open(now).select_related("player").filter(table=held)
        request = requests.filter(pk=request_id).first()
        if request is None:
            raise SeatingError("no request", "This request is no longer open.")
        if not let_in:
            request.refused = True
            request.save(update_fields=["refused"])
            return
        if request.sits_from is not None and held.state in BEGUN:
            request.sits_from = min(request.sits_from, now)  # between two hands, and not before
            request.save(update_fields=["sits_from"])
            return
        here = Origin(request.session, request.address)
        if held.state in BEGUN:
            seating.refuse_second_hand(held, request.player, here)
        elif not traces.may_vouch(by_player, request.player, here):
            raise SeatingError(
                "same person",
                "This request comes from your own address: another player must answer it.",
            )
        traces.record_digests(held, request.player, here)
        seating.give(held, request.player, request.position)
        held.requests.filter(position=request.position).delete()
        held.requests.filter(player=request.player).delete()
        seating.start_when_full(held)


def _check_must_ask(table: Table, player: Player, here: Origin) -> None:
    """Raise SeatingError if, between games, a player may not or need not make a request."""
    if table.state == Table.State.CLOSED:
        raise SeatingError("closed", "This table is closed.")
    if table.seats.filter(player=player).exists():
        raise SeatingError("seated", "You already have a seat at this table.")
    if not traces.sees_another_hand(table, player, here):
        raise SeatingError("no need", "No game is being played: take a seat that is free.")
    if traces.is_certain(table, player, here):
        raise seating.second_hand()
    people = Player.objects.filter(seats__table=table).exclude(kind=Player.Kind.HOUSE)
    if not any(traces.may_vouch(one, player, here) for one in people):
        raise SeatingError(
            "nobody",
            "Everybody who sits here is at your address: come by the table's link, or log in.",
        )
