"""What only a database on another machine does: it drops connections, and is spoken to as told."""

from collections.abc import Iterator

import pytest
from django.db import connection
from psycopg import connect

from games.live import journal, state
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


def drop_all_connections() -> None:
    """End every connection to the test's database, as a restart of the server does."""
    settings = connection.settings_dict
    with connect(
        dbname=settings["NAME"], user=settings["USER"], password=settings["PASSWORD"],
        host=settings["HOST"], port=settings["PORT"], autocommit=True,
    ) as server:  # fmt: skip
        server.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


async def test_a_server_started_anew_costs_no_action() -> None:
    table = await room()
    assert (await table.step()).kind == play.DONE
    drop_all_connections()
    assert (await table.step()).kind == play.DONE
    drop_all_connections()
    kept = await table.live()
    async with kept.lock:
        await state.refresh(kept)
    assert kept.stamp == "1.2"


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
