"""Two processes at one table: what one stores, the other plays on from its message."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Collection, Iterator
from itertools import count
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from games.engine.actions import action_text
from games.engine.rules import CLASSIC_24, HEADS_UP, RuleSet
from games.live import journal, pace, remote_events, stamps, state
from games.live.journal import Appended, JournalEntry
from games.live.state import Live
from games.models import GameEvent, Player, Proposal, Table
from games.picture import viewing
from games.play import play, presence
from games.play.play import ActAnswer, Actor, Decision
from games.seats import consent
from games.sockets import hub, news
from games.sockets.hub import StoredEvent
from games.sockets.watching import Watcher
from tests.factories import room
from tests.games.seats.test_consent import claimable, propose

pytestmark = pytest.mark.django_db(transaction=True)


class Processes:
    """This process, and another one with its own table in memory.

    told: the events that were told last, by whichever process stored them. reads: the stamps at
    which a table was read again.
    """

    def __init__(self, table_id: int, here: Live, there: Live) -> None:
        self.table_id, self.here, self.there = table_id, here, there
        self.told: list[StoredEvent] = []
        self.reads: list[str] = []
        self.keys = (f"own-{number}" for number in count())

    async def act(self, live: Live, text: str, key: str | None = None) -> ActAnswer:
        """Do something at one of the two as whoever must act."""
        assert live.playing
        seat = max(live.playing.engine.turn, 0)
        actor = Actor(seat, live.seats[seat].player_id, GameEvent.By.PERSON)
        return await play.perform(live, actor, Decision(text, live.stamp, key or next(self.keys)))

    async def step(self, live: Live, chance: random.Random) -> StoredEvent:
        """Act in one of the two processes, and return its message to the other."""
        assert live.playing
        self.told.clear()
        text = action_text(chance.choice(live.playing.engine.legal_actions()))
        assert (await self.act(live, text)).kind == play.DONE
        return self.told[0]

    async def hear(self, event: StoredEvent | None) -> None:
        """Have this process hear a message, and do what it does about it."""
        await play.hear(self.table_id, event)
        await self.settled()

    async def settled(self) -> None:
        """Wait for what this process does beside the messages."""
        while play._following:
            await asyncio.gather(*play._following.values())

    def tell_the_other(self, event: StoredEvent) -> None:
        """Have the other process hear a message."""
        remote_events.take(self.there, event)
        remote_events.play_on(self.there)


def same(one: Live, other: Live) -> bool:
    """Whether two processes have the same table."""
    assert one.playing
    assert other.playing
    games = [
        (game.engine.version, game.engine.observe(), game.engine.undone, game.keys, game.actors)
        for game in (one.playing, other.playing)
    ]
    return games[0] == games[1] and (one.stamp, one.state) == (other.stamp, other.state)


@pytest.fixture(autouse=True)
def _quiet(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing happens by itself, and messages are passed on by the test alone."""
    settings.REDIS_URL = "redis://127.0.0.1:9/0"  # there are others
    settings.HOUSE_PAUSE = (600.0, 600.0)
    settings.NEXT_DEAL_PAUSE = 600.0
    monkeypatch.setattr(news, "connection_generation", lambda: 1)
    monkeypatch.setattr(news, "subscription", lambda _channel: (1, 1))
    monkeypatch.setattr(hub, "announce", lambda _table_id: None)
    monkeypatch.setattr(play, "on_timer", lambda *_due: None)
    return iter([None])


async def processes(table_id: int, monkeypatch: pytest.MonkeyPatch) -> Processes:
    """Two processes that know a table."""
    here = await state.get(table_id)
    both = Processes(table_id, here, await sync_to_async(state.read)(table_id))
    show, refresh = play.show, state.refresh

    async def tell(_table_id: int, event: StoredEvent) -> None:
        both.told.append(event)

    async def counted(live: Live) -> None:
        both.reads.append(live.stamp)
        await refresh(live)

    monkeypatch.setattr(hub, "tell", tell)
    monkeypatch.setattr(state, "refresh", counted)
    monkeypatch.setattr(play, "show", lambda live: show(live) if live is not both.there else None)
    return both


def waiting(monkeypatch: pytest.MonkeyPatch) -> Callable[[], Awaitable[None]]:
    """What waits until somebody waits for news, and has had time to stop it."""
    arrive, begun = remote_events.arrive, asyncio.Event()

    async def noted(live: Live, stamp: str) -> bool:
        begun.set()
        return await arrive(live, stamp)

    async def waits() -> None:
        await begun.wait()
        for _ in range(10):
            await asyncio.sleep(0)

    monkeypatch.setattr(remote_events, "arrive", noted)
    return waits


@pytest.mark.parametrize("rules", [CLASSIC_24, HEADS_UP], ids=lambda rules: rules.key)
async def test_a_game_over_two_processes_is_read_from_no_database(
    rules: RuleSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = await processes((await room(rules)).table_id, monkeypatch)
    chance = random.Random(11)
    while both.here.state == Table.State.PLAYING:
        if chance.random() < 0.5:
            both.tell_the_other(await both.step(both.here, chance))
        else:
            await both.hear(await both.step(both.there, chance))
        assert same(both.here, both.there)
    assert both.reads == []
    assert same(both.here, await sync_to_async(state.read)(both.table_id))


async def test_lost_doubled_and_disordered_messages_lead_to_what_is_stored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(remote_events, "PATIENCE", 0.01)
    both = await processes((await room()).table_id, monkeypatch)
    chance, pending = random.Random(7), list[StoredEvent]()
    while both.there.state == Table.State.PLAYING:
        event = await both.step(both.there, chance)
        if chance.random() < 0.9:
            pending += [event] * chance.choice([1, 1, 2])
        chance.shuffle(pending)
        while pending and chance.random() < 0.7:
            await both.hear(pending.pop())
            assert not stamps.is_ahead(both.here.stamp, both.there.stamp)
    for event in pending:
        await both.hear(event)
    await presence.show_missed_changes([both.table_id])
    assert same(both.here, both.there)
    assert not both.here.remote.pending


async def test_messages_that_overtake_each_other_need_no_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    both = await processes((await room()).table_id, monkeypatch)
    events = [await both.step(both.there, random.Random(1)) for _ in range(3)]
    for event in (events[2], events[1], events[1], events[0]):
        await play.hear(both.table_id, event)
    await both.settled()
    assert both.here.stamp == "1.3"
    assert same(both.here, both.there)
    assert both.reads == []


async def test_an_action_ahead_of_the_news_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    table = await room()
    both = await processes(table.table_id, monkeypatch)
    event = await both.step(both.there, random.Random(3))
    assert both.there.playing
    turn = both.there.playing.engine.turn
    text = action_text(both.there.playing.engine.legal_actions()[0])
    waits = waiting(monkeypatch)
    acting = asyncio.ensure_future(table.act(turn, text, stamp="1.1"))
    await waits()
    await both.hear(event)
    assert (await acting).kind == play.DONE
    assert both.reads == []


async def test_an_action_ahead_of_lost_news_reads_the_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(remote_events, "PATIENCE", 0.01)
    table = await room()
    both = await processes(table.table_id, monkeypatch)
    await both.step(both.there, random.Random(3))
    assert both.there.playing
    turn = both.there.playing.engine.turn
    text = action_text(both.there.playing.engine.legal_actions()[0])
    assert (await table.act(turn, text, stamp="1.1")).kind == play.DONE
    assert both.reads == ["1.0"]


@pytest.mark.parametrize("again", [False, True], ids=["another key", "the same key"])
async def test_who_was_overtaken_is_answered_from_the_news(
    again: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = await processes((await room()).table_id, monkeypatch)
    assert (await both.act(both.there, "pass", "first")).kind == play.DONE
    event, appended = both.told[0], journal.append

    async def overtaken(entry: JournalEntry) -> Appended:
        outcome = await appended(entry)
        await play.hear(both.table_id, event)  # while this process waits for the database
        return outcome

    monkeypatch.setattr(play, "append", overtaken)
    answer = await both.act(both.here, "pass", "first" if again else "second")
    assert (answer.kind, answer.stamp) == (play.DONE if again else play.STALE, "1.1")
    await both.settled()
    assert same(both.here, both.there)
    assert both.reads == []


async def test_a_busy_table_holds_up_no_other_news(monkeypatch: pytest.MonkeyPatch) -> None:
    both = await processes((await room()).table_id, monkeypatch)
    event = await both.step(both.there, random.Random(1))
    async with both.here.lock:
        await play.hear(both.table_id, event)
        assert both.here.stamp == "1.0"
    await both.settled()
    assert same(both.here, both.there)
    assert both.reads == []


async def test_an_event_that_is_not_possible_here_has_the_game_replayed(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    both = await processes((await room()).table_id, monkeypatch)
    event = await both.step(both.there, random.Random(1))
    assert both.here.playing
    for wrong in (
        event._replace(action="next"),
        event._replace(action="play a card"),
        event._replace(seat=(event.seat + 3) % 4),
    ):
        before = both.here.stamp
        await both.hear(wrong._replace(stamp=before))
        assert both.reads.pop() == before
        assert "you may" not in caplog.text, "it would name the cards of a hand"
        assert same(both.here, both.there)
        assert not both.here.remote.pending


async def test_an_event_that_nobody_has_stored_is_found_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    both = await processes((await room()).table_id, monkeypatch)
    assert both.here.playing
    turn = both.here.playing.engine.turn
    false = StoredEvent("1.0", "pass", turn, None, timezone.now().timestamp())
    await presence.show_missed_changes([both.table_id])
    await both.hear(false)
    assert both.here.stamp == "1.1", "the engine allows it"
    true = await both.step(both.there, random.Random(2))
    await both.hear(true)
    await presence.show_missed_changes([both.table_id])
    assert same(both.here, both.there)
    reads = len(both.reads)
    await presence.show_missed_changes([both.table_id])
    assert len(both.reads) == reads


async def test_news_under_way_is_waited_for_before_tables_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    both = await processes((await room()).table_id, monkeypatch)
    event = await both.step(both.there, random.Random(2))
    waits = waiting(monkeypatch)
    looking = asyncio.ensure_future(presence.show_missed_changes([both.table_id]))
    await waits()
    await both.hear(event)
    await looking
    assert same(both.here, both.there)
    assert both.reads == []


async def test_news_of_a_table_that_is_being_read_is_not_missed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    both = await processes((await room()).table_id, monkeypatch)
    state.forget(both.table_id)
    read_all, reading, go_on = state.read_all, asyncio.Event(), asyncio.Event()

    async def held(table_id: int) -> Live:
        live = await sync_to_async(read_all)([table_id])
        reading.set()
        await go_on.wait()
        return live[table_id]

    monkeypatch.setattr(state._reading, "ask", held)
    coming = asyncio.ensure_future(state.get(both.table_id))
    await reading.wait()
    event = await both.step(both.there, random.Random(2))
    assert state.keeps(both.table_id)
    await play.hear(both.table_id, event)
    go_on.set()
    await coming
    await asyncio.gather(*hub._reporting)
    assert same(await state.get(both.table_id), both.there)


async def test_an_undo_agreed_in_one_process_is_undone_in_both(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = await room()
    both = await processes(table.table_id, monkeypatch)
    assert both.here.playing
    seat = both.here.playing.engine.turn
    await both.act(both.there, "pass")
    await both.hear(both.told[0])
    at, now = await Table.objects.aget(pk=table.table_id), timezone.now()
    await sync_to_async(consent.undo)(at, table.players[seat], 1, 1, now)
    proposal = await Proposal.objects.alatest("pk")
    for other in {0, 1, 2, 3} - {seat}:
        answer = sync_to_async(consent.answer)
        await answer(at, table.players[other], proposal.pk, agree=True, now=now)
    await both.hear(None)  # of the proposal
    both.told.clear()
    await play.act_by_itself(table.table_id)
    assert both.told[0].action == "undo 1"
    both.tell_the_other(both.told[0])
    assert same(both.here, both.there)
    assert both.here.stamp == "1.2"
    assert both.there.playing
    assert both.there.playing.engine.turn == seat


async def _left_before_the_next_hand(
    monkeypatch: pytest.MonkeyPatch,
) -> tuple[Processes, Player]:
    """Two processes at the end of a hand; somebody has left for good since."""
    table = await room()
    both, chance = await processes(table.table_id, monkeypatch), random.Random(3)
    assert both.there.playing
    while both.there.playing.engine.deal.result is None:
        await both.hear(await both.step(both.there, chance))
    gone, at = table.players[1], await Table.objects.aget(pk=table.table_id)
    await sync_to_async(consent.leave)(at, gone, 1, timezone.now())
    return both, gone


def cards_shown(live: Live, viewer: Player) -> int:
    """The cards that a viewer sees as their own."""
    seen = viewing.view_of(live, viewer.pk).observation
    assert seen
    return seen.hand


async def test_who_has_left_does_not_see_the_next_hand_before_the_table_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    both, gone = await _left_before_the_next_hand(monkeypatch)
    event = await both.step(both.there, random.Random(3))
    assert event.action == "next"
    await hub._take({"table": both.table_id})
    await play.hear(both.table_id, event)  # before anybody could read it
    assert cards_shown(both.here, gone) == 0
    await both.settled()
    await asyncio.gather(*hub._reporting)
    assert cards_shown(both.here, gone) == 0
    assert same(both.here, both.there)
    assert both.here.unread == 0


async def test_who_has_left_does_not_see_a_hand_that_is_dealt_before_the_table_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    both, gone = await _left_before_the_next_hand(monkeypatch)
    acting = asyncio.ensure_future(both.act(both.here, "next"))
    await hub._take({"table": both.table_id})
    assert (await acting).kind == play.DONE
    assert cards_shown(both.here, gone) == 0
    await asyncio.gather(*hub._reporting)


async def test_a_hand_that_is_being_dealt_is_shown_once_the_table_has_been_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    both, gone = await _left_before_the_next_hand(monkeypatch)
    appended, shown = journal.append, list[tuple[str, int]]()

    async def announced(entry: JournalEntry) -> Appended:
        outcome = await appended(entry)
        await hub._take({"table": both.table_id})  # while this process waits for the database
        return outcome

    def sent(live: Live, players: Collection[int | None], **_words: bool) -> dict[Any, Any]:
        shown.append((live.stamp, cards_shown(live, gone)))
        return dict.fromkeys(players)

    async def ignored(_what: object) -> None: ...

    watcher = Watcher(both.table_id, gone.pk, "tab", ignored, ignored)
    monkeypatch.setattr(hub, "watchers", lambda _table_id: frozenset([watcher]))
    monkeypatch.setattr(viewing, "pictures", sent)
    monkeypatch.setattr(play, "append", announced)
    assert (await both.act(both.here, "next")).kind == play.DONE
    await asyncio.gather(*hub._reporting)
    assert shown[-1][0] == both.here.stamp
    assert {cards for _stamp, cards in shown} == {0}


async def test_a_claim_is_played_out_by_whichever_process_is_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = await sync_to_async(_agreed_claim)()
    both = await processes(found, monkeypatch)
    chance = random.Random(4)
    assert both.here.claimed >= 0
    read = len(both.reads)
    while both.here.claimed >= 0:
        both.told.clear()
        if chance.random() < 0.5:
            await play.act_by_itself(found)
            both.tell_the_other(both.told[0])
        else:
            assert both.there.playing
            seat, text, by, player_id = await pace.decide(both.there, both.there.playing)
            decision = Decision(text, both.there.stamp)
            await play.perform(both.there, Actor(seat, player_id, by), decision)
            await both.hear(both.told[0])
        assert same(both.here, both.there)
    assert len(both.reads) == read


def _agreed_claim() -> int:
    found, now = claimable(CLASSIC_24), timezone.now()
    propose(found.at, found.claimer, Proposal.Kind.CLAIM, now)
    proposal = Proposal.objects.get(game__table=found.at)
    for other in found.others:
        consent.answer(found.at, other, proposal.pk, agree=True, now=now)
    state.forget_all()
    return found.at.pk
