"""The turn clock: a house player stands in for who does not act in time; they may come back."""

import asyncio
from datetime import datetime, timedelta

import pytest
from asgiref.sync import sync_to_async
from django.db import connection
from django.test import AsyncClient
from django.utils import timezone

from games.engine.rules import CLASSIC_24, JOKER_33, RuleSet
from games.live import state, turn_clock
from games.models import Game, GameEvent, Player, Seat, Table
from games.picture import viewing
from games.picture.scene import Clock
from games.play import play, sweep
from games.seats import seating
from tests.factories import Room, room
from tests.games.picture import scenes
from tests.games.picture.pages import draw, page

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("announced")]

SECONDS = 30


async def timed_room(rules: RuleSet = CLASSIC_24, house_seats: tuple[int, ...] = ()) -> Room:
    """A table in play where everybody has half a minute."""
    table = await room(rules, house_seats)
    await Table.objects.filter(pk=table.table_id).aupdate(turn_seconds=SECONDS)
    state.forget_all()
    await play.catch_up(table.table_id)
    return table


async def began(table: Room) -> datetime:
    """When the present turn began, as the rows say it."""
    return (await table.row()).moved


async def run_out(table: Room, now: datetime) -> bool:
    """Ask at a moment whether the turn is over."""
    row = await table.row()
    return await sync_to_async(turn_clock.run_out)(row.pk, row.version, now)


async def stood_in(table: Room) -> list[int]:
    """The seats for which a house player plays."""
    seats = Seat.objects.filter(table=table.table_id, stand_in=True).order_by("position")
    return [position async for position in seats.values_list("position", flat=True)]


async def let_pass(table: Room, seconds: float) -> None:
    """Let time pass, also for what the process keeps: it is started anew."""
    back = timedelta(seconds=seconds)
    row = await table.row()
    due = row.due - back if row.due else None
    await Game.objects.filter(pk=row.pk).aupdate(moved=row.moved - back, due=due)
    async for event in GameEvent.objects.filter(game=row):
        event.at -= back
        await event.asave()
    async for seat in Seat.objects.filter(table=table.table_id):
        seat.since -= back
        await seat.asave()
    state.forget_all()


class TestRunOut:
    async def test_no_stand_in_before_the_deadline(self) -> None:
        table = await timed_room()
        now = await began(table) + timedelta(seconds=SECONDS - 0.001)
        assert not await run_out(table, now)
        assert await stood_in(table) == []

    async def test_stand_in_at_the_deadline(self, announced: list[int]) -> None:
        table = await timed_room()
        announced.clear()
        assert await run_out(table, await began(table) + timedelta(seconds=SECONDS))
        assert await stood_in(table) == [await table.turn()]
        assert announced == [table.table_id]

    async def test_run_out_is_idempotent(self) -> None:
        table = await timed_room()
        late = await began(table) + timedelta(hours=1)
        assert [await run_out(table, late) for _ in range(3)] == [True, False, False]
        assert len(await stood_in(table)) == 1

    async def test_concurrent_run_outs_end_one_turn(self) -> None:
        table = await timed_room()
        row, late = await table.row(), await began(table) + timedelta(hours=1)

        def run_out_in_a_thread() -> bool:
            try:
                return turn_clock.run_out(row.pk, row.version, late)
            finally:
                connection.close()

        ended = await asyncio.gather(*(asyncio.to_thread(run_out_in_a_thread) for _ in range(5)))
        assert sorted(ended) == [False] * 4 + [True]

    async def test_a_turn_already_played_is_ignored(self) -> None:
        table = await timed_room()
        old, late = await table.row(), timezone.now() + timedelta(hours=1)
        await table.step()
        assert not await sync_to_async(turn_clock.run_out)(old.pk, old.version, late)
        assert await stood_in(table) == []

    async def test_a_house_player_has_no_clock(self) -> None:
        table = await timed_room(house_seats=(0, 1, 2))
        await Game.objects.filter(table=table.table_id).aupdate(turn=0)
        assert not await run_out(table, timezone.now() + timedelta(hours=1))

    async def test_an_external_program_has_a_clock(self) -> None:
        table = await timed_room()
        turn = await table.turn()
        await Player.objects.filter(pk=table.players[turn].pk).aupdate(kind=Player.Kind.PROGRAM)
        assert await run_out(table, timezone.now() + timedelta(hours=1))
        assert await stood_in(table) == [turn]

    async def test_no_clock_between_hands(self) -> None:
        table = await timed_room()
        while await table.turn() >= 0:
            await table.step()
        assert not await run_out(table, timezone.now() + timedelta(hours=1))

    async def test_a_table_without_a_clock_has_no_deadline(self) -> None:
        table = await room()
        await table.step()
        assert not await run_out(table, timezone.now() + timedelta(days=1))
        assert (await table.row()).due is None

    async def test_a_closed_table_has_no_clock(self) -> None:
        table = await timed_room()
        await Table.objects.filter(pk=table.table_id).aupdate(state=Table.State.CLOSED)
        assert not await run_out(table, timezone.now() + timedelta(hours=1))

    async def test_taking_the_seat_back_restarts_the_clock(self) -> None:
        table = await timed_room()
        turn = await table.turn()
        assert await run_out(table, await began(table) + timedelta(seconds=SECONDS))
        await let_pass(table, 100)
        row = await Table.objects.aget(pk=table.table_id)
        await sync_to_async(seating.take_back)(row, table.players[turn])
        back = (await Seat.objects.aget(table=row, position=turn)).since
        assert back > timezone.now() - timedelta(seconds=10)
        assert not await run_out(table, back + timedelta(seconds=SECONDS - 0.001))
        assert await run_out(table, back + timedelta(seconds=SECONDS))

    async def test_taking_back_ones_own_seat_does_not_restart_the_clock(self) -> None:
        table = await timed_room()
        row = await Table.objects.aget(pk=table.table_id)
        await let_pass(table, 20)
        await sync_to_async(seating.take_back)(row, table.players[await table.turn()])
        assert await run_out(table, await began(table) + timedelta(seconds=SECONDS))


class TestAtTheTable:
    async def test_every_action_starts_the_next_players_clock(self) -> None:
        table = await timed_room()
        for _ in range(40):
            await table.step()
            row = await table.row()
            if row.turn < 0:
                continue
            assert row.due == row.moved + timedelta(seconds=SECONDS)

    async def test_the_first_turn_expires_after_a_crash(self) -> None:
        table = await room()
        await Table.objects.filter(pk=table.table_id).aupdate(turn_seconds=SECONDS)
        await let_pass(table, SECONDS + 2)
        await sweep.sweep()
        assert await stood_in(table) == [await table.turn()]

    async def test_the_sweep_keeps_the_deadline_after_a_restart(self) -> None:
        table = await timed_room()
        await table.step()
        turn = await table.turn()
        await let_pass(table, SECONDS - 1)
        await sweep.sweep()
        assert await stood_in(table) == []
        await let_pass(table, 1 + sweep.GRACE)
        await sweep.sweep()
        assert await stood_in(table) == [turn]

    async def test_the_stand_in_acts_after_the_deadline(self) -> None:
        table = await timed_room()
        turn = await table.turn()
        await let_pass(table, SECONDS)
        await play.act_by_itself(table.table_id)
        await play.catch_up(table.table_id)
        await play.act_by_itself(table.table_id)
        (event,) = await table.events()
        assert (event.seat, event.by, event.player_id) == (turn, GameEvent.By.HOUSE, None)

    async def test_an_action_at_the_deadline_or_the_stand_in_wins(self) -> None:
        table = await timed_room()
        turn = await table.turn()
        await let_pass(table, SECONDS)
        await table.live()
        answer, _ = await asyncio.gather(
            table.act(turn, "pass", stamp="1.0"), play.act_by_itself(table.table_id)
        )
        done, events = answer.kind == play.DONE, await table.events()
        assert (len(events) == 1) is done
        assert done or await stood_in(table) == [turn]

    async def test_an_early_timer_is_set_again(self) -> None:
        table = await timed_room()
        await let_pass(table, SECONDS - 5)
        await play.act_by_itself(table.table_id)
        assert await stood_in(table) == []
        timer = (await table.live()).timer
        assert timer is not None
        assert 4 < timer.when() - asyncio.get_running_loop().time() <= 5

    async def test_a_stale_process_does_not_end_the_turn(self) -> None:
        table = await timed_room()
        turn = await table.turn()
        await let_pass(table, SECONDS + 5)
        ours = await table.live()
        await Seat.objects.filter(table=table.table_id, position=turn).aupdate(since=timezone.now())
        await play.act_by_itself(table.table_id)  # as far as we know, the time is up
        assert await stood_in(table) == []
        assert ours.seats[turn].since > timezone.now() - timedelta(seconds=5)

    async def test_an_automatic_cut_causes_no_stand_in(self) -> None:
        table = await timed_room(JOKER_33)
        cutter = table.players[await table.turn()]
        cutter.cut_for_me = True
        await cutter.asave()
        await let_pass(table, SECONDS + 5)
        await play.act_by_itself(table.table_id)
        (event,) = await table.events()
        assert event.action.startswith("cut ")
        assert await stood_in(table) == []


class TestShown:
    async def test_the_remaining_time_is_shown(self) -> None:
        table = await timed_room()
        await let_pass(table, 12)
        shown = viewing.scene_of(await table.live()).clock
        assert shown is not None
        assert shown.seconds == SECONDS
        assert shown.ends is not None
        assert 17 < shown.ends - timezone.now().timestamp() <= 18.1

    async def test_a_house_players_turn_has_no_ring(self) -> None:
        table = await timed_room()
        assert await run_out(table, await began(table) + timedelta(seconds=SECONDS))
        await play.catch_up(table.table_id)
        assert viewing.scene_of(await table.live()).clock == Clock(SECONDS, None)

    async def test_no_ring_without_a_time_limit(self) -> None:
        table = await room()
        assert viewing.scene_of(await table.live()).clock is None

    @pytest.mark.parametrize("seat", [scenes.SOUTH, scenes.EAST, None])
    def test_every_seat_has_a_ring_which_runs_for_the_seat_in_turn(self, seat: int | None) -> None:
        shown = scenes.view(scenes.deal(), seat, clock=Clock(30, 12.5))
        for position in range(4):
            ring = page(shown, f"plate-{position}").all("svg")
            assert [one["class"] for one in ring] == ["clock"]
        (turn,) = page(shown, "turn").all("span")
        assert (turn["data-ends"], turn["data-of"]) == ("12.5", "30")
        assert turn["data-turn"] == "0"

    def test_a_clock_that_does_not_run_says_nothing(self) -> None:
        waiting = draw(scenes.view(scenes.deal(), scenes.SOUTH, clock=Clock(30, None)))
        without = draw(scenes.view(scenes.deal(), scenes.SOUTH))
        assert waiting["turn"] == without["turn"]
        assert "<svg" not in without["plate-0"]

    def test_a_player_who_left_is_waited_for_until_their_time_is_up(self) -> None:
        made = scenes.deal()
        away = scenes.view(made, (made.turn + 1) % 4, clock=Clock(30, 20.0), wait=40)
        prompt = page(away, "line")
        assert "A house player takes over when the time is up" in prompt.text
        assert "data-refresh-in" not in prompt.elements[0][1]

    async def test_the_page_says_how_long_a_turn_may_take(self) -> None:
        table = await timed_room()
        answer = await AsyncClient().get(f"/tables/{table.table_id}/")
        shown = answer.content.decode()
        assert "30 seconds a turn" in shown
        assert "js/turn-clock.js" in shown
