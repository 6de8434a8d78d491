"""Sockets at a table: who may open one, what it is sent, and what it may not do."""

import asyncio
import json
import re
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth import login
from django.contrib.sessions.backends.db import SessionStore
from django.db import OperationalError
from django.test import AsyncClient, RequestFactory

from games.engine.cards import card_text, cards_in
from games.engine.rules import CLASSIC_24, RuleSet
from games.live import state
from games.models import Player, Seat, Table, User
from games.picture.frames import KEPT
from games.play import consumers, play, presence
from games.seats import seating
from games.sockets import hub, metrics
from games.sockets.wire import EXTENSION
from tests.chance import TYPICAL
from tests.factories import PASSWORD, Room, logged_in, member, room
from tests.games.picture.pages import frames_without_own
from tests.tabs import Tab, new_tab, session_of, shown_in

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
    whole, change = json.loads(first), json.loads(second)
    assert (whole["from"], whole["to"], whole["version"]) == (0, 1, "1.0")
    assert (change["from"], change["to"], change["version"]) == (1, 2, "1.1")
    assert " passes." in change["say"]
    assert " passes" in str(change["add"]["log.deal"])
    assert "table" not in change


async def test_a_new_socket_gets_the_current_state() -> None:
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


async def test_a_stale_action_is_answered_with_the_current_state() -> None:
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


async def test_a_player_asks_house_players_to_be_quick() -> None:
    table = await room()
    one, me = await seated(table, 0), table.players[0]
    otto = await new_tab(table.table_id)
    await otto.connect()
    for tab, quick in ((one, True), (otto, False)):
        await tab.send(quick=quick)
        await tab.send_raw(text="null")
        assert (await tab.answer())["kind"] == play.MALFORMED, "what came before has been done"
    quick_ones = Player.objects.filter(quick=True)
    assert [player.pk async for player in quick_ones] == [me.pk]


GARBAGE = [
    '{"quick": "yes"}', '{"quick": null}',
    "", "pass", "[]", "null", "{", '{"body": 3}', '{"body": {"action": ["pass"]}}',
    '{"action": "pass"}', '{"action": "pass", "version": 1, "key": "k"}',
    '{"action": "pass", "version": "1.0", "key": ""}', "[" * 5000, '{"a":' * 1600,
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


async def test_a_flooding_socket_is_slowed_and_then_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(consumers, "PATIENCE", 3)
    monkeypatch.setattr(consumers, "time", SimpleNamespace(monotonic=lambda: 1000.0))
    table = await room()
    one = await seated(table, 0)
    left = settings.SOCKET_BURST - 1  # it has said what it has
    for _ in range(left + 4):
        await one.send(nonsense=1)
    kinds = [(await one.answer())["kind"] for _ in range(left + 3)]
    assert kinds == [play.MALFORMED] * left + ["slow down"] * 3
    closed = await one.receive()
    assert (closed["type"], closed["code"]) == ("websocket.close", consumers.TOO_MANY)


async def test_sockets_per_person_are_limited(settings: Any) -> None:
    settings.SOCKETS_PER_PERSON = 2
    table = await room()
    session = await sync_to_async(session_of)(table.players[0])
    tabs = [Tab(table.table_id, session, None) for _ in range(3)]
    assert [await one.connect() for one in tabs] == [None, None, consumers.TOO_MANY]
    await tabs[0].close()
    again = Tab(table.table_id, session, None)
    assert await again.connect() is None


async def test_sockets_of_all_sessions_and_pages_count(settings: Any) -> None:
    settings.SOCKETS_PER_PERSON = 2
    table, me = await room(), await sync_to_async(member)()
    tabs = [await new_tab(table.table_id, me), await new_tab("/ws/calls/", me)]
    for one in tabs:
        await one.accepted()
        await one.send(nonsense=True)
        assert (await one.answer())["kind"] == play.MALFORMED, "it has been let in"
    assert await (await new_tab(table.table_id, me)).connect() == consumers.TOO_MANY
    assert await (await new_tab(table.table_id, table.players[0])).connect() is None


async def test_sockets_per_address_are_limited(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.SOCKETS_PER_ADDRESS = 2
    table = await room()
    tabs = [await new_tab(table.table_id), await new_tab(table.table_id, table.players[0])]
    assert [await one.connect() for one in tabs] == [None, None]
    third = await new_tab(table.table_id, table.players[1])
    with monkeypatch.context() as unasked:  # it is refused before anything is looked up
        unasked.setattr(consumers.TableConsumer, "enter", None)
        assert await third.connect() == consumers.CROWDED
    await tabs[0].close()
    assert await (await new_tab(table.table_id)).connect() is None


async def test_a_hundred_messages_may_come_in_twenty_seconds() -> None:
    assert settings.SOCKET_BURST + 20 * settings.SOCKET_RATE == 100


@pytest.mark.parametrize(
    "too_long",
    [{"text": "x" * 8193}, {"text": "é" * 4097}, {"bytes": b"x" * 8193}, {"text": "x" * 100_000}],
    ids=["characters", "bytes of a text", "bytes", "very long"],
)
async def test_a_message_of_more_than_8_kib_ends_the_socket(too_long: dict[str, Any]) -> None:
    """Also where the web server lets it through."""
    table = await room()
    one = await seated(table, 0)
    await one.send_raw(**too_long)
    closed = await one.receive()
    assert (closed["type"], closed["code"]) == ("websocket.close", consumers.TOO_LONG)


async def test_a_message_of_8_kib_is_read() -> None:
    table = await room()
    one = await seated(table, 0)
    for text in ("x" * 8192, "é" * 4096):
        await one.send_raw(text=text)
        assert (await one.answer())["kind"] == play.MALFORMED


async def test_a_private_table_is_not_found_by_strangers() -> None:
    table = await room()
    await Table.objects.filter(pk=table.table_id).aupdate(open=False)
    stranger = await new_tab(table.table_id)
    assert await stranger.connect() == hub.NOT_HERE
    assert await (await seated(table, 0)).silent()


async def test_an_unknown_table_is_not_found() -> None:
    assert await (await new_tab(4711)).connect() == hub.NOT_HERE


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


async def test_nothing_is_sent_before_the_page_has_said_what_it_has() -> None:
    table = await room()
    one = await new_tab(table.table_id, table.players[0])
    assert (await one.accepted())["type"] == "websocket.accept"
    assert await one.silent()
    await table.act(await table.turn(), "pass")
    await sync_to_async(hub.announce)(table.table_id)
    assert await one.silent()
    await one.send(have="")
    whole = await one.frame()
    assert (whole["version"], whole["from"]) == ("1.1", 0)
    assert "own" in whole


async def test_a_page_just_loaded_is_sent_its_own_parts_and_nothing_it_has() -> None:
    """What everybody sees it has; its own may have changed while the socket was opened."""
    table = await room()
    client = AsyncClient()
    client.cookies = (await sync_to_async(logged_in)(table.players[0])).cookies
    html = (await client.get(f"/tables/{table.table_id}/")).content.decode()
    found = re.search(r'data-have="([0-9a-f]{8}\.\d+)"', html)
    assert found
    one = await new_tab(table.table_id, table.players[0])
    one.have = found[1]
    await one.connect()
    assert set(json.loads(one.frames[0])) == {"version", "own"}
    await table.act(await table.turn(), "pass")
    frame = await one.frame()
    assert f"{found[1].partition('.')[0]}.{frame['from']}" == found[1]


async def test_a_heartbeat_of_a_page_that_has_all_is_silent_and_of_an_older_one_heals() -> None:
    table = await room()
    turn = await table.turn()
    one = await seated(table, turn)
    begun = one.have
    await one.send(have=begun)
    assert await one.silent()
    await table.act(turn, "pass")
    await one.until("1.1")
    lost = json.loads(one.frames[-1])
    await one.send(have=begun)  # a frame was lost on its way
    healed = await one.frame()
    assert "question" in healed["own"]
    assert {name: healed[name] for name in lost if name != "own"} == {
        name: lost[name] for name in lost if name != "own"
    }
    await one.send(have=one.have)
    assert await one.silent()


async def test_a_page_that_missed_much_is_sent_the_whole_picture() -> None:
    table = await room()
    one = await seated(table, 0)
    begun = one.have
    for _ in range(KEPT):
        await table.step()
    stamp = await table.stamp()
    await one.until(stamp)
    await one.send(have=begun)
    frames = [await one.frame() for _ in range(KEPT)]
    assert [frame["from"] for frame in frames] == list(range(1, KEPT + 1))
    assert ["own" in frame for frame in frames] == [False] * (KEPT - 1) + [True]
    await table.step()
    await one.until(await table.stamp())
    await one.send(have=begun)
    whole = await one.frame()
    assert (whole["from"], whole["version"]) == (0, await table.stamp())
    assert "own" in whole
    assert await one.silent()


ABSURD = [
    "", "x", "a.b", ".", "..", "1", "4", -1, 0, 1.5, 10**30, None, True, [], ["a.1"], {}, {"a": 1},
    "ffffffff.1", "{name}", "{name}.", "{name}.0", "{name}.-1", "{name}.1.1", "{name}.²",
    "{name}.x", "{name}.99", "{name}." + "9" * 3000, " {name}.1", "{name}. 1", "{name}.1 ",
    "\ud800.1",
]  # fmt: skip


async def test_a_page_that_reports_an_unknown_version_is_sent_the_whole_picture(
    settings: Any,
) -> None:
    settings.SOCKET_BURST = 1000
    table = await room()
    one = await seated(table, 0)
    name = one.have.partition(".")[0]
    for said in ABSURD:
        await one.send(have=said.replace("{name}", name) if isinstance(said, str) else said)
        again = await one.frame()
        assert (again["from"], again["table"], again["version"]) == (0, name, "1.0"), said
        assert "own" in again
        await one.send(have=one.have)
    assert await one.silent()
    await table.act(await table.turn(), "pass")
    assert (await one.frame())["from"] == 1


async def test_what_a_page_has_of_another_table_counts_for_nothing() -> None:
    table, other = await room(), await room()
    one, elsewhere = await seated(table, 0), await seated(other, 1)
    await one.send(have=elsewhere.have)
    whole = await one.frame()
    assert (whole["from"], whole["table"]) == (0, one.have.partition(".")[0])


async def test_a_page_that_reports_its_version_without_pause_is_slowed_then_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(consumers, "PATIENCE", 3)
    monkeypatch.setattr(consumers, "time", SimpleNamespace(monotonic=lambda: 1000.0))
    table = await room()
    one = await seated(table, 0)
    for number in range(settings.SOCKET_BURST + 3):  # it has said so once
        await one.send(have=f"x.{number}")
    kinds = []
    while (message := await one.receive())["type"] == "websocket.send":
        frame = json.loads(message["text"])
        kinds += [frame["answer"]["kind"]] if "answer" in frame else []
    assert kinds == ["slow down"] * 3
    assert (message["type"], message["code"]) == ("websocket.close", consumers.TOO_MANY)


async def test_a_new_picture_is_sent_whole_even_with_matching_numbers() -> None:
    """A table that is kept no more is drawn by another picture, which counts from one again."""
    table = await room()
    one = await seated(table, 0)
    before = one.have
    state.forget(table.table_id)
    again = await seated(table, 1)
    await table.act(await table.turn(), "pass")
    await one.until("1.1")
    whole = json.loads(one.frames[-1])
    assert whole["from"] == 0
    assert whole["table"] == again.have.partition(".")[0] != before.partition(".")[0]
    assert "own" in whole


async def test_a_socket_that_does_not_take_is_sent_the_newest_when_it_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The frames it has missed come all at once, and of its own parts only the last."""
    table = await room()
    one = await seated(table, 0)
    may_take = asyncio.Event()
    sending = consumers.TableConsumer.send_text

    async def slow(self: Any, text: str) -> None:
        await may_take.wait()
        await sending(self, text)

    monkeypatch.setattr(consumers.TableConsumer, "send_text", slow)
    for _ in range(4):
        await table.step()
    assert await one.silent()
    may_take.set()
    await one.until("1.4")
    changes = [json.loads(frame) for frame in one.frames[1:]]
    assert [frame["to"] for frame in changes if "to" in frame] == [2, 3, 4, 5]
    assert changes[-1]["version"] == "1.4"
    assert sum("own" in frame for frame in changes[1:]) <= 1
    assert await one.silent()


def hand_in(frame: dict[str, Any]) -> set[str]:
    """The cards of the hand that a frame shows its viewer."""
    return {row for row in frame.get("own", {}).get("hand", []) if isinstance(row, str)}


class BytesTaken:
    """A server's wire that keeps what is written to it."""

    def __init__(self) -> None:
        self.open = False
        self.texts: list[str] = []

    def write(self, text: bytes) -> None:
        self.texts.append(text.decode())


@pytest.mark.parametrize("rules", TYPICAL.values(), ids=TYPICAL)
async def test_a_page_is_sent_the_same_at_once_as_through_asgi(rules: RuleSet) -> None:
    """Also where the line is congested now and then."""
    table, rng = await room(rules), Random(9)
    plain, quick = [await new_tab(table.table_id, table.players[0]) for _ in range(2)]
    quick.socket.scope["extensions"] = {EXTENSION: (wire := BytesTaken())}
    for one in (plain, quick):
        assert await one.connect() is None
    counted = metrics.frame_bytes.count, metrics.frame_bytes.total
    for _ in range(40):
        wire.open = rng.random() < 0.7
        assert (await table.step()).kind == play.DONE
        await plain.until(await table.stamp())
        if await table.over():
            break
    while len(plain.frames) > len(wire.texts) + len(quick.frames):
        await quick.frame()
    assert sorted(plain.frames) == sorted(wire.texts + quick.frames)
    assert len(wire.texts) > 5
    assert quick.frames
    size = sum(len(text.encode()) for text in plain.frames[1:])
    assert metrics.frame_bytes.count - counted[0] == 2 * len(plain.frames[1:])
    assert metrics.frame_bytes.total - counted[1] == 2 * size


async def test_each_is_sent_his_own_hand_and_a_spectator_none() -> None:
    """And what they are sent together has nobody's."""
    table = await room()
    playing = (await table.live()).playing
    assert playing is not None
    hands = [{card_text(card) for card in cards_in(hand)} for hand in playing.engine.deal.hands]
    tabs = [await seated(table, seat) for seat in range(4)]
    watching = await new_tab(table.table_id)
    await watching.connect()
    while not await table.over() and len(await table.events()) < 12:
        await table.step()
    for seat, one in enumerate((*tabs, watching)):
        await one.until(await table.stamp())
        frames = [json.loads(text) for text in one.frames]
        taken = (
            {card_text(playing.engine.deal.turn_up)}
            if seat == playing.engine.deal.dealer
            else set()
        )
        shown = set().union(*map(hand_in, frames))
        if seat == 4:
            assert shown == set()
            assert all('"card"' not in json.dumps(frame.get("own")) for frame in frames)
        else:
            assert hands[seat] <= shown <= hands[seat] | taken
    to_all = [list(frames_without_own(one.frames))[1:] for one in (*tabs, watching)]
    assert all(sent[-6:] == to_all[-1][-6:] for sent in to_all)


#: The values that only somebody with a seat has.
OF_A_SEAT = {"hand.seat", "hand.choose", "question.waits"}


async def test_a_player_who_loses_a_seat_is_sent_nothing_more_of_it() -> None:
    table = await room()
    playing = (await table.live()).playing
    assert playing is not None
    hands = [{card_text(card) for card in cards_in(hand)} for hand in playing.engine.deal.hands]
    turn = await table.turn()
    former, new = (turn + 2) % 4, (turn + 3) % 4
    one = await seated(table, former)
    assert hand_in(json.loads(one.frames[0])) == hands[former]
    seats = Seat.objects.filter(table=table.table_id)
    await seats.filter(position=former).aupdate(player=None)
    await sync_to_async(hub.announce)(table.table_id)
    left = await one.frame()
    assert (left["own"]["hand.seat"], hand_in(left)) == (None, set())
    assert not OF_A_SEAT & {name for name, value in left["own"].items() if value}
    seen = len(one.frames)
    await table.act(turn, "pass")
    await one.until("1.1")
    await one.send(have="")
    assert (await one.frame())["from"] == 0
    since = [json.loads(frame).get("own", {}) for frame in one.frames[seen:]]
    assert not any(OF_A_SEAT & {name for name, value in own.items() if value} for own in since)
    assert not any('"card"' in json.dumps(own) for own in since)
    await seats.filter(position=new).aupdate(player=table.players[former])
    await sync_to_async(hub.announce)(table.table_id)
    moved = await one.frame()
    assert hand_in(moved) == hands[new]
    assert moved["own"]["hand.seat"] == new


async def test_a_page_that_asks_whether_the_line_lives_is_answered() -> None:
    table = await room()
    one = await seated(table, 0)
    await one.send(ping=True)
    assert json.loads((await one.receive())["text"]) == {"pong": True}
    assert await one.silent()


async def test_a_page_that_asks_so_and_lacks_a_frame_is_sent_it_again() -> None:
    table = await room()
    turn = await table.turn()
    one = await seated(table, turn)
    begun = one.have
    await table.act(turn, "pass")
    await one.until("1.1")
    lost = json.loads(one.frames[-1])
    for said, lacks in ((one.have, False), (begun, True), (begun, True), (one.have, False)):
        await one.send(ping=True, have=said)
        assert json.loads((await one.receive())["text"]) == {"pong": True}
        if lacks:
            again = await one.frame()
            assert (again["from"], again["to"]) == (lost["from"], lost["to"])
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
    while "Benjamin" not in shown_in(await one.frame()):
        pass


async def test_a_player_who_leaves_is_shown_away_when_the_last_tab_closes() -> None:
    table = await room()
    watching = await seated(table, 0)
    first, second = [await seated(table, 1) for _ in range(2)]
    at = await Table.objects.aget(pk=table.table_id)
    await sync_to_async(seating.stand_up)(at, table.players[1])
    assert "has left" in shown_in(await watching.frame())
    await first.close()
    assert await watching.silent()
    await second.close()
    assert '"away"' in shown_in(await watching.frame())


async def test_a_player_who_closes_a_tab_is_not_shown_away_at_once() -> None:
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
    assert '"away"' in shown_in(await tabs[0].frame())
    back = await seated(table, 1)
    assert '"away"' not in shown_in(await tabs[0].frame())
    await back.close()


async def away(*_args: object) -> None:
    """Find the database away."""
    raise OperationalError("connection refused")


async def test_a_socket_that_cannot_be_let_in_counts_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = await room()
    session = await sync_to_async(session_of)(table.players[0])
    with monkeypatch.context() as broken:
        broken.setattr(presence, "arrive", away)
        for _ in range(settings.SOCKETS_PER_PERSON + 1):
            assert await Tab(table.table_id, session, None).connect() == consumers.LATER
    assert not hub.watchers(table.table_id)
    assert await Tab(table.table_id, session, None).connect() is None


async def test_a_socket_without_its_first_picture_gets_an_error_and_may_retry(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = await room()
    one = await new_tab(table.table_id, table.players[0])
    await one.accepted()
    await one.send(nonsense=True)
    assert (await one.answer())["kind"] == play.MALFORMED  # it has been let in by now
    with monkeypatch.context() as broken:
        broken.setattr("games.live.state.get", away)
        await one.send(have="")
        assert (await one.answer())["kind"] == play.FAILED
    await one.send(have="")
    assert (await one.frame())["from"] == 0


async def test_without_the_database_a_socket_gets_an_error_and_stays_open(
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
        await one.send(have=one.have)
        assert (await one.answer())["kind"] == play.FAILED
    await one.send(action="pass", version="1.0", key="one")
    assert (await one.answer())["kind"] == play.DONE


async def test_an_action_on_a_dying_connection_is_done_and_is_no_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = await room()
    turn = await table.turn()
    one, other = await seated(table, turn), await seated(table, (turn + 1) % 4)

    async def closed(_self: object, _text: str) -> None:
        raise RuntimeError("Unexpected ASGI message 'websocket.send', after 'websocket.close'.")

    with monkeypatch.context() as patch:
        patch.setattr(consumers.TableConsumer, "send_text", closed)
        await one.send(action="pass", version="1.0", key="one")
        await one.send(ping=True)
        while not await table.events():
            assert await one.silent()
        assert await one.silent()
    await one.send(action="pass", version="1.0", key="one")
    assert (await one.answer())["kind"] == play.DONE, "the consumer lives and says so again"
    await other.send(have="")
    await other.until("1.1")
    assert len(await table.events()) == 1


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
        await one.send(have="")
    message = await one.receive()
    assert (message["type"], message["code"]) == ("websocket.close", consumers.TOO_MANY)
    assert await one.silent()


async def test_a_socket_to_an_unknown_address_is_refused() -> None:
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
