"""Shutting down a web process: not ready first, then disconnected, without losing actions."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from cryptography.fernet import Fernet
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from euchre_site import shutdown
from games.api import streaming
from games.play import play, presence
from tests.load.scaled import web_process
from tests.served import HOST, ROOT, Server, free_port
from tests.wire import answer_in

PATIENCE = 120  # seconds before something that never comes fails a test

#: A table of four people, and what they will do.
PREPARE = """
import json
import django
django.setup()
from django.core.management import call_command
from tests.load.people import seat_people

call_command("migrate", verbosity=0)
(seated,) = seat_people(1)
moves = [seated.mover() for _ in range(20)]
print(json.dumps({"table": seated.table_id, "cookies": seated.cookies, "moves": moves}))
"""


# The signal -----------------------------------------------------------------------------------


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The signals that the web server has received."""
    told: list[int] = []
    before = {one: signal.getsignal(one) for one in shutdown.SIGNALS}
    for one in shutdown.SIGNALS:
        signal.signal(one, lambda number, _frame: told.append(number))
    monkeypatch.setattr(shutdown._State, "begun", False)
    monkeypatch.setattr(shutdown._State, "handlers", {})
    yield told
    for one, handler in before.items():
        signal.signal(one, handler)


async def until(arrived: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not arrived():  # noqa: ASYNC110 - it says nothing when it arrives
            await asyncio.sleep(0.01)


async def test_streams_end_before_the_server_stops(server: list[int], settings: Any) -> None:
    settings.DRAIN_SECONDS = 0
    ended: list[bool] = []
    shutdown.install_handlers()
    with streaming.ending_with_process(lambda: ended.append(shutdown.has_begun())):
        signal.raise_signal(signal.SIGTERM)
        assert shutdown.has_begun()
        await until(lambda: server)
    assert (server, ended) == ([signal.SIGTERM], [True])
    await shutdown.finish()
    signal.raise_signal(signal.SIGTERM)
    assert server == [signal.SIGTERM] * 2, "its own handler is in place again"


async def test_a_second_signal_skips_the_drain_time(server: list[int], settings: Any) -> None:
    settings.DRAIN_SECONDS = 60
    shutdown.install_handlers()
    signal.raise_signal(signal.SIGTERM)
    await asyncio.sleep(0.01)
    assert (shutdown.has_begun(), server) == (True, [])
    signal.raise_signal(signal.SIGINT)  # Ctrl-C
    await until(lambda: server)
    assert server == [signal.SIGINT]
    await shutdown.finish()


@pytest.mark.parametrize("by_request", [True, False], ids=["request", "socket"])
async def test_actions_in_progress_are_stored(
    monkeypatch: pytest.MonkeyPatch, by_request: bool
) -> None:
    goes_on = asyncio.Event()
    stored: list[str] = []

    async def slowly(*_args: object) -> play.ActAnswer:
        await goes_on.wait()
        stored.append("stored")
        return play.ActAnswer(play.DONE, "1.1")

    monkeypatch.setattr(play, "_perform", slowly)
    nobody: Any = SimpleNamespace()
    performed = play.perform(nobody, nobody, nobody)
    acting = asyncio.create_task(play.to_its_end(performed) if by_request else performed)
    await asyncio.sleep(0)
    if by_request:
        acting.cancel()  # its client has gone
    await asyncio.sleep(0)
    finishing = asyncio.create_task(play.finish(PATIENCE))
    await asyncio.sleep(0.01)
    assert not finishing.done()
    goes_on.set()
    await finishing
    assert stored == ["stored"]


async def test_disconnected_players_are_not_marked_as_gone() -> None:
    presence.start()
    heart = presence._Heart.task
    assert heart is not None
    presence.end()
    with pytest.raises(asyncio.CancelledError):
        await heart


# Real processes -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    """A web process, started as in the guide, and a table with four players."""
    folder = tmp_path_factory.mktemp("ending")
    settings = {
        "BOWER_DATA": str(folder),
        "DATABASE_URL": f"sqlite:///{folder}/db.sqlite3",
        "REDIS_URL": "",
        "SECRET_KEY": "a" * 60,
        "DEAL_KEY": Fernet.generate_key().decode(),
        "STATIC_LIVE": "true",
        "DRAIN_SECONDS": "2",
        "METRICS_ADDRESS": f"{HOST}:{free_port()}",
    }
    web = web_process(folder, settings)
    done = subprocess.run(
        [sys.executable, "-c", PREPARE],
        cwd=ROOT, env=web.env, check=True, timeout=PATIENCE, capture_output=True,
    )  # fmt: skip
    web.start(PATIENCE)
    yield SimpleNamespace(web=web, metrics=settings["METRICS_ADDRESS"], **json.loads(done.stdout))
    web.kill()


@contextmanager
def open_tab(web: Server, table: int, cookie: str) -> Iterator[ClientConnection]:
    """Open a tab that shows the table."""
    with connect(
        f"ws://{HOST}:{web.port}/ws/tables/{table}/",
        origin=Origin(f"http://{HOST}:{web.port}"),
        additional_headers={"Cookie": cookie},
        open_timeout=PATIENCE,
    ) as tab:
        tab.send('{"have": ""}')
        tab.recv(PATIENCE)
        yield tab


def act(tab: ClientConnection, text: str, version: int, key: str) -> str:
    """Send an action; return the type of the answer."""
    tab.send(json.dumps({"action": text, "version": f"1.{version}", "key": key}))
    while True:
        answer = answer_in(tab.recv(PATIENCE, decode=False))
        if answer and answer["key"] == key:
            return answer["kind"]


def ask(web: Server, path: str) -> httpx.Response:
    return httpx.get(f"http://{HOST}:{web.port}{path}", timeout=PATIENCE)


@pytest.mark.slow
def test_a_process_drains_and_then_disconnects(site: SimpleNamespace) -> None:
    web: Server = site.web
    assert ask(web, "/readyz/web").status_code == 200
    with ExitStack() as open_tabs:
        tabs = [
            open_tabs.enter_context(open_tab(web, site.table, cookie)) for cookie in site.cookies
        ]
        first, second, third = site.moves[:3]
        assert act(tabs[first[0]], first[1], 0, "before") == "done"
        assert web.process is not None
        web.process.send_signal(signal.SIGTERM)
        ends = time.monotonic() + PATIENCE
        while (answer := ask(web, "/readyz/web")).status_code == 200:
            assert time.monotonic() < ends
        assert answer.json() == {"state": "not ready"}, "the public is told nothing else"
        told = httpx.get(f"http://{site.metrics}/readyz/web", timeout=PATIENCE).json()
        assert told["parts"]["process"] == "ending"
        assert ask(web, "/healthz").status_code == 200
        assert act(tabs[second[0]], second[1], 1, "meanwhile") == "done"
        for tab in tabs:
            with pytest.raises(ConnectionClosed) as closed:
                drain(tab)
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == CloseCode.SERVICE_RESTART
    assert web.process.wait(PATIENCE) == -signal.SIGTERM
    web.start(PATIENCE)
    with open_tab(web, site.table, site.cookies[second[0]]) as back:
        assert act(back, second[1], 1, "meanwhile") == "done", "sent again, the first answer"
    with open_tab(web, site.table, site.cookies[third[0]]) as again:
        assert act(again, third[1], 2, "after") == "done"


def drain(tab: ClientConnection) -> None:
    """Receive until the server closes."""
    while True:
        tab.recv(PATIENCE)


@pytest.mark.slow
def test_a_second_signal_stops_at_once_without_losing_actions(
    site: SimpleNamespace,
) -> None:
    web: Server = site.web
    if not web.alive:
        web.start(PATIENCE)
    version = version_of(web, site.table)
    seat, text = site.moves[version]
    assert web.process is not None
    with open_tab(web, site.table, site.cookies[seat]) as tab:
        asked = {"action": text, "version": f"1.{version}", "key": "on its way"}
        tab.send(json.dumps(asked))
        for _time in range(2):
            os.kill(web.process.pid, signal.SIGTERM)
            time.sleep(0.05)  # two at the very same moment are one to the system
        web.process.wait(PATIENCE)
    web.start(PATIENCE)
    with open_tab(web, site.table, site.cookies[seat]) as back:
        assert act(back, text, version, "on its way") == "done"
    assert version_of(web, site.table) == version + 1


def version_of(web: Server, table: int) -> int:
    """Return the number of stored events of the table's game."""
    said = ask(web, f"/api/tables/{table}").json()
    return int(said["version"].partition(".")[2])
