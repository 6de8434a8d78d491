"""People from the queue replace house players between two hands, never within one.

Those at the table are asked first: they see who comes, and may let them in or refuse. Silence for
`ASK_FOR` is consent; one refusal means another table (`games.quick.queue`).
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

import structlog
from django.db import DatabaseError, transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from games.exclusive_tasks import failing_alone
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


def ask(table: Table, player: Player, here: Origin, now: datetime) -> None:
    """Tell those at a locked table that a player comes; raise SeatingError if there is no seat.

    here: where the player comes from, as the digests of this table.
    """
    seating.refuse_second_hand(table, player, here)
    position = _seat_for(table)
    people = table.seats.filter(player__kind=Player.Kind.PERSON)
    game = table.games.filter(state=Game.State.PLAYING).order_by("-number").first()
    if position is None or game is None or game.practice or unseen(people).exists():
        raise seating.no_seat(table, None)
    SeatRequest.objects.update_or_create(
        table=table,
        player=player,
        defaults={"position": position, "asked": now, "sits_from": now + ASK_FOR}
        | {"session": here.session, "address": here.address},
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
        with failing_alone(log, "newcomers not seated", table=table_id):
            seat(table_id)


def seat(table_id: int) -> None:
    """Seat the newcomers at a table if it is between two hands."""
    with seating.held_table(Table(pk=table_id)) as held:
        now = timezone.now()
        game = Game.objects.select_for_update().filter(table=held, state=Game.State.PLAYING)
        if game.filter(turn=NOBODY).defer("secret").first() is None:
            return
        due = awaited(now).filter(table=held, sits_from__lte=now)
        for request in due.select_related("player"):
            _seat(held, request)


def _seat(table: Table, request: SeatRequest) -> None:
    here = Origin(request.session, request.address)
    try:
        with transaction.atomic():
            seating.refuse_second_hand(table, request.player, here)
            seating.give(table, request.player, request.position)
            traces.record_digests(table, request.player, here)
    except SeatingError as error:
        log.info("newcomer not seated", table=table.pk, reason=error.code)
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


def free_seats(seats: Iterable[Seat], coming: Iterable[SeatRequest]) -> list[int]:
    """Return the seats of house players that are promised to nobody."""
    promised = {one.position for one in coming}
    return [
        one.position
        for one in seats
        if one.player is not None and one.player.house and one.position not in promised
    ]


def _seat_for(table: Table) -> int | None:
    """Return the seat of a house player for a newcomer, if possible across from a person."""
    seats = list(table.seats.select_related("player").order_by("position"))
    coming = table.requests.filter(refused=False, sits_from__isnull=False)
    people = {one.position for one in seats if one.player is not None and not one.player.house}
    return min(
        free_seats(seats, coming),
        key=lambda place: (table.rules.partner_of(place) not in people, place),
        default=None,
    )


play.before_next_hand(seat)
