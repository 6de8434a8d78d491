"""Closing an account closes its sockets and streams in every web process."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.utils import timezone

from euchre_site.office import account_actions
from games.engine.rules import CLASSIC_24
from games.models import Ban, Player, User
from games.people import bans
from games.programs import programs
from games.seats import seating
from games.sockets import hub, news
from games.sockets.watching import Watched, Watcher
from tests.factories import logged_in, member, player
from tests.site.factories import WHY, operator
from tests.tabs import Tab

pytestmark = pytest.mark.django_db(transaction=True)
Watching = tuple[Watcher, "asyncio.Queue[int]"]


@pytest.fixture
def watched() -> Iterator[Watched]:
    """Tables watched by sockets of this process, without drawing them."""
    made = Watched()
    yield made
    Watched.every.remove(made)


def watching(at: Watched, who: Player) -> Watching:
    """A socket or stream in this process, and the codes it was closed with."""
    codes: asyncio.Queue[int] = asyncio.Queue()

    async def send(_picture: Any) -> None:
        pass

    async def close(code: int) -> None:
        codes.put_nowait(code)

    watcher = Watcher(1, who.pk, f"of {who.pk}", send, close)
    at.join(watcher)
    return watcher, codes


async def first_of(codes: asyncio.Queue[int]) -> int:
    """Wait for the first code: closing an account does not wait for its sockets."""
    async with asyncio.timeout(30):
        return await codes.get()


def close_account(who: Player, by: Player) -> None:
    assert who.user
    assert by.user
    account_actions.ban(by.user, who.user, WHY, None, timezone.now())


async def test_a_tables_socket_is_closed() -> None:
    opal, maeve, ben = [
        await sync_to_async(make)(name)
        for make, name in ((operator, "Opal"), (member, "Maeve"), (player, "Ben"))
    ]
    table = await sync_to_async(seating.make_table)(maeve, CLASSIC_24, seat=0)
    tabs = []
    for who in (maeve, ben):
        browser = await sync_to_async(logged_in)(who)
        session = SessionStore(browser.cookies[settings.SESSION_COOKIE_NAME].value)
        tabs.append(Tab(table.pk, session, None))
        assert await tabs[-1].connect() is None
    await sync_to_async(close_account)(maeve, opal)
    while (message := await tabs[0].receive())["type"] != "websocket.close":
        pass
    assert message["code"] == hub.LOGGED_OUT
    again = Tab(table.pk, session, None)
    assert await again.connect() is None  # Ben's, who goes on


async def test_streams_of_the_accounts_programs_are_closed(watched: Watched) -> None:
    opal, maeve = await sync_to_async(operator)(), await sync_to_async(member)()
    robo, _token = await sync_to_async(programs.make)(maeve, "Robo", timezone.now())
    _, codes = watching(watched, robo)
    await sync_to_async(close_account)(maeve, opal)
    assert await first_of(codes) == hub.LOGGED_OUT


async def test_a_process_that_missed_the_message_checks_the_database(watched: Watched) -> None:
    maeve, ben = await sync_to_async(member)(), await sync_to_async(player)("Ben")
    (_, hers), (_, his) = watching(watched, maeve), watching(watched, ben)
    await User.objects.filter(player=maeve).aupdate(is_active=False)  # elsewhere, unheard
    await news._reload_all()
    assert await first_of(hers) == hub.LOGGED_OUT
    assert his.empty()


async def test_a_socket_opened_at_the_same_time_is_closed_by_the_task(watched: Watched) -> None:
    maeve = await sync_to_async(member)()
    await User.objects.filter(player=maeve).aupdate(is_active=False)
    assert maeve.user
    await Ban.objects.acreate(user=maeve.user, reason=WHY, by_name="Opal", settled=True)
    _, codes = watching(watched, maeve)  # had been let in the moment before
    await sync_to_async(account_actions.keep)(timezone.now())
    assert await first_of(codes) == hub.LOGGED_OUT
    _, later = watching(watched, maeve)
    after = timezone.now() + 2 * bans.CLOSED_AGAIN_FOR
    await sync_to_async(account_actions.keep)(after)
    assert later.empty()
