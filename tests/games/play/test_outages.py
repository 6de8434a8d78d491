"""Outages of the site: time stands still, and every deadline at a table is moved on, once."""

import asyncio
from datetime import UTC, datetime, timedelta
from threading import Barrier, Thread
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import IntegrityError, OperationalError, connection, transaction
from django.utils import timezone
from structlog.testing import capture_logs

from games.engine.rules import CLASSIC_24, HEADS_UP
from games.live import absence, pace, state, turn_clock
from games.models import Game, Heartbeat, Player, Proposal, Seat, Shuffle, Table
from games.models.proposals import ANSWER_WITHIN
from games.models.tables import LONG_AGO
from games.play import outages, play, sweep
from games.play.outages import AWAY_AFTER, AWAY_AT_START, MARGIN, WEB, Outage
from games.seats import closing, consent, seating
from games.seats.seating import SeatingError
from games.shuffle import shuffling
from games.sockets import heartbeats, hub, loop
from tests.factories import Room, cast, player, room, table
from tests.games.seats.test_consent import claimable
from tests.tabs import new_tab

pytestmark = pytest.mark.django_db(transaction=True)

NOON = datetime(2026, 3, 7, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
MINUTE = timedelta(minutes=1)
SECONDS = 20


@pytest.fixture(autouse=True)
def announced(monkeypatch: pytest.MonkeyPatch, settings: Any) -> list[int]:
    """The tables announced to have changed; nothing else happens at them by itself."""
    settings.HOUSE_PAUSE = (600.0, 600.0)
    tables: list[int] = []
    monkeypatch.setattr(hub, "announce", tables.append)
    return tables


@pytest.fixture
def a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process is no web process."""
    monkeypatch.setattr(loop, "has_web_loop", lambda: False)


def away(length: timedelta) -> Outage:
    """Let the site be away until noon."""
    heartbeats.beat(WEB, NOON - length)
    outage = outages.pulse(NOON)
    assert outage == Outage(NOON - length, NOON)
    return outage


class TestPulse:
    def test_no_warning_after_a_planned_stop(self) -> None:
        outages.pulse(NOON)
        heartbeats.beat(outages.STOPPED, NOON + SECOND)
        with capture_logs() as logs:
            outages.pulse(NOON + MINUTE)
            outages.pulse(NOON + 2 * MINUTE)  # and now one that nobody ordered
        assert [line["log_level"] for line in logs] == ["info", "warning"]

    def test_the_first_pulse_ends_no_outage(self) -> None:
        assert outages.pulse(NOON) is None
        assert heartbeats.last(WEB) == NOON

    def test_a_punctual_pulse_ends_no_outage(self) -> None:
        outages.pulse(NOON)
        assert outages.pulse(NOON + AWAY_AFTER - SECOND) is None
        assert heartbeats.last(WEB) == NOON + AWAY_AFTER - SECOND

    def test_late_pulse_ends_an_outage(self) -> None:
        outages.pulse(NOON)
        assert outages.pulse(NOON + MINUTE) == Outage(NOON, NOON + MINUTE)
        assert outages.pulse(NOON + MINUTE + SECOND) is None

    def test_a_starting_process_counts_a_short_outage(self) -> None:
        outages.pulse(NOON)
        back = NOON + timedelta(seconds=4)
        assert outages.pulse(back, AWAY_AT_START) == Outage(NOON, back)

    def test_a_process_joining_others_ends_no_outage(self) -> None:
        outages.pulse(NOON)
        assert outages.pulse(NOON + SECOND, AWAY_AT_START) is None

    def test_a_clock_set_back_is_no_outage(self) -> None:
        outages.pulse(NOON)
        assert outages.pulse(NOON - MINUTE) is None
        assert outages.pulse(NOON - MINUTE + SECOND) is None

    def test_only_one_of_many_starting_processes_moves_deadlines(self) -> None:
        heartbeats.beat(WEB, NOON - MINUTE)
        at = table(*cast())
        Table.objects.update(turn_seconds=SECONDS)
        Seat.objects.update(since=NOON - MINUTE)
        Game.objects.update(moved=NOON - MINUTE)
        found: list[Outage | None] = []
        together = Barrier(6)

        def come_back() -> None:
            together.wait()
            try:
                found.append(outages.pulse(NOON))
            finally:
                connection.close()

        threads = [Thread(target=come_back) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [one for one in found if one is not None] == [Outage(NOON - MINUTE, NOON)]
        assert ends(at) == NOON + SECONDS * SECOND + MARGIN

    def test_a_second_pulse_right_after_an_outage_finds_none(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        heartbeats.beat(WEB, NOON - MINUTE)
        last = heartbeats.last

        def come_back_first(name: str) -> datetime | None:
            monkeypatch.setattr(heartbeats, "last", last)
            assert outages.pulse(NOON) == Outage(NOON - MINUTE, NOON)
            return last(name)

        monkeypatch.setattr(heartbeats, "last", come_back_first)
        assert outages.pulse(NOON) is None

    def test_what_cannot_be_moved_holds_up_nothing_else(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fails(outage: Outage, **_kwargs: Any) -> None:
            with transaction.atomic():
                Seat.objects.update(position=9)

        outages.over.connect(fails)
        try:
            at = clocked()
            away(MINUTE)
        finally:
            outages.over.disconnect(fails)
        assert ends(at) >= NOON + MARGIN
        assert heartbeats.last(WEB) == NOON
        with pytest.raises(IntegrityError):  # it does fail
            fails(Outage(NOON, NOON))

    def test_deadlines_are_moved_once_the_database_is_back(self) -> None:
        def fails(outage: Outage, **_kwargs: Any) -> None:
            raise OperationalError("the database is away")

        at = clocked()
        before = ends(at)
        heartbeats.beat(WEB, NOON - MINUTE)
        outages.over.connect(fails)
        try:
            with pytest.raises(OperationalError):
                outages.pulse(NOON)
        finally:
            outages.over.disconnect(fails)
        assert (ends(at), heartbeats.last(WEB)) == (before, NOON - MINUTE)
        assert outages.pulse(NOON + SECOND) == Outage(NOON - MINUTE, NOON + SECOND)

    async def test_keep_pulse_beats_until_cancelled(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(outages, "BEAT", 0.01)
        await Heartbeat.objects.acreate(name=WEB, at=timezone.now() - MINUTE)
        task = await outages.keep_pulse()
        first = (await Heartbeat.objects.aget(name=WEB)).at
        assert timezone.now() - first < MINUTE
        async with asyncio.timeout(30):
            while (await Heartbeat.objects.aget(name=WEB)).at == first:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait([task])

    async def test_a_process_starts_without_the_database(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fails(*_args: Any) -> None:
            raise OperationalError("the database is away")

        monkeypatch.setattr(outages, "FIRST_WITHIN", 0.05)
        monkeypatch.setattr(outages, "pulse", fails)
        task = await outages.keep_pulse()
        assert not task.done()
        task.cancel()
        await asyncio.wait([task])


class TestPresent:
    def test_present_is_now_without_any_heartbeat(self, a_worker: None) -> None:
        assert abs(outages.present() - timezone.now()) < MINUTE

    def test_a_worker_uses_the_last_heartbeat(self, a_worker: None) -> None:
        beat = timezone.now() - 2 * SECOND
        heartbeats.beat(WEB, beat)
        assert outages.present() == beat

    async def test_a_web_process_uses_its_clock(self) -> None:
        beat = timezone.now() - 2 * SECOND
        await sync_to_async(heartbeats.beat)(WEB, beat)
        assert await sync_to_async(outages.present)() > beat

    async def test_clock_stops_at_the_last_stored_heartbeat(self) -> None:
        beat = timezone.now() - AWAY_AFTER
        await sync_to_async(heartbeats.beat)(WEB, beat)
        assert await sync_to_async(outages.present)() == beat


# Turns ---------------------------------------------------------------------------------------


def clocked(moved: datetime = NOON - MINUTE - 5 * SECOND) -> Table:
    """A table in play, whose turn began then, with twenty seconds for each."""
    at = table(*cast())
    Table.objects.filter(pk=at.pk).update(turn_seconds=SECONDS)
    Seat.objects.filter(table=at).update(since=moved - MINUTE)
    Game.objects.filter(table=at).update(moved=moved)
    at.refresh_from_db()
    return at


def ends(at: Table) -> datetime:
    """When the present turn of a table is over, as rows say it."""
    game = at.games.get(state=Game.State.PLAYING)
    since = at.seats.get(position=game.turn).since
    return turn_clock.ends(SECONDS, game.moved, since)


class TestTurns:
    def test_a_running_turn_is_extended_by_the_outage(self) -> None:
        at = clocked(moved=NOON - MINUTE - 5 * SECOND)
        away(MINUTE)
        assert ends(at) == NOON + 15 * SECOND + MARGIN

    def test_a_short_outage_extends_a_turn_too(self) -> None:
        at = clocked(moved=NOON - 12 * SECOND)
        away(7 * SECOND)
        assert ends(at) == NOON + 15 * SECOND + MARGIN

    def test_an_overdue_turn_gets_the_margin(self) -> None:
        at = clocked(moved=NOON - 10 * MINUTE)
        away(MINUTE)
        assert ends(at) == NOON + MARGIN

    def test_the_extended_turn_ends_at_its_new_deadline(self) -> None:
        at = clocked()
        away(MINUTE)
        game, last = at.games.get(), NOON + 15 * SECOND + MARGIN
        assert not turn_clock.run_out(game.pk, game.version, last - 0.001 * SECOND)
        assert turn_clock.run_out(game.pk, game.version, last)

    def test_other_seats_and_tables_are_unchanged(self) -> None:
        at, unclocked, closed = clocked(), table(*cast()), clocked()
        Table.objects.filter(pk=closed.pk).update(state=Table.State.CLOSED)
        turn = at.games.get().turn
        others = Seat.objects.exclude(table=at, position=turn)
        before = list(others.order_by("pk").values_list("since", flat=True))
        away(MINUTE)
        assert list(others.order_by("pk").values_list("since", flat=True)) == before
        assert unclocked.games.get().due is not None

    def test_a_stand_ins_turn_is_not_moved(self) -> None:
        at = clocked()
        seat = at.seats.get(position=at.games.get().turn)
        seat.stand_in = True
        seat.save()
        away(MINUTE)
        assert at.seats.get(pk=seat.pk).since == seat.since

    def test_only_the_current_game_of_a_table_counts(self) -> None:
        at = clocked()
        Game.objects.filter(table=at).update(state=Game.State.OVER, turn=-1)
        game = at.games.get()
        game.pk, game.number, game.state = None, 2, Game.State.PLAYING
        game.turn, game.moved = 3, NOON - MINUTE - 2 * SECOND
        game.save(force_insert=True)
        away(MINUTE)
        assert ends(at) == NOON + 18 * SECOND + MARGIN

    def test_moved_deadlines_are_announced(self, announced: list[int]) -> None:
        at, unclocked = clocked(), table(*cast())
        announced.clear()
        away(MINUTE)
        assert announced == [at.pk]
        assert unclocked.pk not in announced

    def test_a_second_outage_moves_deadlines_again(self) -> None:
        at = clocked()
        away(MINUTE)
        assert outages.pulse(NOON + MINUTE) is not None
        assert ends(at) == NOON + MINUTE + 15 * SECOND + 2 * MARGIN


async def running_clock(moved: datetime) -> Room:
    """A table in play whose turn began then."""
    at = await room(CLASSIC_24)
    await Table.objects.filter(pk=at.table_id).aupdate(turn_seconds=SECONDS)
    await Seat.objects.filter(table=at.table_id).aupdate(since=moved)
    await Game.objects.filter(table=at.table_id).aupdate(moved=moved, due=moved + SECONDS * SECOND)
    state.forget_all()
    return at


async def stood_in(at: Room) -> bool:
    return await Seat.objects.filter(table=at.table_id, stand_in=True).aexists()


class TestWhileItIsAway:
    """A worker goes on without any web process."""

    async def test_no_turn_ends_during_an_outage(self, a_worker: None) -> None:
        now = timezone.now()
        at = await running_clock(now - 30 * SECOND)
        await sync_to_async(heartbeats.beat)(WEB, now - 15 * SECOND)
        await sweep.sweep()
        await play.act_by_itself(at.table_id)  # a timer of the worker's own
        assert not await stood_in(at)

    async def test_no_turn_ends_after_the_last_heartbeat(self, a_worker: None) -> None:
        now = timezone.now()
        at = await running_clock(now - 23 * SECOND)
        await sync_to_async(heartbeats.beat)(WEB, now - 4 * SECOND)
        await sweep.sweep()
        assert not await stood_in(at)

    async def test_a_turn_overdue_before_the_outage_ends(self, a_worker: None) -> None:
        now = timezone.now()
        at = await running_clock(now - 30 * SECOND)
        await sync_to_async(heartbeats.beat)(WEB, now - 3 * SECOND)
        await sweep.sweep()
        await play.act_by_itself(at.table_id)
        assert await stood_in(at)

    async def test_a_turn_that_cannot_end_is_retried_with_a_pause(self, a_worker: None) -> None:
        now = timezone.now()
        at = await running_clock(now - 30 * SECOND)
        await sync_to_async(heartbeats.beat)(WEB, now - 15 * SECOND)
        await play.act_by_itself(at.table_id)
        timer = (await at.live()).timer
        assert timer is not None
        assert timer.when() - asyncio.get_running_loop().time() > 0.5

    async def test_the_sweep_finds_no_late_turn_after_the_outage(self) -> None:
        now = timezone.now()
        at = await running_clock(now - MINUTE)
        await sync_to_async(heartbeats.beat)(WEB, now - MINUTE)
        await sync_to_async(outages.pulse)(timezone.now())
        await sweep.sweep()
        await play.act_by_itself(at.table_id)
        assert not await stood_in(at)


# Shuffles and who is here --------------------------------------------------------------------


class TestShuffles:
    def test_a_shuffle_waits_longer_for_contributions(self) -> None:
        at = shuffled(NOON - MINUTE + 2 * SECOND)
        away(MINUTE)
        assert at.shuffles.get().due == NOON + 2 * SECOND + MARGIN
        assert shuffling.overdue(NOON + MARGIN) == []

    def test_an_overdue_shuffle_gets_the_margin(self) -> None:
        at = shuffled(NOON - 2 * MINUTE)
        away(MINUTE)
        assert at.shuffles.get().due == NOON + MARGIN

    def test_a_shuffle_without_all_players_has_no_deadline(self) -> None:
        at = table(player("Maeve"))
        away(MINUTE)
        assert at.shuffles.get().due is None


def shuffled(due: datetime) -> Table:
    """A table that shuffles, and waits until then."""
    people = cast()
    at = table(*people[:3])
    Seat.objects.filter(table=at, position=0).update(throws_in=True, last_seen=timezone.now())
    seating.sit(at, people[3], 3)
    Shuffle.objects.filter(table=at).update(due=due)
    at.refresh_from_db()
    assert at.state == Table.State.SHUFFLING
    return at


class TestProposals:
    @pytest.fixture
    def asked(self) -> tuple[Table, Player, Player]:
        """A table, who proposes to resign there at two seconds before the outage, who is asked."""
        maeve, ben, iris, jonah = cast()
        at = table(maeve, ben, iris, jonah)
        consent.propose(at, maeve, Proposal.Kind.RESIGN, 1, NOON - MINUTE - 2 * SECOND)
        return at, maeve, iris

    def test_an_open_proposal_is_extended(
        self, asked: tuple[Table, Player, Player], announced: list[int]
    ) -> None:
        at, _, iris = asked
        announced.clear()
        away(MINUTE)
        proposal = Proposal.objects.get()
        assert proposal.until == NOON + ANSWER_WITHIN - 2 * SECOND + MARGIN
        assert announced == [at.pk]
        late = proposal.until - SECOND
        consent.answer(at, iris, proposal.pk, agree=True, now=late)
        assert at.games.get().resigned == 0

    def test_a_proposal_lapsed_before_the_outage_stays_lapsed(
        self, asked: tuple[Table, Player, Player]
    ) -> None:
        until = NOON - MINUTE
        Proposal.objects.update(until=until)
        away(MINUTE)
        assert Proposal.objects.get().until == until

    def test_closed_proposals_are_not_extended(self, asked: tuple[Table, Player, Player]) -> None:
        at, maeve, _ = asked
        until = Proposal.objects.get().until
        consent.withdraw(at, maeve, 1, NOON - MINUTE)
        away(MINUTE)
        assert Proposal.objects.get().until == until
        Proposal.objects.update(state=Proposal.State.OPEN)
        Game.objects.update(state=Game.State.OVER)
        heartbeats.beat(WEB, NOON - MINUTE)
        assert outages.pulse(NOON) is not None
        assert Proposal.objects.get().until == until

    def test_a_claim_is_extended_with_its_turn(self) -> None:
        at, game, claimer, _others = claimable()
        made = NOON - MINUTE - SECOND
        Table.objects.update(turn_seconds=10)
        Game.objects.update(moved=made)
        at.seats.update(since=made)
        consent.propose(at, claimer, Proposal.Kind.CLAIM, game.number, made)
        away(MINUTE)
        live = state.read(at.pk)
        assert Proposal.objects.get().until == pace.turn_ends(live, made)


class TestWhoIsHere:
    def test_the_outage_does_not_count_as_absence(self) -> None:
        maeve, ben, *others = cast()
        at = table(maeve, ben, *others)
        Seat.objects.update(last_seen=NOON - MINUTE - 10 * SECOND)
        away(MINUTE)
        Game.objects.update(turn=1)
        with pytest.raises(SeatingError, match="was here less than 60 seconds ago"):
            seating.ask_stand_in(at, maeve, NOON + 20 * SECOND)

    def test_the_outage_does_not_count_as_absence_of_programs(self) -> None:
        at = table(*cast()[:2], rules=HEADS_UP)
        Player.objects.filter(name="Ben").update(kind=Player.Kind.PROGRAM)
        Seat.objects.update(last_seen=NOON - MINUTE - 10 * SECOND)
        away(MINUTE)
        assert set(at.seats.values_list("last_seen", flat=True)) == {NOON - 10 * SECOND}
        assert absence.mark_all_stale_as_gone(NOON + 45 * SECOND, 100) == []

    def test_last_seen_is_not_moved_past_the_outage(self) -> None:
        table(*cast())
        Seat.objects.update(last_seen=NOON - 5 * SECOND)
        away(MINUTE)
        assert set(Seat.objects.values_list("last_seen", flat=True)) == {NOON}

    def test_a_player_who_left_stays_gone(self) -> None:
        people = cast()
        at = table(*people)
        seating.stand_up(at, people[1])
        away(MINUTE)
        assert at.seats.get(position=1).last_seen == LONG_AGO

    def test_a_long_outage_closes_no_table(self) -> None:
        at = table(*cast())
        began = NOON - closing.LEFT_AFTER - MINUTE
        Seat.objects.update(last_seen=began)
        Game.objects.update(moved=began)
        Table.objects.update(created=began)
        away(closing.LEFT_AFTER + MINUTE)
        assert closing.close_left(NOON) == 0
        assert closing.close_left(NOON + closing.LEFT_AFTER + MINUTE) == 1
        at.refresh_from_db()
        assert at.state == Table.State.CLOSED

    async def test_opening_a_socket_records_presence_at_once(self) -> None:
        at = await room()
        await Seat.objects.filter(table=at.table_id).aupdate(last_seen=LONG_AGO)
        state.forget_all()
        one = await new_tab(at.table_id, at.players[2])
        await one.connect()
        async with asyncio.timeout(30):
            while not (seen := await recently(at)):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert seen == [2]
        await one.close()

    async def test_a_spectators_socket_records_no_presence(self) -> None:
        at = await room()
        await Seat.objects.filter(table=at.table_id).aupdate(last_seen=LONG_AGO)
        one = await new_tab(at.table_id, await Player.objects.acreate(name="Otto"))
        await one.connect()
        await one.close()
        assert await recently(at) == []


async def recently(at: Room) -> list[int]:
    seats = Seat.objects.filter(table=at.table_id, last_seen__gt=timezone.now() - MINUTE)
    return [position async for position in seats.values_list("position", flat=True)]


async def test_a_timer_that_cannot_read_its_table_rings_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried: list[tuple[int, str]] = []
    acted = asyncio.Event()

    async def act(table_id: int, stamp: str) -> None:
        tried.append((table_id, stamp))
        if len(tried) == 1:
            raise OperationalError
        acted.set()

    monkeypatch.setattr(play, "act_by_itself", act)
    monkeypatch.setattr(play, "AGAIN", 0.0)
    play.on_timer(7, "1.3")
    await asyncio.wait_for(acted.wait(), 10)
    assert tried == [(7, "1.3"), (7, "1.3")]
