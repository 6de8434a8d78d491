"""A socket stops acting once its session has ended, however it ended."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, TypeAlias

import pytest
from asgiref.sync import sync_to_async
from django.contrib.sessions.models import Session
from django.db import DatabaseError
from django.utils import timezone

from games.engine.rules import CLASSIC_24
from games.models import GameEvent, Player, Seat, User
from games.play import play
from games.seats import seating
from games.sockets import hub, sessions
from games.sockets.watching import SocketSession
from tests.factories import Room, member, room, table
from tests.tabs import Tab, new_tab, session_of

pytestmark = pytest.mark.django_db(transaction=True)

#: Ends the session of a tab, whose player has an account.
Ending: TypeAlias = Callable[[Tab, User], Awaitable[object]]


@pytest.fixture(autouse=True)
def _no_news(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody hears that a session has ended: the process that knew could not tell."""

    def nothing(*_ended: object, **_more: object) -> None:
        pass

    monkeypatch.setattr(hub, "close_session", nothing)
    monkeypatch.setattr(hub, "close_player", nothing)


def members_table() -> Room:
    """A table in play of people who have accounts."""
    people = [member(name) for name in ("Maeve", "Ben", "Iris", "Jonah")]
    Player.objects.update(cut_for_me=False)
    return Room(table(*people, rules=CLASSIC_24).pk, people)


async def whose_turn_it_is(at: Room) -> Tab:
    """A connected tab of whoever must act."""
    tab = await new_tab(at.table_id, at.players[await at.turn()])
    assert await tab.connect() is None
    return tab


async def logged_out(tab: Tab, _user: User) -> None:
    """Remove the session, as a logout does."""
    assert tab.session
    await tab.session.aflush()


async def expired(tab: Tab, _user: User) -> None:
    """Let the session's time pass."""
    assert tab.session
    sessions_of = Session.objects.filter(pk=tab.session.session_key)
    await sessions_of.aupdate(expire_date=timezone.now() - timedelta(seconds=1))


async def password_changed(_tab: Tab, user: User) -> None:
    """Set another password, as in another process."""
    user.set_password("another bower")
    await User.objects.filter(pk=user.pk).aupdate(password=user.password)


async def account_closed(_tab: Tab, user: User) -> None:
    """Close the account by hand."""
    await User.objects.filter(pk=user.pk).aupdate(is_active=False)


async def account_deleted(_tab: Tab, user: User) -> None:
    """Delete the account."""
    await user.adelete()


ENDINGS = [logged_out, expired, password_changed, account_closed, account_deleted]


async def closed_with(tab: Tab, *, shown: bool = False) -> int:
    """The code with which a tab's socket is closed; nothing comes before.

    shown: but what everybody is shown of the table.
    """
    message = await tab.receive()
    while shown and message["type"] == "websocket.send":
        message = await tab.receive()
    assert message["type"] == "websocket.close", message
    return int(message["code"])


@pytest.mark.parametrize("end", ENDINGS)
async def test_messages_after_the_session_ended_are_refused_without_notice(end: Ending) -> None:
    at = await sync_to_async(members_table)()
    turn = await at.turn()
    tab, user = await whose_turn_it_is(at), at.players[turn].user
    assert user
    await end(tab, user)
    await tab.send(action="pass", version="1.0", key="one")
    assert await closed_with(tab, shown=end is account_deleted) == hub.ANOTHER_SESSION
    assert await at.events() == []


@pytest.mark.parametrize(
    "message",
    [{"have": ""}, {"refresh": True}, {"ping": True, "have": "ffffffff.1"}, {"quick": True},
     {"shuffle": "0" * 32, "commitment": "0" * 64}, {"action": "nonsense"}],
    ids=["have", "refresh", "ping", "quick", "shuffle", "nonsense"],
)  # fmt: skip
async def test_other_messages_after_the_session_ended_are_refused_too(
    message: dict[str, Any],
) -> None:
    at = await sync_to_async(members_table)()
    tab, user = await whose_turn_it_is(at), at.players[await at.turn()].user
    assert user
    await logged_out(tab, user)
    await tab.send(**message)
    if "ping" in message:
        assert "pong" in (await tab.receive())["text"]
    assert await closed_with(tab) == hub.ANOTHER_SESSION
    assert not await Player.objects.filter(quick=True).aexists()


async def test_a_guest_without_a_session_cannot_act() -> None:
    at = await room()
    tab = await whose_turn_it_is(at)
    assert tab.session
    await tab.session.aflush()
    await tab.send(action="pass", version="1.0", key="one")
    assert await closed_with(tab) == hub.ANOTHER_SESSION
    assert not await GameEvent.objects.aexists()


@pytest.mark.parametrize("end", ENDINGS)
async def test_idle_sockets_of_ended_sessions_are_closed_by_the_next_check(end: Ending) -> None:
    at = await sync_to_async(members_table)()
    tab, user = await whose_turn_it_is(at), at.players[await at.turn()].user
    other = await new_tab(at.table_id, at.players[await at.turn() - 1])
    await other.connect()
    assert user
    await sessions.end_dead()
    assert await tab.silent()
    await end(tab, user)
    await sessions.end_dead()
    assert await closed_with(tab) == hub.ANOTHER_SESSION
    assert not [one for one in hub.watchers(at.table_id) if one.session is None]


async def test_a_visitor_without_a_session_stays_connected() -> None:
    at = await room()
    tab = await new_tab(at.table_id)
    await tab.connect()
    await sessions.end_dead()
    await tab.send(have="")
    assert (await tab.frame())["from"] == 0


async def test_changing_the_user_or_extending_the_session_closes_nothing() -> None:
    me = await sync_to_async(member)()
    at = await sync_to_async(seating.make_table)(me, CLASSIC_24, seat=0)
    tab = await new_tab(at.pk, me)
    await tab.connect()
    assert tab.session
    assert me.user
    await tab.session.asave()
    await User.objects.filter(pk=me.user.pk).aupdate(email="maeve@example.net")
    await sessions.end_dead()
    await tab.send(have="")
    assert (await tab.frame())["from"] == 0


async def test_sixty_concurrent_checks_take_two_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    """One for who asked first, one for all who came while it was asked."""
    asked: list[int] = []
    look = sessions._alive

    def counted(some: Any) -> Any:
        asked.append(len(some))
        return look(some)

    monkeypatch.setattr(sessions, "_alive", counted)
    me = await sync_to_async(member)()
    keys = [(await sync_to_async(session_of)(me)).session_key for _ in range(60)]
    assert me.user
    opened = [SocketSession(str(key), me.user.pk, me.user.password) for key in keys]
    await Session.objects.filter(pk=keys[7]).adelete()
    first = asyncio.create_task(sessions.lives(opened[0]))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    rest = await asyncio.gather(*(sessions.lives(one) for one in opened[1:]))
    assert await first
    assert rest == [number != 7 for number in range(1, 60)]
    assert asked == [1, 59]


async def away(*_asked: object) -> None:
    """Find the database away."""
    raise DatabaseError("connection refused")


async def test_messages_fail_while_the_session_cannot_be_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at = await room()
    tab = await whose_turn_it_is(at)
    with monkeypatch.context() as broken:
        broken.setattr(play, "append", away)
        broken.setattr(sessions, "lives", away)
        for key, version in (("one", "1.0"), ("two", "1.9")):
            await tab.send(action="pass", version=version, key=key)
            answer = await tab.answer()
            assert (answer["kind"], answer["key"]) == (play.FAILED, key)
        await tab.send(have="")
        assert (await tab.answer())["kind"] == play.FAILED
    assert await at.events() == []
    await tab.send(action="pass", version="1.0", key="one")
    assert (await tab.answer())["kind"] == play.DONE


async def test_the_journal_checks_the_session_of_an_action(monkeypatch: pytest.MonkeyPatch) -> None:
    at = await sync_to_async(members_table)()
    tab = await whose_turn_it_is(at)
    monkeypatch.setattr(sessions, "lives", away)
    await tab.send(action="pass", version="1.0", key="one")
    assert (await tab.answer())["kind"] == play.DONE


@pytest.mark.parametrize(
    "again",
    [{"version": "1.0", "key": "one"}, {"version": "1.0", "key": "two"},
     {"version": "1.1", "key": "two"}, {"version": "", "key": "two"}],
    ids=["repeated", "stale", "out of turn", "malformed"],
)  # fmt: skip
async def test_unstored_actions_after_the_session_ended_are_not_answered(
    again: dict[str, str],
) -> None:
    at = await room()
    tab = await whose_turn_it_is(at)
    assert tab.session
    await tab.send(action="pass", version="1.0", key="one")
    await tab.answer()
    await tab.until("1.1")
    await tab.session.aflush()
    await tab.send(action="pass", **again)
    assert await closed_with(tab) == hub.ANOTHER_SESSION
    assert len(await at.events()) == 1


async def test_stand_in_continues_if_the_session_ended() -> None:
    at = await room()
    turn = await at.turn()
    tab = await whose_turn_it_is(at)
    assert tab.session
    seats = Seat.objects.filter(table=at.table_id, position=turn)
    await seats.aupdate(stand_in=True)
    live = await at.live()
    live.seats[turn].stand_in = True
    await tab.session.aflush()
    await tab.send(action="pass", version="1.0", key="one")
    assert await closed_with(tab, shown=True) == hub.ANOTHER_SESSION
    assert await seats.filter(stand_in=True).aexists()


async def test_sessions_of_a_fallback_secret_key_stay_valid(settings: Any) -> None:
    at = await sync_to_async(members_table)()
    session = await sync_to_async(session_of)(at.players[0])
    former, settings.SECRET_KEY = settings.SECRET_KEY, "a new one"
    settings.SECRET_KEY_FALLBACKS = [former]
    tab = Tab(at.table_id, session, None)
    assert await tab.connect() is None
    assert hub.connected(at.table_id) == {at.players[0].pk}
    assert await Session.objects.filter(pk=session.session_key).aexists()


async def test_sessions_of_a_removed_secret_key_are_invalid(settings: Any) -> None:
    at = await sync_to_async(members_table)()
    session = await sync_to_async(session_of)(at.players[0])
    settings.SECRET_KEY = "a new one"
    tab = Tab(at.table_id, session, None)
    assert await tab.connect() is None
    assert hub.connected(at.table_id) == set()
