"""A new password ends what was open under the old one."""

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.test import Client
from django.urls import reverse

from games.engine.rules import CLASSIC_24
from games.models import Player
from games.seats import seating
from games.sockets import hub
from tests.factories import PASSWORD, logged_in, member
from tests.tabs import Tab

pytestmark = pytest.mark.django_db(transaction=True)


async def tab_of(client: Client, table_id: int) -> Tab:
    """A connected tab of a browser at a table."""
    session = SessionStore(client.cookies[settings.SESSION_COOKIE_NAME].value)
    opened = Tab(table_id, session, None)
    assert await opened.connect() is None
    return opened


def change_password(client: Client) -> None:
    """Fill in the form of the site."""
    new = {"password1": "another bower", "password2": "another bower"}
    answer = client.post(reverse("account_change_password"), {"oldpassword": PASSWORD, **new})
    assert answer.status_code == 302


def set_by_an_admin(player: Player) -> None:
    """Set a password as a command or the admin pages do."""
    assert player.user
    player.user.set_password("another bower")
    player.user.save()


async def closed_with(tab: Tab) -> int:
    """The code with which a tab's socket is closed."""
    message = await tab.receive()
    assert message["type"] == "websocket.close"
    return int(message["code"])


async def test_it_ends_the_sockets_of_all_other_sessions() -> None:
    maeve, ben = [await sync_to_async(member)(name) for name in ("Maeve", "Ben")]
    table = await sync_to_async(seating.make_table)(maeve, CLASSIC_24, seat=0)
    here, elsewhere, others = [
        await sync_to_async(logged_in)(who) for who in (maeve, maeve, ben)
    ]  # fmt: skip
    tabs = [await tab_of(client, table.pk) for client in (here, elsewhere, others)]
    await sync_to_async(change_password)(here)
    assert await closed_with(tabs[1]) == hub.LOGGED_OUT
    assert await closed_with(tabs[0]) == hub.ANOTHER_SESSION
    assert await tabs[2].silent()
    assert (await tab_of(here, table.pk)).version == "0.0"


async def test_a_password_set_by_an_admin_ends_all_sessions() -> None:
    maeve = await sync_to_async(member)()
    table = await sync_to_async(seating.make_table)(maeve, CLASSIC_24, seat=0)
    tab = await tab_of(await sync_to_async(logged_in)(maeve), table.pk)
    await sync_to_async(set_by_an_admin)(maeve)
    assert await closed_with(tab) == hub.LOGGED_OUT


async def test_a_login_and_another_name_end_nothing() -> None:
    maeve = await sync_to_async(member)()
    table = await sync_to_async(seating.make_table)(maeve, CLASSIC_24, seat=0)
    tab = await tab_of(await sync_to_async(logged_in)(maeve), table.pk)
    login = {"login": "maeve@example.com", "password": PASSWORD}
    answer = await sync_to_async(Client().post)(reverse("account_login"), login)
    assert answer.status_code == 302
    assert maeve.user
    await maeve.user.asave()
    assert await tab.silent()
