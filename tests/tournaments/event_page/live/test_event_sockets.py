"""Sockets of event pages: who may open one, what each is sent, and how often it is drawn."""

import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import transaction

from games.models import Player
from games.play import consumers as sockets
from games.sockets import hub
from tests.factories import member, player
from tests.tabs import Tab, new_tab
from tests.tournaments import build
from tests.tournaments.event_page.live.tabs import Pace, Plain, settle, watch
from tournaments.changes import live
from tournaments.changes.row_locks import changed
from tournaments.event_page import consumers
from tournaments.models import Club, Entry, EntryPlayer, Event, Membership

pytestmark = pytest.mark.django_db(transaction=True)

new_event = sync_to_async(build.event)
new_club = sync_to_async(build.club)
new_member = sync_to_async(member)
new_guest = sync_to_async(player)
joined = sync_to_async(build.joined)


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> Plain:
    return Plain(monkeypatch)


@pytest.fixture
def pace(monkeypatch: pytest.MonkeyPatch) -> Pace:
    return Pace(monkeypatch)


@sync_to_async
def rename(event: Event, name: str) -> None:
    """Change what an event's page shows, as a verb does."""
    with transaction.atomic():
        Event.objects.filter(pk=event.pk).update(name=name)
        changed(event)


async def shown(event: Event, who: Player | None = None) -> Tab:
    """A tab that shows an event, once it has its first picture."""
    tab = await watch(event, who)
    await tab.frame()
    return tab


# What is sent ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("plain")
async def test_page_gets_the_time_and_then_every_part() -> None:
    tab = await shown(await new_event())
    now, whole = (json.loads(frame) for frame in tab.frames)
    assert abs(now["now"] / 1000 - time.time()) < 60
    assert whole["version"] == "0"
    assert all(f'hx-target="#{part}"' in whole["content"] for part in ("name", "score", "mine"))


async def test_a_change_is_drawn_once_for_everybody(plain: Plain, pace: Pace) -> None:
    event = await new_event()
    tabs = [await shown(event) for _ in range(5)]
    await pace.second_passes()
    before = len(plain.drawn)
    await rename(event, "Friday euchre")
    for tab in tabs:
        assert "Friday euchre" in (await tab.frame())["content"]
        assert tab.version == "1"
    assert len(plain.drawn) == before + 1


@pytest.mark.usefixtures("plain")
async def test_only_changed_parts_are_sent(pace: Pace) -> None:
    event = await new_event()
    tab = await shown(event)
    await pace.second_passes()
    await rename(event, "Friday euchre")
    content = (await tab.frame())["content"]
    assert 'id="name"' in content
    assert 'id="score"' not in content


@pytest.mark.usefixtures("plain")
async def test_delay_for_private_parts_grows_with_the_audience(
    pace: Pace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumers, "ASKING", 2)
    monkeypatch.setattr(consumers, "LONGEST_WAIT", 2.0)
    event = await new_event()
    tabs = [await shown(event) for _ in range(3)]
    await pace.second_passes()
    await rename(event, "Friday euchre")
    assert [(await tab.frame())["news"] for tab in tabs] == [1.5] * 3
    tabs += [await shown(event) for _ in range(3)]
    await pace.second_passes()
    await rename(event, "Saturday euchre")
    assert [(await tab.frame())["news"] for tab in tabs] == [2.0] * 6


@pytest.mark.usefixtures("plain")
async def test_news_only_socket_gets_news_only(pace: Pace) -> None:
    event = await new_event()
    tab = await new_tab(f"/ws/events/{event.pk}/?news")
    assert await tab.connect() is None
    assert set(await tab.frame()) == {"version", "news"}
    await pace.second_passes()
    await rename(event, "Friday euchre")
    assert (await tab.frame())["version"] == "1"
    assert "euchre" not in "".join(tab.frames)


async def test_a_console_waits_for_no_rendering(plain: Plain, pace: Pace) -> None:
    event = await new_event()
    console = await new_tab(f"/ws/events/{event.pk}/?news")
    assert await console.connect() is None
    assert (await console.frame())["version"] == "0"
    await pace.second_passes()
    plain.failing = 1
    await rename(event, "Friday euchre")
    assert (await console.frame())["version"] == "1"
    assert not plain.drawn, "nobody else watches"
    frames = len(console.frames)
    await live.beat()
    await pace.second_passes()
    assert len(console.frames) == frames, "what was told is not told again"
    plain.scores += 1
    await live.beat()
    assert (await console.frame())["version"] == "1", "a score at a table changes no version"


async def test_private_parts_are_sent_to_their_player_only(plain: Plain, pace: Pace) -> None:
    event, maeve, ben = await new_event(), await new_member("Maeve"), await new_guest("Ben")
    plain.inside = {maeve.pk, ben.pk}
    tabs = [await watch(event, one) for one in (maeve, ben, None)]
    await rename(event, "Friday euchre")
    for tab in tabs:
        while "Friday euchre" not in "".join(tab.frames):
            await pace.frame(tab)
    hers, his, nobodys = ("".join(tab.frames) for tab in tabs)
    assert f"for {maeve.pk} alone" in hers
    assert f"for {ben.pk} alone" in his
    assert f"for {ben.pk} alone" not in hers
    assert f"for {maeve.pk} alone" not in his
    assert "alone" not in nobodys


async def test_event_is_drawn_at_most_once_a_second(plain: Plain, pace: Pace) -> None:
    event = await new_event()
    tab = await shown(event)
    assert plain.drawn == [event.pk]
    for number in range(20):
        await rename(event, f"Name {number}")
    assert plain.drawn == [event.pk]
    await pace.second_passes()
    assert "Name 19" in (await tab.frame())["content"]
    assert plain.drawn == [event.pk] * 2
    await pace.second_passes()
    assert plain.drawn == [event.pk] * 2


async def test_unwatched_event_is_not_drawn(plain: Plain) -> None:
    event = await new_event()
    await rename(event, "Friday euchre")
    await settle()
    assert plain.drawn == []


@pytest.mark.usefixtures("plain")
async def test_reconnecting_page_gets_the_present_state(pace: Pace) -> None:
    event = await new_event()
    await (await shown(event)).close()
    await Event.objects.filter(pk=event.pk).aupdate(name="Friday euchre", version=7)
    await pace.second_passes()
    tab = await shown(event)
    assert "Friday euchre" in tab.frames[-1]
    assert tab.version == "7"


async def test_page_never_gets_an_older_state(plain: Plain, pace: Pace) -> None:
    event = await new_event()
    first = await shown(event)
    await rename(event, "Friday euchre")  # drawn only after a second
    tab = await new_tab(f"/ws/events/{event.pk}/?have=1")
    assert await tab.connect() is None
    assert await tab.silent(), "what was drawn last is older than its page"
    assert plain.drawn == [event.pk]
    await pace.second_passes()
    for one in (first, tab):
        assert "Friday euchre" in (await one.frame())["content"]
        assert one.version == "1"


@pytest.mark.parametrize("have", ["", "x", "-1", "²", "1" * 40])
async def test_invalid_version_still_gets_the_picture(have: str, plain: Plain) -> None:
    event = await new_event()
    tab = await new_tab(f"/ws/events/{event.pk}/?have={have}")
    assert await tab.connect() is None
    assert (await tab.frame())["version"] == "0"
    assert plain.drawn == [event.pk]


async def test_a_drawing_that_fails_does_not_stop_the_next(plain: Plain, pace: Pace) -> None:
    event = await new_event()
    tab = await shown(event)
    await pace.second_passes()
    plain.failing = 1
    await rename(event, "Friday euchre")
    await pace.second_passes()
    await rename(event, "Saturday euchre")
    assert "Saturday euchre" in (await tab.frame())["content"]


# What was missed ------------------------------------------------------------------------------


@pytest.mark.parametrize("looking", [live.beat, live.look], ids=["heartbeat", "look"])
@pytest.mark.usefixtures("plain")
async def test_missed_version_is_noticed(
    looking: Callable[[], Awaitable[None]], pace: Pace
) -> None:
    event = await new_event()
    tab = await shown(event)
    await pace.second_passes()
    await Event.objects.filter(pk=event.pk).aupdate(name="Friday euchre", version=7)
    await looking()
    assert "Friday euchre" in (await tab.frame())["content"]


async def test_a_heartbeat_finds_scores_that_have_changed(plain: Plain, pace: Pace) -> None:
    tab = await shown(await new_event())
    await pace.second_passes()
    plain.scores = 4
    await live.beat()
    assert '<p id="score">4</p>' in (await tab.frame())["content"].replace("'", '"')


async def test_a_heartbeat_that_finds_nothing_draws_nothing(plain: Plain, pace: Pace) -> None:
    event = await new_event()
    await shown(event)
    await pace.second_passes()
    await live.beat()
    await settle()
    assert plain.drawn == [event.pk]


async def test_a_look_at_versions_does_not_draw_for_scores(plain: Plain, pace: Pace) -> None:
    event = await new_event()
    await shown(event)
    await pace.second_passes()
    plain.scores = 4
    await live.look()
    await settle()
    assert plain.drawn == [event.pk]


@pytest.mark.usefixtures("plain", "pace")
async def test_browser_with_another_state_gets_every_part() -> None:
    tab = await shown(await new_event())
    await tab.send(beat="0")
    assert await tab.silent()
    await tab.send(beat="something else")
    assert json.loads(tab.frames[-1])["content"] == (await tab.frame())["content"]


# Who may watch --------------------------------------------------------------------------------


@sync_to_async
def closed_event(joining: str = Club.Joining.INVITATION) -> Event:
    """An event of a club joined by invitation, with Maeve as its member."""
    of = build.club(joining=joining)
    build.joined(of, member("Maeve"))
    return build.event(of)


@sync_to_async
def maeve() -> Player:
    """The member."""
    return Player.objects.get(name="Maeve")


async def test_unknown_event_socket_is_refused() -> None:
    tab = await new_tab("/ws/events/4711/")
    assert await tab.connect() == hub.NOT_HERE


@pytest.mark.usefixtures("plain", "pace")
async def test_draft_socket_is_for_its_directors() -> None:
    event = await new_event(state=Event.State.DRAFT)
    ada, otto = await new_member("Ada"), await new_member("Otto")
    await joined(await Club.objects.aget(pk=event.club_id), ada, Membership.Role.DIRECTOR)
    for who, closed in ((None, hub.NOT_HERE), (otto, hub.NOT_HERE), (ada, None)):
        tab = await new_tab(f"/ws/events/{event.pk}/", who)
        assert await tab.connect() == closed


@pytest.mark.usefixtures("plain", "pace")
async def test_closed_club_event_socket_is_for_members() -> None:
    event = await closed_event()
    strangers = [None, await new_member("Otto"), await new_guest("Ben")]
    for stranger in strangers:
        tab = await new_tab(f"/ws/events/{event.pk}/", stranger)
        assert await tab.connect() == hub.NOT_HERE
        assert live.events.watchers(event.pk) == frozenset()
    tab = await shown(event, await maeve())
    await rename(event, "Friday euchre")


@pytest.mark.usefixtures("plain", "pace")
async def test_entered_non_member_may_watch() -> None:
    event, otto = await closed_event(), await new_member("Otto")
    entry = await Entry.objects.acreate(event=event, state=Entry.State.ENTERED, arrival=1)
    await EntryPlayer.objects.acreate(event=event, entry=entry, player=otto)
    assert await shown(event, otto)


@pytest.mark.usefixtures("plain")
async def test_removed_member_gets_no_more_frames(
    pace: Pace, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = await closed_event()
    tab = await shown(event, await maeve())
    await Membership.objects.all().adelete()
    later = time.monotonic() + consumers.TRUST + 1
    monkeypatch.setattr("tournaments.event_page.consumers.time.monotonic", lambda: later)
    await rename(event, "A secret of the club")
    await pace.second_passes()
    closed = await tab.receive()
    assert (closed["type"], closed["code"]) == ("websocket.close", hub.NOT_HERE)
    assert "A secret of the club" not in "".join(tab.frames)


@pytest.mark.usefixtures("plain")
async def test_other_watchers_continue(pace: Pace, monkeypatch: pytest.MonkeyPatch) -> None:
    event = await closed_event()
    tab = await shown(event, await maeve())
    later = time.monotonic() + consumers.TRUST + 1
    monkeypatch.setattr("tournaments.event_page.consumers.time.monotonic", lambda: later)
    await rename(event, "Friday euchre")
    await pace.second_passes()
    assert "Friday euchre" in (await tab.frame())["content"]


@pytest.mark.usefixtures("plain", "pace")
async def test_another_sites_page_cannot_open_a_socket() -> None:
    event = await new_event()
    tab = Tab(f"/ws/events/{event.pk}/", None, "http://elsewhere.example")
    assert await tab.connect() is not None
    assert live.events.watchers(event.pk) == frozenset()


# Limits ---------------------------------------------------------------------------------------


@pytest.mark.usefixtures("plain", "pace")
async def test_number_of_sockets_per_person_is_limited(settings: Any) -> None:
    settings.SOCKETS_PER_PERSON = 2
    event, ben = await new_event(), await new_guest("Ben")
    first = await new_tab(f"/ws/events/{event.pk}/", ben)
    session = first.session
    tabs = [first, *(Tab(f"/ws/events/{event.pk}/", session, None) for _ in range(2))]
    assert [await tab.connect() for tab in tabs] == [None, None, sockets.TOO_MANY]


@pytest.mark.usefixtures("plain", "pace")
async def test_garbage_is_refused_and_the_socket_stays_open() -> None:
    tab = await shown(await new_event())
    for text in ("", "[]", "{", '{"action": "pass", "version": "1.0", "key": "one"}'):
        await tab.send_raw(text=text)
        assert (await tab.answer())["kind"] == "malformed"
    await tab.send(refresh=True)
    await tab.send(beat="else")
    assert "content" in await tab.frame()


@pytest.mark.usefixtures("plain")
async def test_logout_closes_the_sockets_of_its_session_only(pace: Pace) -> None:
    event, ben, iris = await new_event(), await new_guest("Ben"), await new_guest("Iris")
    tab, other = await watch(event, ben), await watch(event, iris)
    for one in (tab, other):
        await pace.frame(one)
    assert tab.session is not None
    await sync_to_async(hub.close_session)(str(tab.session.session_key))
    closed = await tab.receive()
    assert (closed["type"], closed["code"]) == ("websocket.close", hub.LOGGED_OUT)
    assert await other.silent()


@pytest.mark.usefixtures("plain", "pace")
async def test_a_closed_tab_is_forgotten() -> None:
    event = await new_event()
    await (await shown(event)).close()
    assert live.events.places() == []
    await live.beat()
    assert live._pages == {}
