"""Absence: the house plays for who has gone, where play is not rated, until they return."""

import asyncio
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.db import connection
from django.test import AsyncClient
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from games.engine.rules import HEADS_UP
from games.live import absence, pace, state, turn_clock
from games.live.absence import GonePlayer
from games.models import Game, GameEvent, Player, Seat, Table
from games.models.tables import BACK, LONG_AGO, PATIENCE
from games.play import outages, play, sweep
from games.play.outages import MARGIN, WEB
from games.seats import seating
from games.sockets import heartbeats
from tests.factories import Room, cast, logged_in, player, room, table
from tests.games.picture import scenes
from tests.games.picture.pages import page

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("announced")]

NOON = datetime(2026, 3, 7, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
HOUSE_AFTER = 12 * SECOND


def in_play() -> Table:
    """A table at which all were seen at noon, and it is the turn of the seat of position 1."""
    at = table(*cast())
    at.seats.update(last_seen=NOON)
    at.games.update(turn=1)
    return at


def leaves(at: Table, position: int, when: datetime) -> Seat:
    """Let somebody's last socket close."""
    seat = at.seats.get(position=position)
    assert seat.player_id is not None
    absence.record_gone({GonePlayer(at.pk, seat.player_id): when})
    return at.seats.get(position=position)


def returns(at: Table, position: int, when: datetime) -> Seat:
    """Let somebody's socket open."""
    seat = at.seats.get(position=position)
    assert seat.player_id is not None
    absence.record_present(at.pk, seat.player_id, when)
    return at.seats.get(position=position)


def run_out(at: Table, now: datetime, grace: timedelta = timedelta()) -> bool:
    """Ask at a moment whether the house is to play for the one in turn."""
    game = at.games.get(state=Game.State.PLAYING)
    return turn_clock.run_out(game.pk, game.version, now, grace)


def stood_in(at: Table) -> list[int]:
    """The seats for which a house player plays."""
    seats = at.seats.filter(stand_in=True).order_by("position")
    return list(seats.values_list("position", flat=True))


class TestNoting:
    def test_a_departure_is_recorded_with_its_time_and_shown(self, announced: list[int]) -> None:
        at = in_play()
        announced.clear()
        seat = leaves(at, 1, NOON + SECOND)
        assert (seat.missing_since, seat.last_seen) == (NOON + SECOND, NOON + SECOND)
        assert announced == [at.pk]

    def test_a_player_seen_since_in_another_process_is_not_gone(self, announced: list[int]) -> None:
        at = in_play()
        announced.clear()
        seat = leaves(at, 1, NOON - SECOND)
        assert (seat.missing_since, seat.last_seen, announced) == (None, NOON, [])

    def test_missing_since_is_kept_for_a_player_who_stood_up(self) -> None:
        at = in_play()
        seated = at.seats.get(position=1).player
        assert seated is not None
        seating.stand_up(at, seated)
        before = at.seats.get(position=1).missing_since
        assert before is not None
        seat = leaves(at, 1, before + SECOND)
        assert (seat.missing_since, seat.last_seen) == (before, LONG_AGO)

    def test_players_without_a_seat_are_ignored(self, announced: list[int]) -> None:
        at, otto = in_play(), player("Otto")
        announced.clear()
        absence.record_gone({GonePlayer(at.pk, otto.pk): NOON})
        absence.record_present(at.pk, otto.pk, NOON)
        assert not at.seats.filter(missing_since__isnull=False).exists()
        assert announced == []

    def test_a_player_unseen_for_a_minute_is_marked_as_gone(self) -> None:
        at = in_play()
        seats = list(at.seats.values_list("pk", flat=True))
        absence.mark_stale_as_gone(seats, NOON + PATIENCE - SECOND)
        assert not at.seats.filter(missing_since__isnull=False).exists()
        at.seats.filter(position=2).update(last_seen=NOON + SECOND)
        absence.mark_stale_as_gone(seats, NOON + PATIENCE)
        lost = at.seats.filter(missing_since=NOON + PATIENCE)
        assert set(lost.values_list("position", flat=True)) == {0, 1, 3}

    def test_recording_presence_takes_one_query(
        self, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        at = in_play()
        seated = at.seats.get(position=1).player_id
        assert seated is not None
        with django_assert_num_queries(1):
            absence.record_present(at.pk, seated, NOON + SECOND)
        assert at.seats.get(position=1).last_seen == NOON + SECOND

    def test_standing_up_clears_missing_since(self) -> None:
        at = table(player("Maeve"), player("Ben"))
        left = leaves(at, 1, timezone.now() + SECOND)
        assert left.player is not None
        assert left.missing_since is not None
        seating.stand_up(at, left.player)
        assert at.seats.get(position=1).missing_since is None


class TestTakingOver:
    def test_house_waits_for_the_configured_seconds(self) -> None:
        at = in_play()
        leaves(at, 1, NOON)
        assert not run_out(at, NOON + HOUSE_AFTER - 0.001 * SECOND)
        assert stood_in(at) == []

    def test_house_takes_over_without_a_vote(self, announced: list[int]) -> None:
        at = in_play()
        leaves(at, 1, NOON)
        announced.clear()
        assert run_out(at, NOON + HOUSE_AFTER)
        assert (stood_in(at), announced) == ([1], [at.pk])

    @pytest.mark.parametrize("seconds", [30, 60, 120])
    def test_house_after_is_configurable(self, seconds: int) -> None:
        at = in_play()
        Table.objects.update(house_after=seconds)
        leaves(at, 1, NOON)
        assert not run_out(at, NOON + (seconds - 1) * SECOND)
        assert run_out(at, NOON + seconds * SECOND)

    def test_house_never_takes_over_if_disabled(self) -> None:
        at = in_play()
        Table.objects.update(house_after=None)
        leaves(at, 1, NOON)
        assert not run_out(at, NOON + timedelta(days=1))

    def test_house_never_takes_over_a_reserved_seat(self) -> None:
        at = in_play()
        Table.objects.update(reserved=True)
        leaves(at, 1, NOON)
        assert not run_out(at, NOON + timedelta(days=1))

    def test_an_absent_player_out_of_turn_is_not_replaced(self) -> None:
        at = in_play()
        leaves(at, 2, NOON)
        assert not run_out(at, NOON + timedelta(days=1))

    def test_a_present_player_is_not_replaced(self) -> None:
        at = in_play()
        assert not run_out(at, NOON + timedelta(days=1))

    def test_house_does_not_take_over_if_all_are_absent(self) -> None:
        at = in_play()
        for position in range(4):
            leaves(at, position, NOON)
        assert not run_out(at, NOON + timedelta(days=1))

    def test_house_players_do_not_count_as_waiting(self) -> None:
        at = table(player("Maeve"), house_seats=(0, 2, 3))
        at.seats.update(last_seen=NOON)
        at.games.update(turn=1)
        leaves(at, 1, NOON)
        assert not run_out(at, NOON + timedelta(days=1))

    def test_programs_count_as_waiting_and_as_absent(self) -> None:
        at = table(player("Maeve"), player("Ben"), house_seats=(2, 3))
        at.seats.update(last_seen=NOON)
        at.games.update(turn=1)
        Player.objects.filter(name="Maeve").update(kind=Player.Kind.PROGRAM)
        leaves(at, 1, NOON)
        assert run_out(at, NOON + HOUSE_AFTER)
        leaves(at, 0, NOON)
        returns(at, 1, NOON + HOUSE_AFTER)
        at.games.update(turn=0)
        assert run_out(at, NOON + 2 * HOUSE_AFTER)

    def test_grace_delays_the_takeover_while_disconnected(self) -> None:
        at = in_play()
        leaves(at, 1, NOON)
        assert not run_out(
            at, NOON + HOUSE_AFTER + play.LATE_NEWS_GRACE - SECOND, play.LATE_NEWS_GRACE
        )
        assert run_out(at, NOON + HOUSE_AFTER + play.LATE_NEWS_GRACE, play.LATE_NEWS_GRACE)

    def test_the_turn_ends_at_the_earlier_of_clock_and_absence(self) -> None:
        at = in_play()
        Table.objects.update(turn_seconds=30)
        Seat.objects.update(since=NOON)
        at.games.update(moved=NOON)
        leaves(at, 1, NOON + 10 * SECOND)
        assert not run_out(at, NOON + 21 * SECOND)
        assert run_out(at, NOON + 22 * SECOND)
        other = in_play()
        Table.objects.update(turn_seconds=30)
        Seat.objects.update(since=NOON)
        other.games.update(moved=NOON)
        leaves(other, 1, NOON + 25 * SECOND)
        assert run_out(other, NOON + 30 * SECOND)

    async def test_concurrent_takeovers_succeed_once(self) -> None:
        at = await sync_to_async(in_play)()
        await sync_to_async(leaves)(at, 1, NOON)

        def take_over() -> bool:
            try:
                return run_out(at, NOON + HOUSE_AFTER)
            finally:
                connection.close()

        taken = await asyncio.gather(*(asyncio.to_thread(take_over) for _ in range(5)))
        assert sorted(taken) == [False] * 4 + [True]

    def test_returning_during_the_takeover_keeps_the_seat(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        at = in_play()
        leaves(at, 1, NOON)
        ends = absence.ends

        def come_back_meanwhile(held: Table, seat: Seat) -> datetime | None:
            found = ends(held, seat)
            Seat.objects.filter(pk=seat.pk).update(missing_since=None)  # as another process does
            return found

        monkeypatch.setattr(absence, "ends", come_back_meanwhile)
        assert not run_out(at, NOON + HOUSE_AFTER)
        assert stood_in(at) == []


class TestComingBack:
    def test_returning_ends_the_stand_in_at_once(self, announced: list[int]) -> None:
        at = in_play()
        leaves(at, 1, NOON)
        run_out(at, NOON + HOUSE_AFTER)
        announced.clear()
        seat = returns(at, 1, NOON + 20 * SECOND)
        assert (seat.stand_in, seat.missing_since) == (False, None)
        assert (seat.since, seat.last_seen) == (NOON + 20 * SECOND, NOON + 20 * SECOND)
        assert announced == [at.pk]
        at.refresh_from_db()
        assert at.comings[-1][:3] == [BACK, seat.player_id, 1]

    def test_requested_stand_in_ends_on_return(self) -> None:
        at = in_play()
        Table.objects.update(house_after=None)
        at.seats.filter(position=1).update(stand_in=True)
        returns(at, 1, NOON)
        assert stood_in(at) == []

    def test_stand_in_in_a_reserved_seat_continues_on_return(self) -> None:
        at = in_play()
        Table.objects.update(reserved=True)
        leaves(at, 1, NOON)
        at.seats.filter(position=1).update(stand_in=True)
        seat = returns(at, 1, NOON + SECOND)
        assert (seat.stand_in, seat.missing_since) == (True, None)

    def test_a_short_absence_is_not_announced(self) -> None:
        at = in_play()
        told = Table.objects.get(pk=at.pk).comings
        leaves(at, 1, NOON)
        returns(at, 1, NOON + 5 * SECOND)
        assert Table.objects.get(pk=at.pk).comings == told

    def test_the_wait_restarts_when_the_first_of_an_absent_table_is_back(self) -> None:
        at = in_play()
        for position in range(4):
            leaves(at, position, NOON)
        returns(at, 0, NOON + 60 * SECOND)
        assert not run_out(at, NOON + 60 * SECOND + HOUSE_AFTER - SECOND)
        returns(at, 2, NOON + 61 * SECOND)  # the second one back gives nobody more
        assert run_out(at, NOON + 60 * SECOND + HOUSE_AFTER)

    def test_reload_by_waiting_player_does_not_extend_the_wait(self) -> None:
        at = in_play()
        leaves(at, 1, NOON)
        for second in range(12):
            returns(at, 0, NOON + second * SECOND)
        assert run_out(at, NOON + HOUSE_AFTER)


class TestOutages:
    @pytest.mark.parametrize("before", [5 * SECOND, 100 * SECOND])
    def test_absence_before_an_outage_counts_anew_after_it(self, before: timedelta) -> None:
        at = in_play()
        at.seats.filter(position=1).update(missing_since=NOON - before, last_seen=NOON - before)
        heartbeats.beat(WEB, NOON)
        back = NOON + 60 * SECOND
        assert outages.pulse(back) is not None
        assert not run_out(at, back + MARGIN + HOUSE_AFTER - SECOND)
        assert run_out(at, back + MARGIN + HOUSE_AFTER)


async def without(at: Room, seconds: float = 12) -> int:
    """Let who is in turn have been gone for so long, as a process that is started anew finds it."""
    turn = await at.turn()
    then = timezone.now() - seconds * SECOND
    seat = Seat.objects.filter(table=at.table_id, position=turn)
    await seat.aupdate(missing_since=then, last_seen=then)
    state.forget_all()
    await play.catch_up(at.table_id)
    return turn


async def ring(at: Room) -> None:
    """Let the table's timer ring, and its news come."""
    await play.act_by_itself(at.table_id)
    await play.catch_up(at.table_id)


async def taken_over(at: Room) -> list[int]:
    """The seats for which a house player plays."""
    return await sync_to_async(stood_in)(await Table.objects.aget(pk=at.table_id))


class TestAtTheTable:
    async def test_takeover_is_logged_as_the_house(self) -> None:
        at = await room()
        turn = await without(at)
        await ring(at)
        await ring(at)
        (event,) = await at.events()
        assert (event.seat, event.by, event.player_id) == (turn, GameEvent.By.HOUSE, None)

    async def test_takeover_timer_is_set_and_stored(self) -> None:
        at = await room()
        await without(at, 5)
        live, row = await at.live(), await at.row()
        assert live.timer is not None
        assert 5 < live.timer.when() - asyncio.get_running_loop().time() <= 7
        turn = await at.turn()
        assert row.due == live.seats[turn].last_seen + HOUSE_AFTER

    async def test_an_early_timer_does_not_take_over(self) -> None:
        at = await room()
        await without(at, 5)
        await play.act_by_itself(at.table_id)
        assert await taken_over(at) == []

    async def test_the_sweep_takes_over_without_a_timer(self) -> None:
        at = await room()
        turn = await without(at, 12 + sweep.GRACE)
        await sweep.sweep()
        assert await taken_over(at) == [turn]

    async def test_acting_ends_the_stand_in(self) -> None:
        at = await room()
        turn = await without(at)
        await ring(at)
        assert await taken_over(at) == [turn]
        assert (await at.act(turn, "pass")).kind == play.DONE
        (event,) = await at.events()
        assert (event.seat, event.by) == (turn, GameEvent.By.PERSON)
        assert await taken_over(at) == []

    async def test_acting_does_not_end_the_stand_in_of_another_seat(self) -> None:
        at = await room()
        turn = await without(at)
        await ring(at)
        other = (turn + 1) % 4
        assert (await at.act(other, "pass")).kind == play.OUT_OF_TURN
        assert (await play.act(at.table_id, None, play.Decision("pass", "1.0", "k"))).kind == (
            play.NOT_SEATED
        )
        assert await taken_over(at) == [turn]

    async def test_returning_before_the_house_acts_cancels_its_action(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        at = await room()
        turn = await without(at)
        await ring(at)
        assert await taken_over(at) == [turn]

        async def slow(_live: state.Live, _playing: state.LiveGame) -> pace.AutomaticAction:
            back = at.players[turn].pk
            await sync_to_async(absence.record_present)(at.table_id, back, timezone.now())
            await play.catch_up(at.table_id)
            return pace.AutomaticAction(turn, "pass", GameEvent.By.HOUSE)

        monkeypatch.setattr("games.live.pace.decide", slow)
        await play.act_by_itself(at.table_id)
        assert await at.events() == []
        assert await at.turn() == turn
        assert (await at.act(turn, "pass")).kind == play.DONE

    async def test_takeover_waits_longer_while_disconnected(
        self, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        at = await room()
        turn = await without(at)
        monkeypatch.setattr("games.sockets.news.connection_generation", lambda: None)
        await play.act_by_itself(at.table_id)
        assert await taken_over(at) == []
        await without(at, 12 + play.LATE_NEWS_GRACE.total_seconds())
        await play.act_by_itself(at.table_id)
        assert await taken_over(at) == [turn]


def swept(monkeypatch: pytest.MonkeyPatch, now: datetime) -> None:
    """Let the sweep run at a moment."""
    monkeypatch.setattr(outages, "clock", lambda: now)
    state.forget_all()  # a worker keeps no table that its people look at
    async_to_sync(sweep.sweep)()
    state.forget_all()


def next_change() -> datetime:
    """When the sweep looks next for those of whom nothing is heard."""
    seconds = sweep.LOOK_EVERY
    return datetime.fromtimestamp((int(timezone.now().timestamp()) // seconds + 1) * seconds, UTC)


def loads(at: Table, who: Player) -> str:
    """The table's page, loaded without scripts, so that no socket opens."""
    shown = logged_in(who).get(f"/tables/{at.pk}/")
    assert shown.status_code == 200
    return str(shown.content.decode())


class TestWithoutSockets:
    """Heads-up without scripts: nothing but rows tells who is here."""

    def heads_up(self) -> tuple[Table, Player, Player]:
        """A table, who is in turn there, and the other; both were last heard of long ago."""
        at = table(*cast()[:2], rules=HEADS_UP)
        at.seats.update(last_seen=timezone.now() - 5 * PATIENCE)
        turn = at.games.get().turn
        seats = at.seats.select_related("player")
        gone, other = seats.get(position=turn).player, seats.get(position=1 - turn).player
        assert gone is not None
        assert other is not None
        return at, gone, other

    def test_the_house_plays_for_an_absent_player(self, monkeypatch: pytest.MonkeyPatch) -> None:
        at, gone, other = self.heads_up()
        loads(at, other)
        look = next_change()
        swept(monkeypatch, look)
        seats = dict(at.seats.values_list("player", "missing_since"))
        assert seats == {gone.pk: look, other.pk: None}
        assert at.games.get().due == look + HOUSE_AFTER
        said = rf"{gone.name} is away; a house player plays in \S+ seconds"
        assert re.search(said, loads(at, other))
        swept(monkeypatch, look + HOUSE_AFTER)
        assert stood_in(at) == []
        swept(monkeypatch, look + HOUSE_AFTER + 2 * SECOND)
        assert stood_in(at) == [at.games.get().turn]
        assert "A house player plays until they return." in loads(at, other)
        loads(at, gone)
        assert stood_in(at) == []

    def test_the_house_does_not_play_if_both_are_absent(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        at, gone, other = self.heads_up()
        at.seats.filter(player=gone).update(missing_since=NOON)
        look = next_change()
        for minute in range(5):
            swept(monkeypatch, look + minute * PATIENCE)
        assert stood_in(at) == []
        assert not at.seats.filter(missing_since=None).exists()
        back = timezone.now()
        loads(at, other)
        missing = at.seats.get(player=gone).missing_since
        assert missing is not None
        assert missing >= back  # the time of the other begins anew

    def test_loading_the_page_counts_as_presence(self, monkeypatch: pytest.MonkeyPatch) -> None:
        at, in_turn, other = self.heads_up()
        for who in (in_turn, other):
            loads(at, who)
        swept(monkeypatch, next_change())
        assert not at.seats.filter(missing_since__isnull=False).exists()

    def test_a_polling_program_counts_as_present(self, monkeypatch: pytest.MonkeyPatch) -> None:
        at, gone, other = self.heads_up()
        Player.objects.update(kind=Player.Kind.PROGRAM)
        look = next_change()
        at.seats.filter(player=other).update(last_seen=look)  # as its call of the API is noted
        swept(monkeypatch, look)
        swept(monkeypatch, look + HOUSE_AFTER + 2 * SECOND)
        assert stood_in(at) == [at.seats.get(player=gone).position]

    def test_tables_without_takeover_are_not_marked(self) -> None:
        never, given, over, ended = (self.heads_up()[0] for _ in range(4))
        Table.objects.filter(pk=never.pk).update(house_after=None)
        Table.objects.filter(pk=given.pk).update(reserved=True)
        Table.objects.filter(pk=over.pk).update(state=Table.State.FINISHED)
        Table.objects.filter(pk=ended.pk).update(state=Table.State.CLOSED)
        assert absence.mark_all_stale_as_gone(timezone.now(), 100) == []
        assert not Seat.objects.filter(missing_since__isnull=False).exists()

    def test_house_players_are_never_marked_as_gone(self) -> None:
        at = table(player("Maeve"), house_seats=(1, 2, 3))
        at.seats.update(last_seen=NOON)
        assert absence.mark_all_stale_as_gone(timezone.now(), 100) == [at.pk]
        lost = at.seats.filter(missing_since__isnull=False)
        assert list(lost.values_list("position", flat=True)) == [0]

    def test_sixty_tables_take_one_query_if_nobody_is_stale(
        self, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        people = [player(f"Player {number}") for number in range(2)]
        for _ in range(60):
            table(*people, rules=HEADS_UP)
        now = timezone.now()
        with django_assert_num_queries(1):
            assert absence.mark_all_stale_as_gone(now, 200) == []
        Seat.objects.update(last_seen=now - PATIENCE)
        with django_assert_num_queries(3):
            assert len(absence.mark_all_stale_as_gone(now, 200)) == 60

    def test_most_recently_seen_players_are_marked_first(self) -> None:
        long_ago, lately = (self.heads_up()[0] for _ in range(2))
        now = timezone.now()
        lately.seats.update(last_seen=now - PATIENCE)
        assert absence.mark_all_stale_as_gone(now, 2) == [lately.pk]
        assert absence.mark_all_stale_as_gone(now, 2) == [long_ago.pk]
        assert absence.mark_all_stale_as_gone(now, 2) == []


class TestShown:
    def test_the_page_says_when_the_house_will_play(self) -> None:
        made = scenes.deal()
        waiting = scenes.view(made, (made.turn + 1) % 4, wait=4, house_after=12)
        name = waiting.scene.seats[made.turn].name
        line = page(waiting, "line")
        said = f"{name} is away; a house player plays in four seconds, until they return."
        assert said in line.text
        assert line.elements[0][1]["data-refresh-in"] == "4"
        assert page(waiting, "question").all("button") == []

    def test_a_deserted_table_announces_no_takeover(self) -> None:
        made = scenes.deal()
        deserted = scenes.view(made, None, wait=0, house_after=12)
        assert page(deserted, "line").text.endswith("Nobody is in that seat now.")

    def test_the_page_says_for_whom_the_house_plays(self) -> None:
        made = scenes.deal()
        seats = list(scenes.PEOPLE)
        seats[made.turn] = seats[made.turn]._replace(stand_in=True, away=True)
        played = scenes.view(made, None, seats=tuple(seats), house_after=12)
        name = seats[made.turn].name
        said = f"{name} is awayA house player plays until they return."
        assert page(played, "line").text == said
        marks = page(played, f"marks-{made.turn}")
        assert f"Away, a house player plays for {name}" in marks.heard
        assert marks.text.count("Away") == 1

    async def test_the_page_shows_house_after_with_the_rules(self) -> None:
        at = await room()
        client = AsyncClient()
        shown = await client.get(f"/tables/{at.table_id}/")
        said = "If a player leaves, a house player plays after 12 seconds, until they return."
        assert said in shown.content.decode()
        await Table.objects.filter(pk=at.table_id).aupdate(house_after=None)
        shown = await client.get(f"/tables/{at.table_id}/")
        assert "a house player plays only when asked to." in shown.content.decode()
        await Table.objects.filter(pk=at.table_id).aupdate(reserved=True)
        state.forget_all()
        shown = await client.get(f"/tables/{at.table_id}/")
        assert "If a player leaves" not in shown.content.decode()
