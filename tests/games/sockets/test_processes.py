"""Several web processes at one table: what one stores, the others show, with Redis or without."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.db import OperationalError
from django.utils import timezone
from redis import asyncio as redis

from games.live import absence, journal, remote_events, seat_changes, state
from games.live.absence import GonePlayer
from games.models import Proposal, Seat, SeatRequest, Table
from games.models.tables import LEFT
from games.play import play, presence
from games.seats import consent
from games.sockets import hub, loop, news
from tests.factories import Room, player, room
from tests.tabs import Tab, new_tab, shown_in

pytestmark = pytest.mark.django_db(transaction=True)

NOBODY = "redis://127.0.0.1:9/0"  # where no Redis answers


@pytest.fixture(autouse=True)
def _nothing_left_to_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    """What other tests were telling went with their loops."""
    fresh = news._State()
    fresh.listeners, fresh.missed = news._state.listeners, news._state.missed
    monkeypatch.setattr(news, "_state", fresh)


async def passed_elsewhere(table: Room) -> None:
    """Another process stores a pass, and this one does not hear of it."""
    assert (await journal.append(await table.passing())).status == journal.STORED


async def test_cached_tables_are_not_trusted_while_disconnected(settings: Any) -> None:
    settings.REDIS_URL = NOBODY
    table = await room()
    assert await table.stamp() == "1.0"
    await passed_elsewhere(table)
    view, _ = await play.view_for(table.table_id, table.players[0].pk)
    assert view.scene.stamp == "1.1"


@pytest.mark.parametrize("hearing", [1, None], ids=["news lost", "no news"])
async def test_a_heartbeat_finds_missed_events(
    hearing: int | None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.REDIS_URL = NOBODY
    monkeypatch.setattr(news, "connection_generation", lambda: hearing)
    table = await room()
    one = await new_tab(table.table_id, table.players[0])
    await one.connect()
    await presence.beat()
    await passed_elsewhere(table)
    await presence.beat()
    async with asyncio.timeout(10):  # later it would be shown anyway, for the others are away
        await one.until("1.1")


@pytest.mark.parametrize("hearing", [1, None], ids=["news lost", "no news"])
async def test_events_of_other_processes_are_found_each_second(
    hearing: int | None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.REDIS_URL = NOBODY
    monkeypatch.setattr(news, "connection_generation", lambda: hearing)
    table = await room()
    one = await new_tab(table.table_id, table.players[0])
    await one.connect()
    await presence.show_missed_changes([table.table_id])
    assert await one.silent()
    await passed_elsewhere(table)
    await presence.show_missed_changes([table.table_id])
    await one.until("1.1")
    await presence.show_missed_changes([table.table_id])
    assert await one.silent()


async def test_refresh_skips_unchanged_tables(
    settings: Any, deaf: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.REDIS_URL = NOBODY
    monkeypatch.setattr(news, "connection_generation", lambda: 1)
    table = await room()  # to which three have come since it was made
    assert len((await table.live()).seat_changes) == 3
    read: list[int] = []

    async def catch_up(table_id: int) -> None:
        read.append(table_id)

    monkeypatch.setattr(play, "catch_up", catch_up)
    await presence.show_missed_changes([table.table_id])
    assert read == []
    await sync_to_async(_somebody_leaves)(table)
    await presence.show_missed_changes([table.table_id])
    assert read == [table.table_id]


def _somebody_leaves(table: Room) -> None:
    """As another process stores it."""
    row = Table.objects.get(pk=table.table_id)
    seat_changes.record(row, LEFT, table.players[3], 3, timezone.now())


async def test_who_has_seen_more_than_this_process_is_not_refused(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.REDIS_URL = NOBODY
    monkeypatch.setattr(remote_events, "PATIENCE", 0.01)
    monkeypatch.setattr(news, "connection_generation", lambda: 1)
    monkeypatch.setattr(news, "subscription", lambda _channel: (1, 1))
    table = await room()
    first = await table.turn()
    tabs = [await new_tab(table.table_id, one) for one in table.players]
    for one in tabs:
        await one.connect()
    await passed_elsewhere(table)
    assert await table.stamp() == "1.0", "nothing was heard of it"
    answer = await table.act((first + 1) % 4, "pass", stamp="1.1")
    assert (answer.kind, answer.stamp) == (play.DONE, "1.2")
    for one in tabs:
        await one.until("1.2")
    for stamp in ("1.3", "2.0", "1.9" * 9, "1.-1", "1.x"):
        answer = await table.act((first + 2) % 4, "pass", stamp=stamp)
        assert answer.kind in (play.STALE, play.MALFORMED), stamp


async def test_news_of_what_has_been_read_meanwhile_asks_the_database_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = await room()
    assert (await table.step()).stamp == "1.1"
    refresh, asked = state.refresh, []

    async def counted(live: state.Live) -> None:
        asked.append(live.stamp)
        await refresh(live)

    monkeypatch.setattr(state, "refresh", counted)
    monkeypatch.setattr(remote_events, "PATIENCE", 0.0)
    for stamp, times in (("1.0", 0), ("0.9", 0), ("1.2", 1)):
        await play.hear(table.table_id, hub.StoredEvent(stamp, "pass", 0, None, 0.0))
        await asyncio.gather(*play._following.values())
        assert len(asked) == times, stamp
    assert await table.stamp() == "1.1"


async def test_a_reload_while_disconnected_updates_open_pages_too(
    settings: Any,
) -> None:
    settings.REDIS_URL = NOBODY
    table = await room()
    one = await new_tab(table.table_id, table.players[0])
    await one.connect()
    await presence.show_missed_changes([table.table_id])
    await passed_elsewhere(table)
    assert await table.stamp() == "1.1"
    await presence.show_missed_changes([table.table_id])
    await one.until("1.1")


async def test_missed_proposals_of_another_process_are_found(
    settings: Any, deaf: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.REDIS_URL = NOBODY
    monkeypatch.setattr(news, "connection_generation", lambda: 1)
    table = await room()
    one = await new_tab(table.table_id, table.players[0])
    await one.connect()
    at = await Table.objects.aget(pk=table.table_id)
    kind, now = Proposal.Kind.RESIGN, timezone.now()
    await sync_to_async(consent.propose)(at, table.players[2], kind, 1, now)
    await presence.show_missed_changes([table.table_id])
    assert "resign" in shown_in(await one.frame())
    await sync_to_async(consent.withdraw)(at, table.players[2], 1, now)
    await presence.show_missed_changes([table.table_id])
    assert "set" in await one.frame()
    await presence.show_missed_changes([table.table_id])
    assert await one.silent()


async def test_missed_seat_requests_of_another_process_are_found(
    settings: Any, deaf: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.REDIS_URL = NOBODY
    monkeypatch.setattr(news, "connection_generation", lambda: 1)
    table = await room()
    one = await new_tab(table.table_id, table.players[0])
    await one.connect()
    otto = await sync_to_async(player)("Otto")
    await SeatRequest.objects.acreate(table_id=table.table_id, player=otto, position=1)
    await presence.show_missed_changes([table.table_id])
    assert "Otto" in shown_in(await one.frame())
    await presence.show_missed_changes([table.table_id])
    assert await one.silent()


def test_the_number_of_queries_does_not_grow_with_tables(
    django_assert_num_queries: Any,
) -> None:
    tables = [async_to_sync(room)().table_id for _ in range(3)]
    for some in (tables[:1], tables):
        with django_assert_num_queries(4):
            assert set(presence._stored(some)) == set(some)


async def test_a_single_process_does_not_check_for_missed_events(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = await room()
    monkeypatch.setattr(loop, "in_database", lambda *_: pytest.fail("asked"))
    await presence.show_missed_changes([table.table_id])


async def test_an_unresponsive_redis_does_not_block_actions(settings: Any) -> None:
    async def silent(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()
        writer.close()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    settings.REDIS_URL = f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}/0"
    table = await room()
    async with asyncio.timeout(30):
        answer = await table.act(await table.turn(), "pass")
    assert answer.kind == play.DONE
    server.close()


async def test_an_unreachable_redis_is_not_tried_for_each_action(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.REDIS_URL = NOBODY
    asked = []
    redis_of = news._redis

    def counted() -> Any:
        asked.append(1)
        return redis_of()

    monkeypatch.setattr(news, "_redis", counted)
    monkeypatch.setattr(news, "PAUSE", 60.0)
    table = await room()
    for _ in range(4):
        assert (await table.step()).kind == play.DONE
    assert len(asked) == 1


# With a Redis -------------------------------------------------------------------------------


@pytest.fixture
async def other(redis_url: str, settings: Any) -> AsyncIterator["Other"]:
    """Another process on the same Redis; the listener of this one ends with the test."""
    settings.REDIS_URL = redis_url
    client = redis.Redis.from_url(redis_url)
    yield Other(client)
    await client.aclose()
    if news._state.listener_task is not None:
        news._state.listener_task.cancel()
        await asyncio.wait([news._state.listener_task])


class Other:
    """What another process says on the channel."""

    def __init__(self, client: Any) -> None:
        self.client = client

    async def say(self, topic: str, **said: Any) -> None:
        """Publish news; that of a table where it is listened to."""
        message = {"from": "another process", "topic": topic, "news": said}
        channel = hub._channel(said["table"]) if "table" in said else news.CHANNEL
        await self.client.publish(channel, json.dumps(message))

    async def listeners(self, table: Room) -> int:
        """How many processes receive the news of a table."""
        [(_, number)] = await self.client.pubsub_numsub(hub._channel(table.table_id))
        return int(number)

    async def heard_by(self, table: Room) -> Tab:
        """A tab of this process, once this process is connected to Redis."""
        one = await new_tab(table.table_id, table.players[0])
        await one.connect()
        async with asyncio.timeout(60):
            while hub.subscription(table.table_id) is None:  # noqa: ASYNC110 - it says nothing when it begins
                await asyncio.sleep(0.01)
        return one


@pytest.mark.redis
async def test_a_process_receives_the_messages_of_tables_with_sockets_only(other: Other) -> None:
    watched, unwatched = await room(), await room()
    one = await other.heard_by(watched)
    await unwatched.live()
    for table in (unwatched, watched):
        await passed_elsewhere(table)
        await other.say(hub.TABLES, table=table.table_id)
    await one.until("1.1")
    assert [await other.listeners(table) for table in (watched, unwatched)] == [1, 0]
    kept = state.kept(unwatched.table_id)
    assert kept is not None
    assert kept.stamp == "1.0"
    assert await unwatched.stamp() == "1.1", "it is read again when it is asked for"


@pytest.mark.redis
async def test_what_happens_while_a_table_is_joined_is_not_missed(
    other: Other, monkeypatch: pytest.MonkeyPatch
) -> None:
    await other.heard_by(await room())
    table = await room()
    await table.live()  # as a request for its page has read it
    subscribed, joined = news._on_subscribed, news.joined
    go_on, asked = asyncio.Event(), asyncio.Event()

    async def held(name: str) -> None:
        await go_on.wait()
        await subscribed(name)

    async def noted(channel: str) -> None:
        asked.set()
        await joined(channel)

    monkeypatch.setattr(news, "_on_subscribed", held)
    monkeypatch.setattr(news, "joined", noted)
    one = await new_tab(table.table_id, table.players[0])
    opening = asyncio.ensure_future(one.connect())
    await asked.wait()
    for _ in range(10):
        await asyncio.sleep(0)  # time to read it, if it did not wait
    await passed_elsewhere(table)  # and nothing is heard of it
    go_on.set()
    await opening
    assert one.version == "1.1"


@pytest.mark.redis
@pytest.mark.parametrize("asked", ["subscribe", "unsubscribe"])
async def test_a_channel_that_could_not_be_joined_or_left_at_once_is_soon(
    asked: str, other: Other, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(news, "PAUSE", 0.0)
    monkeypatch.setattr(news, "JOINING", 0.0)
    monkeypatch.setattr(hub, "LEAVE_AFTER", 0.0)
    await other.heard_by(await room())
    table, receiver = await room(), news._state.receiver
    assert receiver is not None
    done, refused = getattr(receiver, asked), []

    async def refused_once(*channels: str) -> None:
        monkeypatch.setattr(receiver, asked, done)
        refused.append(channels)
        raise redis.ConnectionError("not just now")

    monkeypatch.setattr(receiver, asked, refused_once)
    one = await new_tab(table.table_id, table.players[0])
    await one.connect()
    async with asyncio.timeout(60):
        while not await other.listeners(table):
            pass
    await one.close()
    async with asyncio.timeout(60):
        while await other.listeners(table):
            pass
    assert refused == [(hub._channel(table.table_id),)]


@pytest.mark.redis
async def test_a_table_shown_before_it_was_joined_is_shown_again(
    other: Other, monkeypatch: pytest.MonkeyPatch
) -> None:
    await other.heard_by(await room())
    monkeypatch.setattr(presence, "_beat_for_ever", asyncio.Event().wait)  # no poll
    presence.end()
    monkeypatch.setattr(news, "JOINING", 0.0)
    subscribed, go_on = news._on_subscribed, asyncio.Event()

    async def held(name: str) -> None:
        await go_on.wait()
        await subscribed(name)

    monkeypatch.setattr(news, "_on_subscribed", held)
    table = await room()
    one = await new_tab(table.table_id, table.players[0])
    await one.connect()
    assert one.version == "1.0"
    await passed_elsewhere(table)
    go_on.set()
    await one.until("1.1")


@pytest.mark.redis
async def test_what_is_reloaded_while_messages_wait_does_not_wait_for_them(
    other: Other, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = [await room() for _ in range(3)]
    one = await other.heard_by(tables[0])
    monkeypatch.setattr(news, "JOINING", 3600.0)
    subscribed, joining = news._on_subscribed, []

    async def reloading(name: str) -> None:
        joining.append(name)
        await news._reload_all()  # as after messages were missed: it asks for every table
        await subscribed(name)

    monkeypatch.setattr(news, "_on_subscribed", reloading)
    tabs = [await other.heard_by(table) for table in tables[1:]]
    assert len(joining) == 2
    for tab in (one, *tabs):
        await tab.close()


@pytest.mark.redis
async def test_a_table_is_left_with_its_last_socket_and_joined_again(
    other: Other, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "LEAVE_AFTER", 0.0)
    table = await room()
    one, two = await other.heard_by(table), await other.heard_by(table)
    await one.close()
    assert hub.subscription(table.table_id) is not None
    await two.close()
    async with asyncio.timeout(60):
        while await other.listeners(table):
            pass
    assert hub.subscription(table.table_id) is None
    await passed_elsewhere(table)
    again = await other.heard_by(table)
    assert again.version == "1.1"
    event = hub.StoredEvent("1.1", "pass", await table.turn(), None, timezone.now().timestamp())
    await other.say(hub.TABLES, table=table.table_id, event=event)
    await again.until("1.2")


@pytest.mark.redis
async def test_a_table_that_must_be_read_is_read_once_and_holds_up_no_other(
    other: Other, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed, quick = await room(), await room()
    one, _ = await other.heard_by(quick), await other.heard_by(changed)
    hear, asked, go_on = hub._state.news, [], asyncio.Event()
    assert hear is not None

    async def held(table_id: int, event: hub.StoredEvent | None) -> None:
        if event is None and table_id == changed.table_id:
            asked.append(table_id)
            await go_on.wait()
        await hear(table_id, event)

    monkeypatch.setattr(hub._state, "news", held)
    for _ in range(5):
        await other.say(hub.TABLES, table=changed.table_id)
    event = hub.StoredEvent("1.0", "pass", await quick.turn(), "key", timezone.now().timestamp())
    await passed_elsewhere(quick)
    await other.say(hub.TABLES, table=quick.table_id, event=event)
    await one.until("1.1")
    go_on.set()
    await asyncio.gather(*hub._reporting)
    assert len(asked) in (1, 2), "once for all, or once for the first and once for the others"


@pytest.mark.redis
async def test_a_failing_message_does_not_stop_the_listener(
    other: Other, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await room()
    one = await other.heard_by(table)

    async def no_database(_table_id: int, _event: object) -> None:
        raise OperationalError("the database is being started anew")

    with monkeypatch.context() as broken:
        broken.setattr(hub._state, "news", no_database)
        await other.say(hub.TABLES, table=table.table_id)
        await other.say(hub.TABLES, nonsense=True)
        await other.say(
            hub.SESSIONS, session="somebody's", code=hub.LOGGED_OUT
        )  # taken after the two
    await passed_elsewhere(table)
    await other.say(hub.TABLES, table=table.table_id)
    await one.until("1.1")


@pytest.mark.redis
async def test_a_lost_redis_connection_is_restored_and_tables_reloaded(
    other: Other,
) -> None:
    table = await room()
    one = await other.heard_by(table)
    await passed_elsewhere(table)
    await other.client.client_kill_filter(_type="pubsub")
    await one.until("1.1")


@pytest.mark.redis
async def test_a_process_announces_missed_messages_when_redis_is_back(
    other: Other, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    reachable = settings.REDIS_URL
    heard = other.client.pubsub()
    await heard.subscribe(news.CHANNEL)
    table = await room()
    await other.heard_by(table)
    monkeypatch.setattr(news, "PAUSE", 0.01)
    settings.REDIS_URL = NOBODY
    news._state.publisher = None
    assert (await table.step()).kind == play.DONE
    assert news._state.reconnect_task is not None
    settings.REDIS_URL = reachable
    topics: list[str] = []
    async with asyncio.timeout(60):
        while news.MISSED not in topics:
            message = await heard.get_message(ignore_subscribe_messages=True, timeout=1)
            topics += [json.loads(message["data"])["topic"]] if message else []
    await heard.aclose()


@pytest.mark.redis
async def test_sixty_messages_at_once_are_published_in_order(other: Other, redis_url: str) -> None:
    heard = other.client.pubsub()
    await heard.subscribe(news.CHANNEL)
    lines = int((await other.client.info("clients"))["connected_clients"])
    async with asyncio.timeout(30):
        await asyncio.gather(*(news.publish_remote("numbers", number) for number in range(60)))
    assert int((await other.client.info("clients"))["connected_clients"]) <= lines + 1
    said: list[int] = []
    async with asyncio.timeout(30):
        while len(said) < 60:
            message = await heard.get_message(ignore_subscribe_messages=True, timeout=1)
            said += [json.loads(message["data"])["news"]] if message else []
    assert said == list(range(60))
    await heard.aclose()


@pytest.mark.redis
async def test_a_slow_process_does_not_make_others_reload(
    other: Other, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = other.client.pubsub()
    await heard.subscribe(news.CHANNEL)
    await news.publish_remote("numbers", 0)
    monkeypatch.setattr(news, "PATIENCE", 0.0)  # an answer that is read later than that
    for number in range(1, 4):
        await news.publish_remote("numbers", number)
    assert news._state.reconnect_task is None
    said: list[Any] = []
    async with asyncio.timeout(30):
        while len(said) < 4:
            message = await heard.get_message(ignore_subscribe_messages=True, timeout=1)
            said += [json.loads(message["data"])] if message else []
    assert [one["topic"] for one in said] == ["numbers"] * 4
    await heard.aclose()


@pytest.mark.redis
async def test_tables_are_reloaded_after_missed_messages(other: Other) -> None:
    table = await room()
    one = await other.heard_by(table)
    await passed_elsewhere(table)
    await other.say(news.MISSED)
    await one.until("1.1")


# Who is here --------------------------------------------------------------------------------


async def gone_elsewhere(table: Room, seat: int, ago: float) -> None:
    """Another process notes that the last line it had to somebody has closed."""
    then = timezone.now() - timedelta(seconds=ago)
    await Seat.objects.filter(table=table.table_id, position=seat).aupdate(last_seen=then)
    gone = {GonePlayer(table.table_id, table.players[seat].pk): then}
    await sync_to_async(absence.record_gone)(gone)


@pytest.fixture
def deaf(monkeypatch: pytest.MonkeyPatch) -> None:
    """What this process stores is told to nobody here, as if another had stored it."""
    monkeypatch.setattr(hub, "announce", lambda _table_id: None)


async def missing(table: Room, seat: int) -> bool:
    """Whether somebody is recorded as gone."""
    at = Seat.objects.filter(table=table.table_id, position=seat)
    return await at.filter(missing_since__isnull=False).aexists()


@pytest.mark.redis
async def test_a_player_gone_from_another_process_is_shown_as_away(
    other: Other, deaf: None
) -> None:
    table = await room()
    one = await other.heard_by(table)
    await gone_elsewhere(table, 1, 8)
    await other.say(hub.TABLES, table=table.table_id)
    while '"away"' not in shown_in(await one.frame()):
        pass
    assert await missing(table, 1)


@pytest.mark.redis
async def test_a_player_with_a_socket_in_this_process_is_not_gone(other: Other, deaf: None) -> None:
    table = await room()
    one = await other.heard_by(table)
    await gone_elsewhere(table, 0, 0)
    await other.say(hub.TABLES, table=table.table_id)
    async with asyncio.timeout(60):
        while await missing(table, 0):  # noqa: ASYNC110 - it is corrected, not told
            await asyncio.sleep(0.01)
    await one.close()


@pytest.mark.redis
async def test_returning_in_another_process_ends_the_stand_in_here(
    other: Other, deaf: None, settings: Any
) -> None:
    settings.HOUSE_PAUSE = (600.0, 600.0)
    table = await room()
    if await table.turn() == 0:  # who has a line here
        await table.step()
    turn = await table.turn()
    one = await other.heard_by(table)
    await gone_elsewhere(table, turn, 12)
    await play.catch_up(table.table_id)
    await play.act_by_itself(table.table_id)
    await play.catch_up(table.table_id)
    assert (await table.live()).seats[turn].stand_in
    back = table.players[turn].pk
    await sync_to_async(absence.record_present)(table.table_id, back, timezone.now())
    await other.say(hub.TABLES, table=table.table_id)
    name = table.players[turn].name
    while f"{name} plays again" not in shown_in(await one.frame()):
        pass
    assert not (await table.live()).seats[turn].stand_in
