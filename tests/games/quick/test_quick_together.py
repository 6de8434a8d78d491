"""The queue in live play, and with several processes at one moment."""

from datetime import timedelta
from functools import partial

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from games.engine.rules import CLASSIC_24
from games.models import Player, Seat, SeatRequest, Seeker, Table
from games.people.traces import Origin
from games.play import play
from games.quick import queue
from games.quick.queue import QuickWish
from tests.factories import member, room
from tests.games.seats.test_seating_together import together

pytestmark = pytest.mark.django_db(transaction=True)


def test_people_who_press_at_one_moment_have_one_seat_each() -> None:
    people = [member(name) for name in ("Ana", "Ben", "Clara", "Dev")]
    where = {one.pk: Origin(f"browser {one.pk}", "10.0.0.1") for one in people}
    wish, now = QuickWish(CLASSIC_24, 45), timezone.now()
    for one in people:
        queue.join(one, wish, where[one.pk], now)
    together(*(lambda one=one: queue.look(one, where[one.pk], now) for one in people))
    together(*[lambda: queue.seat_waiting(now)] * 4)
    assert not Seeker.objects.exists()
    seats = Seat.objects.filter(player__in=people, table__quick=True)
    assert seats.count() == 4
    assert Table.objects.count() == 1


def test_presses_of_every_kind_at_one_moment_hold_each_other_up_in_no_circle() -> None:
    people = [member(f"Player {number}") for number in range(8)]
    where = {one.pk: Origin(f"browser {one.pk}", f"10.0.0.{one.pk}") for one in people}
    now = timezone.now()
    for seconds in range(4):
        later = now + timedelta(seconds=seconds)
        for pace in (12, 45):
            wish = QuickWish(CLASSIC_24, pace)
            together(*(partial(queue.join, one, wish, where[one.pk], now) for one in people))
            together(
                *(partial(queue.look, one, where[one.pk], later) for one in people[:4]),
                *(partial(queue.start_now, one, later) for one in people[4:6]),
                partial(queue.leave, people[6]),
            )
            together(*[partial(queue.seat_waiting, later)] * 3)
    queue.seat_waiting(now + timedelta(seconds=9))
    assert not Seeker.objects.exists()
    taken = Seat.objects.filter(player__in=people, table__quick=True)
    left = people[6]
    assert {one.player for one in taken.select_related("player")} | {left} == set(people)


def test_rated_presses_at_one_moment_give_full_tables_of_four() -> None:
    people = [member(f"Player {number}") for number in range(9)]
    where = {one.pk: Origin(f"browser {one.pk}", f"10.0.0.{one.pk}") for one in people}
    wish, now = QuickWish(CLASSIC_24, 45, rated=True), timezone.now()

    def press(one: Player) -> None:
        queue.join(one, wish, where[one.pk], now)
        queue.look(one, where[one.pk], now)

    together(*(partial(press, one) for one in people))
    together(*[partial(queue.seat_waiting, now)] * 4)
    queue.seat_waiting(now)
    assert Table.objects.filter(rated=True).count() == 2
    seats = Seat.objects.filter(table__rated=True)
    assert seats.count() == len({one.player_id for one in seats}) == 8
    assert Seeker.objects.count() == 1


async def test_the_next_hand_is_dealt_only_when_the_newcomer_sits() -> None:
    at = await room(house_seats=(3,))
    await Table.objects.filter(pk=at.table_id).aupdate(quick=True, turn_seconds=45)
    nell = await sync_to_async(member)("Nell")
    now = timezone.now()
    await SeatRequest.objects.acreate(
        table_id=at.table_id, player=nell, position=3, sits_from=now - timedelta(seconds=1)
    )
    await play.catch_up(at.table_id)
    live = await at.live()
    assert live.playing
    while not live.playing.engine.between_deals:
        assert live.seats[3].name != "Nell"
        if live.seats[max(live.playing.engine.turn, 0)].house:
            await play.act_by_itself(at.table_id)
        else:
            await at.step()
    await at.act(0, "next")
    assert live.seats[3].name == "Nell"
    assert live.playing.engine.standing.deal_number == 2
    assert not await SeatRequest.objects.aexists()
