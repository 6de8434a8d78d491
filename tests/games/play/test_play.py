"""Live play: an action is checked, stored, answered, and then shown."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import DatabaseError
from django.utils import timezone
from structlog.testing import capture_logs

from games.engine.actions import Action
from games.engine.cards import card_text
from games.engine.game import Game as Engine
from games.engine.rules import HEADS_UP, JOKER_33, RuleSet
from games.live import journal, pace, state
from games.models import Game, GameEvent, Seat, Table
from games.play import play, sweep
from games.play.play import ActAnswer, Decision
from games.seats import seating
from games.sockets import hub, loop
from tests.chance import TYPICAL
from tests.factories import Room, room

pytestmark = pytest.mark.django_db(transaction=True)


async def unchanged(table: Room, answer: ActAnswer, kind: str) -> None:
    """The answer is a refusal with a reason, and nothing has been stored or changed."""
    assert answer.kind == kind
    assert answer.message
    assert answer.stamp == await table.stamp() == "1.0"
    assert await table.events() == []


@pytest.mark.parametrize("rules", TYPICAL.values(), ids=TYPICAL)
async def test_a_whole_game_is_stored_event_by_event(rules: RuleSet) -> None:
    table = await room(rules)
    await table.play_out()
    row, events = await table.row(), await table.events()
    playing = (await table.live()).playing
    assert playing is not None
    assert [event.seq for event in events] == list(range(1, playing.engine.version + 1))
    assert (row.state, row.version, row.winner) == (
        Game.State.OVER, len(events), playing.engine.standing.winner,
    )  # fmt: skip
    assert (row.score_0, row.score_1) == playing.engine.standing.score
    assert row.ended == row.moved == events[-1].at
    assert (await Table.objects.aget(pk=table.table_id)).state == Table.State.FINISHED


@pytest.mark.parametrize("rules", TYPICAL.values(), ids=TYPICAL)
async def test_a_fresh_load_says_what_the_events_said_at_every_step(rules: RuleSet) -> None:
    table = await room(rules)
    for _ in range(60):
        if await table.over():
            break
        await table.step()
        before = observations((await table.live()).playing)
        state.forget_all()
        assert observations((await table.live()).playing) == before


def observations(playing: state.LiveGame | None) -> list[object]:
    """All that anybody may know of a game."""
    assert playing is not None
    engine: Engine = playing.engine
    seats = [None, *range(engine.rules.players)]
    return [engine.version, engine.records, *(engine.observe(seat) for seat in seats)]


async def test_another_seats_turn_is_refused() -> None:
    table = await room()
    other = (await table.turn() + 1) % 4
    await unchanged(table, await table.act(other, "pass"), play.OUT_OF_TURN)


async def test_what_the_rules_forbid_is_refused_with_what_they_allow() -> None:
    table = await room()
    answer = await table.act(await table.turn(), "make H")
    await unchanged(table, answer, play.ILLEGAL)
    assert "order" in answer.message


async def test_a_card_of_another_hand_is_refused() -> None:
    table = await room()
    await table.act(await table.turn(), "order")
    playing = (await table.live()).playing
    assert playing is not None
    deal = playing.engine.deal
    card = next(card for card in range(33) if not deal.hands[deal.turn] >> card & 1)
    version = playing.engine.version
    answer = await table.act(deal.turn, f"discard {card_text(card)}")
    assert (answer.kind, playing.engine.version) == (play.ILLEGAL, version)
    assert "not in your hand" in answer.message


@pytest.mark.parametrize("text", ["", "play", "play 1X", "order hearts", "{}", "x" * 500, "päss"])
async def test_garbage_is_refused(text: str) -> None:
    table = await room()
    await unchanged(table, await table.act(await table.turn(), text), play.MALFORMED)


@pytest.mark.parametrize("key", ["", "k" * 37, "a\0b", "schlüssel"])
async def test_a_key_that_cannot_be_stored_is_refused(key: str) -> None:
    table = await room()
    decision = Decision("pass", "1.0", key)
    answer = await play.act(table.table_id, table.players[await table.turn()].pk, decision)
    await unchanged(table, answer._replace(stamp="1.0"), play.MALFORMED)


@pytest.mark.parametrize("stamp", ["", "1", "1.", ".1", "a.b", "1.0.0", "²." + "9" * 30])
async def test_a_version_that_is_none_is_refused(stamp: str) -> None:
    table = await room()
    decision = Decision("pass", stamp, "key")
    answer = await play.act(table.table_id, table.players[await table.turn()].pk, decision)
    await unchanged(table, answer, play.MALFORMED)


async def test_a_player_of_another_table_cannot_act_here() -> None:
    table, other = await room(), await room()
    stranger = other.players[await table.turn()]
    answer = await play.act(table.table_id, stranger.pk, Decision("pass", "1.0", "key"))
    await unchanged(table, answer, play.NOT_SEATED)
    visitor = await play.act(table.table_id, None, Decision("pass", "1.0", "key"))
    await unchanged(table, visitor, play.NOT_SEATED)


async def test_a_table_that_is_not_there_is_refused() -> None:
    answer = await play.act(4711, None, Decision("pass", "1.0", "key"))
    assert answer.kind == play.NOT_SEATED


async def test_an_older_version_is_stale_and_says_so() -> None:
    table = await room()
    turn = await table.turn()
    await table.act(turn, "pass")
    answer = await table.act((turn + 1) % 4, "pass", stamp="1.0")
    assert answer.kind == play.STALE
    assert answer.stamp == "1.1"
    assert len(await table.events()) == 1


async def test_a_key_sent_again_gets_the_first_answer_and_one_event() -> None:
    table = await room()
    turn = await table.turn()
    first = await table.act(turn, "pass", stamp="1.0", key="mine")
    await table.act((turn + 1) % 4, "pass")
    again = await table.act(turn, "pass", stamp="1.0", key="mine")
    state.forget_all()  # the server has been started anew
    after_restart = await table.act(turn, "pass", stamp="1.0", key="mine")
    assert first == ActAnswer(play.DONE, "1.1", stored=True)
    assert again == after_restart == ActAnswer(play.DONE, "1.1")
    assert len(await table.events()) == 2


async def test_a_key_of_the_game_before_gets_its_first_answer_too() -> None:
    table = await room(HEADS_UP)
    seat = await table.turn()
    first = await table.act(seat, "pass", stamp="1.0", key="one")
    await table.play_out()
    at = await Table.objects.aget(pk=table.table_id)
    await sync_to_async(seating.again)(at, table.players[seat])
    await play.catch_up(table.table_id)
    again = await table.act(seat, "pass", stamp="1.0", key="one")
    assert first == ActAnswer(play.DONE, "1.1", stored=True)
    assert again == ActAnswer(play.DONE, "1.1")
    other = await table.act(1 - seat, "pass", stamp="1.0", key="one")
    unknown = await table.act(seat, "pass", stamp="1.0", key="another")
    later = await table.act(seat, "pass", stamp="3.0", key="one")
    assert [answer.kind for answer in (other, unknown, later)] == [play.STALE] * 3
    assert await table.events() == []


async def test_another_seats_key_does_not_pass_for_an_action() -> None:
    table = await room()
    turn = await table.turn()
    await table.act(turn, "pass", key="mine")
    answer = await table.act((turn + 1) % 4, "pass", key="mine")
    assert (answer.kind, answer.stamp) == (play.MALFORMED, "1.1")
    assert len(await table.events()) == 1


async def test_a_clock_set_back_keeps_no_table_waiting(settings: Any) -> None:
    settings.HOUSE_PAUSE = (5.0, 5.0)
    table = await room(house_seats=(1, 2, 3))
    while await table.turn() == 0:
        await table.step()
    kept = await table.live()
    assert kept.playing is not None
    kept.playing.moved += timedelta(hours=1)
    play.show(kept)
    assert kept.timer is not None
    assert kept.timer.when() - asyncio.get_running_loop().time() <= 5


async def test_of_500_attempts_at_one_version_exactly_one_succeeds() -> None:
    table = await room()
    turn = await table.turn()
    attempts = [table.act(turn, "pass", stamp="1.0", key=f"try-{n}") for n in range(500)]
    answers = await asyncio.gather(*attempts)
    kinds = [answer.kind for answer in answers]
    assert (kinds.count(play.DONE), kinds.count(play.STALE)) == (1, 499)
    assert len(await table.events()) == 1


async def test_another_process_that_was_quicker_makes_it_stale_with_the_fresh_game(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(loop, "spawn", lambda news: news.close())  # late news would tell of it
    table = await room()
    turn = await table.turn()
    ours = await table.live()
    theirs = await sync_to_async(state.read)(table.table_id)
    quicker = play.Actor(turn, table.players[turn].pk, GameEvent.By.PERSON)
    await play.perform(theirs, quicker, Decision("pass", "1.0", "quicker"))
    assert ours.stamp == "1.0"
    answer = await table.act(turn, "order", stamp="1.0")
    assert answer.kind == play.STALE
    assert ours.stamp == answer.stamp == "1.1"
    assert [event.action for event in await table.events()] == ["pass"]


async def test_what_cannot_be_stored_is_not_done(monkeypatch: pytest.MonkeyPatch) -> None:
    table = await room()
    turn = await table.turn()

    async def no_disk(_entry: journal.JournalEntry) -> journal.Appended:
        raise DatabaseError("disk full")

    with monkeypatch.context() as broken:
        broken.setattr(play, "append", no_disk)
        await unchanged(table, await table.act(turn, "pass"), play.FAILED)
    assert (await table.act(turn, "pass")).kind == play.DONE


async def test_a_table_whose_own_action_was_not_stored_tries_again(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.HOUSE_PAUSE = (600.0, 600.0)
    table = await room(house_seats=(1, 2, 3))
    while await table.turn() == 0:
        await table.step()
    kept = await table.live()
    stamp, stored = kept.stamp, len(await table.events())
    running = asyncio.get_running_loop()
    by_the_loop = running.call_later
    again: list[Callable[[], None]] = []

    def call_later(delay: float, call: Callable[..., None], *args: object) -> object:
        if delay == play.AGAIN:
            again.append(lambda: call(*args))
            delay = 600
        return by_the_loop(delay, call, *args)

    async def no_server(_entry: journal.JournalEntry) -> journal.Appended:
        raise DatabaseError("the server is away")

    monkeypatch.setattr(running, "call_later", call_later)
    with monkeypatch.context() as broken:
        broken.setattr(play, "append", no_server)
        await play.act_by_itself(table.table_id, stamp)
        for tries in (1, 2):
            assert len(again) == tries
            again[-1]()
            await asyncio.gather(*play._ringing)
    assert await table.stamp() == stamp
    again[-1]()
    await asyncio.gather(*play._ringing)
    assert len(await table.events()) == stored + 1


async def test_an_action_is_finished_though_its_caller_goes_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = await room()
    turn = await table.turn()
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slow_disk(entry: journal.JournalEntry) -> journal.Appended:
        begun.set()
        await go_on.wait()
        return await journal.append(entry)

    with monkeypatch.context() as slow:
        slow.setattr(play, "append", slow_disk)
        caller = asyncio.ensure_future(play.to_its_end(table.act(turn, "pass")))
        await begun.wait()
        caller.cancel()
        go_on.set()
        await asyncio.wait([caller])
        async with (await table.live()).lock:
            assert len(await table.events()) == 1
    assert caller.cancelled()
    assert (await table.act((turn + 1) % 4, "pass")).stamp == "1.2"


async def test_two_who_deal_the_next_hand_deal_one() -> None:
    table = await room()
    while await table.turn() >= 0:
        await table.step()
    live_table = await table.live()
    stamp = live_table.stamp
    one = await table.act(0, "next", stamp=stamp)
    two = await table.act(1, "next", stamp=stamp)
    assert (one.kind, two.kind) == (play.DONE, play.STALE)
    assert [event.action for event in await table.events()].count("next") == 1


@pytest.mark.parametrize("stamp", ["1.0", "9.9", "nonsense", ""])
async def test_next_is_done_only_if_it_is_stored(stamp: str) -> None:
    table = await room()
    answer = await table.act(0, "next", stamp=stamp or " ")
    assert answer.kind != play.DONE
    assert not await table.events()


async def test_house_players_play_on_until_a_person_must_act() -> None:
    table = await room(house_seats=(1, 2, 3))
    await table.turn()
    await play.view_for(table.table_id, None)  # somebody looks: the clock is wound
    while not await table.over():
        seat = await table.turn()
        if seat <= 0:  # the next hand too is the one reader's to ask for
            await table.step()
        await asyncio.sleep(0.001)
    by = {event.by for event in await table.events()}
    assert by == {GameEvent.By.PERSON, GameEvent.By.HOUSE}


async def test_the_sweep_wakes_a_table_nobody_has_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        play, "schedule_timer", lambda _table: None
    )  # the process has just been started
    monkeypatch.setattr(hub, "announce", lambda _table_id: None)  # late news would set it anew
    table = await room(house_seats=(0, 1, 2))
    await Seat.objects.filter(table=table.table_id).aupdate(stand_in=True)
    await play.catch_up(table.table_id)
    past = timezone.now() - timedelta(minutes=1)
    await Game.objects.filter(table=table.table_id).aupdate(due=past)
    state.forget_all()
    await sweep.sweep()
    assert len(await table.events()) >= 1


async def test_a_sweep_that_needs_too_long_says_so_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    acted: list[int] = []

    async def hang(table_id: int) -> None:
        acted.append(table_id)
        if len(acted) == 2:
            await asyncio.Event().wait()

    monkeypatch.setattr(sweep, "_overdue", lambda _now: [1, 2, 3])
    monkeypatch.setattr(play, "act_by_itself", hang)
    with capture_logs() as lines:
        await sweep.sweep(limit=1.0)
    (line,) = lines
    assert (line["event"], line["seconds"], line["tables"]) == (
        "sweep not finished; the next goes on", 1.0, 2,
    )  # fmt: skip


async def test_the_sweep_leaves_alone_what_is_not_due() -> None:
    table = await room()
    await sweep.sweep()
    assert await table.events() == []


async def test_where_seats_are_given_one_that_a_house_player_holds_is_taken_back_first() -> None:
    table = await room()
    absent = (await table.turn() + 1) % 4
    await Table.objects.filter(pk=table.table_id).aupdate(reserved=True)
    state.forget_all()
    await Seat.objects.filter(table=table.table_id, position=absent).aupdate(stand_in=True)
    await play.catch_up(table.table_id)
    answer = await table.act(absent, "pass")
    await unchanged(table, answer, play.NOT_SEATED)
    assert "take your seat back" in answer.message


async def test_a_seat_taken_back_while_its_house_player_thinks_is_not_played_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(play, "schedule_timer", lambda _table: None)
    table = await room()
    turn = await table.turn()
    seat = Seat.objects.filter(table=table.table_id, position=turn)
    await seat.aupdate(stand_in=True)
    await play.catch_up(table.table_id)

    async def slow(_live: state.Live, _playing: state.LiveGame) -> pace.AutomaticAction:
        await seat.aupdate(stand_in=False)
        await play.catch_up(table.table_id)
        return pace.AutomaticAction(turn, "pass", GameEvent.By.HOUSE)

    monkeypatch.setattr("games.live.pace.decide", slow)
    await play.act_by_itself(table.table_id)
    assert await table.events() == []


async def test_the_pack_is_cut_for_those_who_leave_it_to_the_table() -> None:
    table = await room(JOKER_33)
    player = table.players[await table.turn()]
    player.cut_for_me = True
    await player.asave()
    state.forget_all()
    await play.act_by_itself(table.table_id)
    (event,) = await table.events()
    assert event.by == GameEvent.By.CLOCK
    assert event.action.startswith("cut ")


async def test_a_person_may_leave_the_cut_to_the_table_once() -> None:
    table = await room(JOKER_33)
    assert (await table.act(await table.turn(), "cut auto")).kind == play.DONE


async def test_who_looks_while_an_action_is_being_stored_sees_only_what_is_stored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table, store = await room(), journal.append
    live, seen = await table.live(), []

    async def looked_at(entry: journal.JournalEntry) -> journal.Appended:
        play.show(live)  # a socket opens, somebody comes back
        seen.append((live.stamp, entry.version))
        return await store(entry)

    monkeypatch.setattr(play, "append", looked_at)
    await table.play_out()
    assert [stamp for stamp, _ in seen] == [f"1.{version}" for _, version in seen]
    assert len(seen) == (await table.row()).version


async def test_an_action_is_played_once_and_never_taken_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table, push, played = await room(), Engine.push, []

    def noted(engine: Engine, action: Action, seat: int | None = None) -> None:
        played.append(str(action))
        push(engine, action, seat)

    monkeypatch.setattr(Engine, "push", noted)
    monkeypatch.delattr(Engine, "pop")
    await table.play_out()
    assert played == [one.action for one in await table.events()]
