"""People from the queue replace house players between two hands, never within one.

Those at the table are asked first: they see who comes, and may let them in or refuse. Silence for
`ASK_FOR` is consent; one refusal means another table (`games.quick.queue`). Of two partners both
sit down, across from each other, or neither.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final

import structlog
from django.db import DatabaseError, transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from games.models import Game, Player, Seat, SeatRequest, Table, Trace
from games.people import traces
from games.people.traces import Origin
from games.play import play
from games.seats import consent, seat_requests, seating
from games.seats.seating import SeatingError

log = structlog.get_logger(__name__)

#: How long those at a table have to refuse somebody.
ASK_FOR: Final = timedelta(seconds=3)
#: A player who has been away for this time leaves a quick game for good.
AWAY_FOR: Final = timedelta(minutes=2)
#: Seats given to the house in one run; the next one continues.
AT_ONCE: Final = 100
#: The turn of a game between two hands, which is nobody's.
NOBODY: Final = -1


def ask(
    table: Table, player: Player, here: Origin, now: datetime, partner: int | None = None
) -> None:
    """Tell those at a locked table that a player comes; raise SeatingError if there is no seat.

    here: where the player comes from, as the digests of this table. partner: the id of a player for
    whom the seat across is kept, until they have asked for it, too (`ask_beside`).
    """
    seating.refuse_second_hand(table, player, here)
    position = _seat_for(table, pair=partner is not None)
    people = table.seats.filter(player__kind=Player.Kind.PERSON)
    game = table.games.filter(state=Game.State.PLAYING).order_by("-number").first()
    if position is None or game is None or game.practice or unseen(people).exists():
        raise seating.no_seat(table, None)
    _store(table, player, position, here, now=now, partner=partner)


def ask_beside(table: Table, player: Player, partner: int, here: Origin, now: datetime) -> None:
    """Ask for the seat of a locked table that is kept for a player by their partner's request.

    Raises SeatingError if that request is no longer there.
    """
    seating.refuse_second_hand(table, player, here)
    theirs = awaited(now).filter(table=table, player=partner, partner=player).first()
    position = table.rules.partner_of(theirs.position) if theirs is not None else None
    if theirs is None or position is None:
        raise seating.no_seat(table, None)
    _store(table, player, position, here, now=now, partner=partner)
    theirs.sits_from = now + ASK_FOR
    theirs.save(update_fields=["sits_from"])


def _store(
    table: Table, player: Player, position: int, here: Origin, *, now: datetime, partner: int | None
) -> None:
    SeatRequest.objects.update_or_create(
        table=table,
        player=player,
        defaults={"position": position, "asked": now, "sits_from": now + ASK_FOR}
        | {"partner_id": partner, "session": here.session, "address": here.address},
    )


def unseen(seats: QuerySet[Seat]) -> QuerySet[Seat]:
    """Return those seats whose players have not opened the page of the table yet.

    Until they do it is not known whether they and a newcomer are one person.
    """
    seen = Trace.objects.filter(table=OuterRef("table"), player=OuterRef("player"))
    return seats.filter(~Exists(seen))


def awaited(now: datetime) -> QuerySet[SeatRequest]:
    """Return the requests of people from the queue that are neither refused nor lapsed."""
    return seat_requests.still_open(now).filter(sits_from__isnull=False)


def seat_all(now: datetime) -> None:
    """Seat the newcomers at all tables that are between two hands.

    A failure is logged and holds up no other table. Safe to run twice, late or concurrently.
    """
    due = awaited(now).filter(sits_from__lte=now)
    between = due.filter(
        table__games__state=Game.State.PLAYING, table__games__turn=NOBODY
    ).values_list("table", flat=True)
    for table_id in set(between):
        try:
            seat(table_id)
        except DatabaseError:
            raise
        except Exception:
            log.exception("newcomers not seated", table=table_id)


def seat(table_id: int) -> None:
    """Seat the newcomers at a table if it is between two hands."""
    with seating.held_table(Table(pk=table_id)) as held:
        now = timezone.now()
        game = Game.objects.select_for_update().filter(table=held, state=Game.State.PLAYING)
        if game.filter(turn=NOBODY).defer("secret").first() is None:
            return
        due = awaited(now).filter(table=held, sits_from__lte=now).select_related("player")
        waiting = {request.player_id: request for request in due}
        for player_id, request in waiting.items():
            partner = waiting.get(request.partner_id or 0)
            if request.partner_id is None:
                _seat(held, [request])
            elif partner is not None and player_id < partner.player_id:
                _seat(held, [request, partner])


def _seat(table: Table, requests: Sequence[SeatRequest]) -> None:
    """Give seats to a player, or to two partners, or to none of them."""
    try:
        with transaction.atomic():
            for request in requests:
                here = Origin(request.session, request.address)
                seating.refuse_second_hand(table, request.player, here)
                seating.give(table, request.player, request.position)
                traces.record_digests(table, request.player, here)
    except SeatingError as error:
        log.info("newcomer not seated", table=table.pk, reason=error.code)
    for request in requests:
        request.delete()


def release_left(now: datetime) -> None:
    """Give the seats of those who have been away for long to the house, where others play on.

    A failure is logged and holds up no other seat.
    """
    others = Seat.objects.filter(table=OuterRef("table"), missing_since=None).exclude(
        pk=OuterRef("pk")
    )
    players = (Player.Kind.PERSON, Player.Kind.PROGRAM)
    gone = _gone(now).filter(
        Exists(others.filter(player__kind__in=players)),
        table__quick=True,
        table__state=Table.State.PLAYING,
    )
    for seat_id, table_id in gone.order_by("missing_since").values_list("pk", "table")[:AT_ONCE]:
        try:
            _release(table_id, seat_id, now)
        except SeatingError as error:  # the game has ended at this moment
            log.info("seat not released", table=table_id, reason=error.code)
        except DatabaseError:
            raise
        except Exception:
            log.exception("seat not released", table=table_id)


def _release(table_id: int, seat_id: int, now: datetime) -> None:
    with seating.held_table(Table(pk=table_id)) as held:
        seat = _gone(now).filter(pk=seat_id).select_related("player").first()
        game = held.games.filter(state=Game.State.PLAYING).order_by("-number").first()
        if seat is not None and seat.player is not None and game is not None:
            consent.leave(held, seat.player, game.number, now)


def _gone(now: datetime) -> QuerySet[Seat]:
    return Seat.objects.filter(player__kind=Player.Kind.PERSON, missing_since__lte=now - AWAY_FOR)


def free_seats(table: Table, seats: Iterable[Seat], coming: Iterable[SeatRequest]) -> list[int]:
    """Return the seats of house players that are promised to nobody."""
    promised = {one.position for one in coming}
    promised |= {table.rules.partner_of(one.position) or 0 for one in coming if one.partner_id}
    return [
        one.position
        for one in seats
        if one.player is not None and one.player.house and one.position not in promised
    ]


def _seat_for(table: Table, *, pair: bool) -> int | None:
    """Return the seat of a house player for a newcomer, if possible across from a person.

    For the first of two partners the seat across from it is one of the house, too.
    """
    seats = list(table.seats.select_related("player").order_by("position"))
    coming = list(table.requests.filter(refused=False, sits_from__isnull=False))
    free, partner_of = free_seats(table, seats, coming), table.rules.partner_of
    if pair:
        return next((at for at in free if partner_of(at) in free), None)
    people = {one.position for one in seats if one.player is not None and not one.player.house}
    return min(free, key=lambda place: (partner_of(place) not in people, place), default=None)


play.before_next_hand(seat)
