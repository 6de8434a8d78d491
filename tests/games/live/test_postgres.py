"""What only a database on another machine does: it drops connections, and is spoken to as told."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connection
from django.utils import timezone
from psycopg import Connection, connect

from games.engine.rules import HEADS_UP
from games.live import journal, state
from games.models import Game, Table
from games.play import play
from tests.conftest import close_connection_of_loops
from tests.factories import room

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="needs PostgreSQL"),
]


@pytest.fixture(autouse=True)
def _fresh_connections_afterwards(transactional_db: None) -> Iterator[None]:
    """Leave no dropped connection to this thread, nor to the one that serves its event loop."""
    yield
    connection.close()
    close_connection_of_loops()


def direct() -> Connection[Any]:
    """A connection to the test's database past Django and its pool."""
    settings = connection.settings_dict
    return connect(
        dbname=settings["NAME"], user=settings["USER"], password=settings["PASSWORD"],
        host=settings["HOST"], port=settings["PORT"], autocommit=True,
    )  # fmt: skip


def drop_all_connections() -> None:
    """End every connection to the test's database, as a restart of the server does."""
    with direct() as server:
        server.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


async def test_a_restarted_server_loses_no_action() -> None:
    table = await room()
    assert (await table.step()).kind == play.DONE
    drop_all_connections()
    assert (await table.step()).kind == play.DONE
    drop_all_connections()
    kept = await table.live()
    async with kept.lock:
        await state.refresh(kept)
    assert kept.stamp == "1.2"


async def test_the_last_card_and_a_verb_do_not_wait_for_each_other() -> None:
    table = await room(HEADS_UP)
    game = await table.row()
    ends = replace(
        await table.passing(),
        head=journal.GameHead(Game.State.OVER, -1, 1, (0, 0), 0, None, timezone.now()),
    )
    with direct() as verb:
        verb.execute("BEGIN")
        verb.execute("SELECT 1 FROM games_table WHERE id = %s FOR UPDATE", (game.table_id,))
        storing = asyncio.ensure_future(journal.append(ends))
        await sync_to_async(wait_until_one_waits)()
        verb.execute("SELECT 1 FROM games_game WHERE id = %s FOR UPDATE NOWAIT", (game.pk,))
        verb.execute("COMMIT")
    assert (await storing).status == journal.STORED
    assert (await Table.objects.aget(pk=game.table_id)).state == Table.State.FINISHED


def wait_until_one_waits() -> None:
    """Wait until a connection to the test's database waits for a row that another holds."""
    asked = (
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() "
        "AND wait_event_type = 'Lock'"
    )
    with direct() as server:
        while server.execute(asked).fetchone() is None:
            continue


def idle_connections(count: int) -> None:
    """Let the pool hold connections that nobody uses, as after a busy moment."""
    pool = connection.pool  # type: ignore[attr-defined]
    taken = [pool.getconn() for _ in range(count)]
    for one in taken:
        pool.putconn(one)


def test_however_many_connections_were_dropped_the_next_one_works() -> None:
    connection.ensure_connection()
    connection.close()
    idle_connections(7)
    drop_all_connections()
    connection.ensure_connection()
    assert connection.is_usable()


async def test_the_journal_connects_as_django_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "application_name", "a euchre club")
    await journal.aclose()
    pool = await journal._pool()
    async with pool.connection() as conn:
        row = await (await conn.execute("SHOW application_name")).fetchone()
    assert row == ("a euchre club",)
