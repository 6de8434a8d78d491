"""Sockets at a table: who may open one, what it is sent, and what it may not do."""

import json

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth import login
from django.contrib.sessions.backends.db import SessionStore
from django.db import OperationalError
from django.test import RequestFactory

from games.engine.rules import CLASSIC_24
from games.models import Table, User
from games.play import consumers, play, presence
from games.seats import seating
from games.sockets import hub
from tests.factories import PASSWORD, Room, logged_in, member, room
from tests.tabs import Tab, new_tab, session_of

pytestmark = pytest.mark.django_db(transaction=True)


async def seated(table: Room, seat: int) -> Tab:
    """A connected tab of the person in a seat."""
    opened = await new_tab(table.table_id, table.players[seat])
    assert await opened.connect() is None
    return opened


async def test_everybody_at_the_table_is_shown_an_action_after_its_answer() -> None:
    table = await room()
    tabs = [await seated(table, seat) for seat in range(4)]
    watching = await new_tab(table.table_id)
    assert await watching.connect() is None
    actor = tabs[await table.turn()]
    await actor.send(action="pass", version="1.0", key="one")
    assert (await actor.answer())["kind"] == play.DONE
    for one in (*tabs, watching):
        await one.until("1.1")
    assert len(await table.events()) == 1


async def test_a_second_frame_holds_only_what_has_changed() -> None:
    table = await room()
    one = await seated(table, 0)
    await table.act(await table.turn(), "pass")
    await one.until("1.1")
    first, second = one.frames
    assert len(second) < len(first)


async def test_a_socket_opened_later_shows_the_present() -> None:
    table = await room()
    await table.act(await table.turn(), "pass")
    late = await seated(table, 0)
    assert late.version == "1.1"


async def test_a_refusal_goes_to_the_actor_alone() -> None:
    table = await room()
    turn = await table.turn()
    tabs = [await seated(table, seat) for seat in range(4)]
    await tabs[turn].send(action="make H", version="1.0", key="one")
    answer = await tabs[turn].answer()
    assert answer["kind"] == play.ILLEGAL
    assert answer["message"]
    for one in tabs:
        assert await one.silent()


async def test_a_stale_action_brings_the_present_picture() -> None:
    table = await room()
    turn = await table.turn()
    one = await seated(table, turn)
    await table.act(turn, "pass")
    await one.send(action="order", version="1.0", key="one")
    assert (await one.answer())["kind"] == play.STALE
    await one.until("1.1")


async def test_a_spectator_cannot_act() -> None:
    table = await room()
    otto = await new_tab(table.table_id)
    await otto.connect()
    await otto.send(action="pass", version="1.0", key="one", seat=await table.turn())
    assert (await otto.answer())["kind"] == play.NOT_SEATED
    assert await table.events() == []


GARBAGE = [
    "", "pass", "[]", "null", "{", '{"body": 3}', '{"body": {"action": ["pass"]}}',
    '{"action": "pass"}', '{"action": "pass", "version": 1, "key": "k"}',
    '{"action": "pass", "version": "1.0", "key": ""}', "[" * 5000, '{"a":' * 3000,
]  # fmt: skip


@pytest.mark.parametrize("text", GARBAGE, ids=range(len(GARBAGE)))
async def test_garbage_is_refused_and_the_socket_lives(text: str) -> None:
    table = await room()
    one = await seated(table, await table.turn())
    await one.send_raw(text=text)
    assert (await one.answer())["kind"] == play.MALFORMED
    await one.send(action="pass", version="1.0", key="one")
    assert (await one.answer())["kind"] == play.DONE


async def test_bytes_are_refused() -> None:
    table = await room()
    one = await seated(table, 0)
    await one.send_raw(bytes=b"\xff\x00")
    assert (await one.answer())["kind"] == play.MALFORMED


async def test_a_socket_that_sends_without_pause_is_slowed_and_then_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(consumers, "PATIENCE", 3)
    monkeypatch.setattr("games.play.consumers.time.monotonic", lambda: 1000.0)
    table = await room()
    one = await seated(table, 0)
    for _ in range(settings.SOCKET_BURST + 4):
        await one.send(nonsense=1)
    kinds = [(await one.answer())["kind"] for _ in range(settings.SOCKET_BURST + 3)]
    assert kinds == [play.MALFORMED] * settings.SOCKET_BURST + ["slow down"] * 3
    closed = await one.receive()
    assert (closed["type"], closed["code"]) == ("websocket.close", consumers.TOO_MANY)


async def test_a_session_may_not_open_sockets_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumers, "MOST_SOCKETS", 2)
    table = await room()
    session = await sync_to_async(session_of)(table.players[0])
    tabs = [Tab(table.table_id, session, None) for _ in range(3)]
    assert [await one.connect() for one in tabs] == [None, None, consumers.TOO_MANY]
    await tabs[0].close()
    again = Tab(table.table_id, session, None)
    assert await again.connect() is None


async def test_visitors_of_one_address_may_not_open_sockets_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(consumers, "MOST_OF_ADDRESS", 2)
    table = await room()
    visitors = [await new_tab(table.table_id) for _ in range(3)]
    assert [await one.connect() for one in visitors] == [None, None, consumers.TOO_MANY]
    await visitors[0].close()
    assert await (await new_tab(table.table_id)).connect() is None
    assert await (await new_tab(table.table_id, table.players[0])).connect() is None


async def test_a_table_by_invitation_is_not_there_for_a_stranger() -> None:
    table = await room()
    await Table.objects.filter(pk=table.table_id).aupdate(open=False)
    stranger = await new_tab(table.table_id)
    assert await stranger.connect() == consumers.NOT_HERE
    assert await (await seated(table, 0)).silent()


async def test_a_table_that_does_not_exist_is_not_there() -> None:
    assert await (await new_tab(4711)).connect() == consumers.NOT_HERE


async def test_another_sites_page_cannot_open_a_socket() -> None:
    table = await room()
    one = await new_tab(table.table_id, table.players[0], "http://localhost:81")
    assert await one.connect() is not None
    own = await new_tab(table.table_id, table.players[0], "http://localhost")
    assert await own.connect() is None


async def test_a_logout_ends_the_sockets_of_its_session_alone() -> None:
    table = await room()
    session = await sync_to_async(session_of)(table.players[0])
    one = Tab(table.table_id, session, None)
    await one.connect()
    other = await seated(table, 1)
    assert session.session_key
    await sync_to_async(hub.close_session)(session.session_key)
    closed = await one.receive()
    assert (closed["type"], closed["code"]) == ("websocket.close", hub.LOGGED_OUT)
    assert await other.silent()


def log_in(session: SessionStore) -> None:
    """Log the guest of a session in to an account, which gives the session another key."""
    request = RequestFactory().get("/")
    request.session = session
    request.COOKIES[settings.SESSION_COOKIE_NAME] = str(session.session_key)
    user = User.objects.create_user("maeve@example.com", PASSWORD)
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")


async def test_a_login_ends_the_sockets_its_guest_had_open() -> None:
    table = await room()
    session = await sync_to_async(session_of)(table.players[0])
    one = Tab(table.table_id, session, None)
    await one.connect()
    await sync_to_async(log_in)(session)
    closed = await one.receive()
    assert (closed["type"], closed["code"]) == ("websocket.close", hub.ANOTHER_SESSION)


async def test_a_heartbeat_of_the_present_version_is_silent_and_of_an_older_one_heals() -> None:
    table = await room()
    one = await seated(table, 0)
    await one.send(beat="1.0")
    assert await one.silent()
    await table.act(await table.turn(), "pass")
    await one.until("1.1")
    await one.send(beat="1.0")  # a frame was lost on its way
    healed = json.loads((await one.receive())["text"])
    assert healed["version"] == "1.1"
    assert len(healed["content"]) >= len(json.loads(one.frames[0])["content"]) * 0.8


async def test_a_page_that_asks_whether_the_line_lives_is_answered() -> None:
    table = await room()
    one = await seated(table, 0)
    await one.send(ping=True)
    assert json.loads((await one.receive())["text"]) == {"pong": True}
    assert await one.silent()


async def test_news_from_a_view_reaches_the_sockets() -> None:
    table = await room()
    one = await seated(table, 0)
    one.version = ""
    await Table.objects.filter(pk=table.table_id).aupdate(open=False)
    player = table.players[1]
    player.name = "Benjamin"
    await player.asave()
    await sync_to_async(hub.announce)(table.table_id)
    frame = await one.frame()
    assert "Benjamin" in frame["content"]


async def test_who_says_that_he_leaves_is_shown_away_when_his_last_tab_closes() -> None:
    table = await room()
    watching = await seated(table, 0)
    first, second = [await seated(table, 1) for _ in range(2)]
    at = await Table.objects.aget(pk=table.table_id)
    await sync_to_async(seating.stand_up)(at, table.players[1])
    assert "has left" in (await watching.frame())["content"]
    await first.close()
    assert await watching.silent()
    await second.close()
    assert "Away" in (await watching.frame())["content"]


async def test_who_closes_his_tab_is_not_shown_away_at_once() -> None:
    table = await room()
    watching, leaving = [await seated(table, seat) for seat in range(2)]
    await leaving.close()
    assert await watching.silent()


async def test_somebody_who_leaves_is_shown_away_and_then_back() -> None:
    table = await room()
    tabs = [await seated(table, seat) for seat in range(2)]
    await tabs[1].close()
    await presence.beat()
    seat = table.players[1].seats
    await seat.aupdate(last_seen="2026-01-01T00:00:00Z")
    await presence.beat()
    assert "Away" in (await tabs[0].frame())["content"]
    back = await seated(table, 1)
    assert "Away" not in (await tabs[0].frame())["content"]
    await back.close()


async def away(*_args: object) -> None:
    """Find the database away."""
    raise OperationalError("connection refused")


async def test_a_socket_whose_first_picture_fails_counts_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = await room()
    session = await sync_to_async(session_of)(table.players[0])
    with monkeypatch.context() as broken:
        broken.setattr(play, "picture_for", away)
        for _ in range(consumers.MOST_SOCKETS + 1):
            assert await Tab(table.table_id, session, None).connect() == consumers.LATER
    assert not hub.watchers(table.table_id)
    assert await Tab(table.table_id, session, None).connect() is None


async def test_while_the_database_is_away_a_socket_is_told_so_and_lives(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = await room()
    one = await seated(table, await table.turn())
    await one.send(nonsense=True)
    assert (await one.answer())["kind"] == play.MALFORMED  # it has been let in by now
    with monkeypatch.context() as broken:
        broken.setattr("games.live.state.get", away)
        await one.send(action="pass", version="1.0", key="one")
        answer = await one.answer()
        assert (answer["kind"], answer["key"]) == (play.FAILED, "one")
        await one.send(refresh=True)
        assert (await one.answer())["kind"] == play.FAILED
    await one.send(action="pass", version="1.0", key="one")
    assert (await one.answer())["kind"] == play.DONE


async def test_a_key_that_is_no_text_is_answered_as_it_came() -> None:
    table = await room()
    one = await seated(table, await table.turn())
    await one.send_raw(text='{"action": "pass", "version": "1.0", "key": "\\ud800"}')
    answer = await one.answer()
    assert (answer["kind"], answer["key"]) == (play.MALFORMED, "\ud800")
    json.loads(one.frames[-1].encode())


async def test_what_still_comes_after_the_end_ends_nothing_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(consumers, "PATIENCE", 0)
    table = await room()
    one = await seated(table, 0)
    monkeypatch.setattr(consumers.Bucket, "take", lambda _self: False)
    for _ in range(3):
        await one.send(refresh=True)
    message = await one.receive()
    assert (message["type"], message["code"]) == ("websocket.close", consumers.TOO_MANY)
    assert await one.silent()


async def test_a_socket_to_nowhere_is_refused() -> None:
    one = Tab("/ws/nowhere/7/", None, None)
    await one.socket.send_input({"type": "websocket.connect"})
    assert (await one.receive())["type"] == "websocket.close"


async def test_an_account_that_is_deleted_has_no_socket_left() -> None:
    maeve = await sync_to_async(member)("Maeve")
    at = await sync_to_async(seating.play_now)(maeve, CLASSIC_24)
    client = await sync_to_async(logged_in)(maeve)
    one = Tab(at.pk, SessionStore(client.cookies[settings.SESSION_COOKIE_NAME].value), None)
    assert await one.connect() is None
    await User.objects.filter(player=maeve).adelete()
    while (message := await one.receive())["type"] != "websocket.close":
        pass
    assert message["code"] == hub.LOGGED_OUT
