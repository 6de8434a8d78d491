"""House players of a solo table do the same for whoever does the same with the same cards."""

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from euchre_site.health import local_checks
from games.bots import levels
from games.live import pace, state, thinking
from games.live.pace import AutomaticAction
from games.live.state import Live, LiveGame
from games.live.thinking import WorkerPool
from games.models import Game, SharedDeals
from games.play import play, sweep
from games.sockets import hub
from tests.factories import people
from tests.games.solo import SOUTH, SoloRoom, by_chance, day, solo_room

#: Seconds to wait for a process that starts.
PATIENCE = 60.0
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("still")]


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    """Nothing happens by itself, and a choice takes few guesses."""
    settings.HOUSE_PAUSE = (600.0, 600.0)
    monkeypatch.setattr(hub, "announce", lambda _table: None)
    monkeypatch.setattr(thinking, "WORLDS", 6)
    monkeypatch.setattr(thinking, "_known", type(thinking._known)())


@pytest.fixture
def workers(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkerPool]:
    settings.HOUSE_PROCESSES = 1
    monkeypatch.setattr(thinking, "PATIENCE", PATIENCE)
    pool = WorkerPool()
    monkeypatch.setattr(thinking, "pool", pool)
    yield pool
    pool.close()


@pytest.fixture
async def deals() -> SharedDeals:
    return await sync_to_async(day)()


async def rooms(deals: SharedDeals, *seeds: int) -> list[SoloRoom]:
    """A table for each seed by which its person chooses."""
    persons = await sync_to_async(people)(len(seeds))
    return [
        await solo_room(deals, person, by_chance(seed))
        for person, seed in zip(persons, seeds, strict=True)
    ]


async def test_two_people_who_do_the_same_meet_the_same_and_a_third_does_not(
    deals: SharedDeals,
) -> None:
    one, other, third = await rooms(deals, 7, 7, 8)
    while not (await one.over() and await other.over() and await third.over()):
        for room in (one, other, third):  # interleaved, as on a busy day
            if not await room.over():
                await room.move()
        thinking._known.clear()  # nothing is only remembered
    assert await one.log() == await other.log()
    assert await one.log() != await third.log()


async def test_neither_process_nor_restart_nor_load_changes_it(
    deals: SharedDeals, workers: WorkerPool, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there, torn = await rooms(deals, 3, 3, 3)
    await there.to_the_end()  # in a worker
    assert workers._free
    thinking._known.clear()
    settings.HOUSE_PROCESSES = 0
    await here.to_the_end()  # in this process
    thinking._known.clear()
    settings.HOUSE_PROCESSES = 1
    (busy,) = workers._free
    for number in range(1000):
        if await torn.over():
            break
        # Other tables have the only worker at every other choice, and the site starts again.
        monkeypatch.setattr(thinking, "PATIENCE", 0.0 if number % 2 else PATIENCE)
        workers._free[:] = [] if number % 2 else [busy]
        await torn.move()
        if number % 5 == 0:
            state.forget_all()
    workers._free[:] = [busy]
    assert await here.log() == await there.log() == await torn.log()


async def test_other_deals_give_the_same_position_another_chance() -> None:
    one, other = await sync_to_async(day)(), await sync_to_async(day)()
    (first,), (second,) = await rooms(one, 1), await rooms(other, 1)
    seen = (await first.engine()).observe(SOUTH)
    digests = []
    for room in (first, second):
        live = await room.live()
        assert live.playing is not None
        assert live.playing.position is not None
        digests.append(live.playing.position(seen))
        scored = seen._replace(standing=seen.standing._replace(score=(7, 2)))
        assert live.playing.position(scored) == digests[-1], "what was won before has no part in it"
        later = seen._replace(standing=seen.standing._replace(deal_number=2))
        assert live.playing.position(later) != digests[-1]
    assert digests[0] != digests[1]


async def test_a_busy_site_waits_for_a_worker_and_the_operator_sees_it(
    deals: SharedDeals, workers: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    (room,) = await rooms(deals, 1)
    while await room.turn() == SOUTH or len(await room.legal()) < 2:
        await room.move()
    seen = (await room.engine()).observe(await room.turn())
    assert workers.ask(levels.STRONG, seen, 1, waits=True) in seen.legal
    (busy,) = workers._free
    workers._free.clear()
    version = (await room.engine()).version
    deciding, decide = asyncio.Event(), pace.decide

    async def noting(live: Live, playing: LiveGame) -> AutomaticAction:
        deciding.set()
        return await decide(live, playing)

    monkeypatch.setattr(pace, "decide", noting)
    acting = asyncio.ensure_future(play.act_by_itself(room.table_id))
    await deciding.wait()
    await play.act_by_itself(room.table_id)  # the sweep comes by: the choice is being made
    assert (await room.engine()).version == version
    minutes = 0
    monkeypatch.setattr(thinking, "slowness", thinking.Slowness(lambda: minutes * 60.0))
    monkeypatch.setattr(thinking, "SLOW", 0.0)
    with workers._changed:
        workers._free.append(busy)
        workers._changed.notify()
    await acting
    assert (await room.engine()).version == version + 1
    assert any("slow" in one.title for one in local_checks.house_players())
    minutes = 11
    assert list(local_checks.house_players()) == []


async def test_nothing_moves_on_by_itself_after_a_deal(deals: SharedDeals) -> None:
    (room,) = await rooms(deals, 1)
    await room.to_the_end_of_a_deal()
    live = await room.live()
    assert pace.pause(live) is None
    assert (await room.row()).due is None
    assert (await room.act(SOUTH, "next")).kind == play.DONE


async def test_the_sweep_leaves_a_solo_table_time_to_think(deals: SharedDeals) -> None:
    (room,) = await rooms(deals, 1)
    now = timezone.now()
    due = Game.objects.filter(table=room.table_id)
    await due.aupdate(due=now - timedelta(seconds=sweep.GRACE + 1))
    assert await sync_to_async(sweep._overdue)(now) == []
    await due.aupdate(due=now - timedelta(seconds=sweep.SOLO_GRACE + 1))
    assert await sync_to_async(sweep._overdue)(now) == [room.table_id]
