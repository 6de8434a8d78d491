"""Several web processes that show one event: what one says, the others show."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone
from redis import asyncio as redis

from games.sockets import hub, news
from tests.factories import member
from tests.tabs import Tab
from tests.tournaments import build
from tests.tournaments.event_page.live.tabs import Pace, Plain, listen, watch
from tests.tournaments.event_page.live.test_calls import enter_cast, told
from tournaments.changes import live
from tournaments.models import Event

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.redis]


class Other:
    """Another process, as far as it is heard."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.ear = client.pubsub()

    async def say(self, topic: str, said: Any) -> None:
        """Publish news."""
        message = {"from": "another process", "topic": topic, "news": said}
        await self.client.publish(news.CHANNEL, json.dumps(message))

    async def hears(self) -> tuple[str, Any]:
        """The next news of this process, topic first."""
        async with asyncio.timeout(10):
            while (message := await self.ear.get_message(timeout=1)) is None or message[
                "type"
            ] != "message":
                pass
        heard = json.loads(message["data"])
        return heard["topic"], heard["news"]


@pytest.fixture
async def other(redis_url: str, settings: Any) -> AsyncIterator[Other]:
    """Another process on the same Redis; the listener of this one ends with the test."""
    settings.REDIS_URL = redis_url
    state = news._State()
    with pytest.MonkeyPatch.context() as fresh:
        # What other tests have left there went with their event loops.
        for name in ("listener_task", "publisher", "connected"):
            fresh.setattr(news._state, name, getattr(state, name))
        client = redis.Redis.from_url(redis_url)
        yield Other(client)
        await client.aclose()
        listening = news._state.listener_task
        if listening is not None:
            listening.cancel()
            await asyncio.wait([listening])


async def until_heard() -> None:
    """Wait until this process is connected to Redis."""
    async with asyncio.timeout(10):
        while news.connection_generation() is None:  # noqa: ASYNC110 - it says nothing when it begins
            await asyncio.sleep(0.01)


async def changed_elsewhere(event: Event, name: str) -> None:
    """Another process changes an event, and this one does not hear of it."""
    await Event.objects.filter(pk=event.pk).aupdate(name=name, version=7)


async def until_shown(pace: Pace, tab: Tab, words: str) -> None:
    """Take frames until one holds some words."""
    while words not in (await pace.frame(tab)).get("content", ""):
        pass


@pytest.fixture
def pace(monkeypatch: pytest.MonkeyPatch) -> Pace:
    return Pace(monkeypatch)


async def test_an_event_changed_in_another_process_is_shown(
    other: Other, pace: Pace, monkeypatch: pytest.MonkeyPatch
) -> None:
    Plain(monkeypatch)
    event = await sync_to_async(build.event)()
    tab = await watch(event)
    await until_heard()
    await changed_elsewhere(event, "Friday euchre")
    await other.say(live.EVENTS, event.pk)
    await until_shown(pace, tab, "Friday euchre")


async def test_lost_connection_is_restored_and_missed_changes_are_shown(
    other: Other, pace: Pace, monkeypatch: pytest.MonkeyPatch
) -> None:
    Plain(monkeypatch)
    event = await sync_to_async(build.event)()
    tab = await watch(event)
    await until_heard()
    await changed_elsewhere(event, "Friday euchre")
    await other.client.client_kill_filter(_type="pubsub")
    await until_shown(pace, tab, "Friday euchre")


async def test_call_from_another_process_arrives(other: Other, pace: Pace) -> None:
    event = await sync_to_async(build.event)(starts=timezone.now())
    maeve, *_ = await sync_to_async(enter_cast)(event)
    tab = await listen(maeve)
    await until_heard()
    with pytest.MonkeyPatch.context() as deaf:
        deaf.setattr(live, "call", lambda _players: None)
        deaf.setattr(live, "announce", lambda _event: None)
        await sync_to_async(build.begin)(event, timezone.now())
    await other.say(live.CALLS, [maeve.pk])
    assert "called to table 1" in told(await pace.frame(tab))


async def test_a_logout_in_another_process_ends_event_sockets_here(
    other: Other, pace: Pace, monkeypatch: pytest.MonkeyPatch
) -> None:
    Plain(monkeypatch)
    event, maeve = await sync_to_async(build.event)(), await sync_to_async(member)("Maeve")
    tab = await watch(event, maeve)
    await pace.frame(tab)
    await until_heard()
    assert tab.session is not None
    ended = {"session": tab.session.session_key, "code": hub.LOGGED_OUT}
    await other.say(hub.SESSIONS, ended)
    while (message := await tab.receive())["type"] != "websocket.close":
        pass
    assert message["code"] == hub.LOGGED_OUT


async def test_events_and_calls_are_published_to_other_processes(other: Other) -> None:
    await other.ear.subscribe(news.CHANNEL)
    await sync_to_async(live.announce)(5)
    assert await other.hears() == (live.EVENTS, 5)
    await sync_to_async(live.call)({7})
    assert await other.hears() == (live.CALLS, [7])
