"""quickstart creates and runs a site; Ctrl-C stops it; the next start continues."""

import asyncio
import json
import re
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from django.core.management import CommandError
from uvicorn.server import ServerState
from websockets.exceptions import ConnectionClosedError, InvalidStatus
from websockets.frames import CloseCode
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from euchre_site.guards.request_headers import BoundedHeaders
from euchre_site.management.commands.quickstart import Command, page_address, use_address
from games.sockets.hub import LOGGED_OUT
from tests.served import ROOT, fill
from tests.site.processes import PATIENCE, Server, command, environment, refused, running

#: A server is started once for the tests here, in one worker.
pytestmark = pytest.mark.xdist_group("quickstart")

#: Ports that are none.
PORTS = ["99999", "-1", "eight", "80.5", ""]

MAKE_TABLE = """
from games.engine.rules import CLASSIC_24
from games.models import Player
from games.seats import seating
print(seating.make_table(Player.objects.create(name="Maeve"), CLASSIC_24, open=True).pk)
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for the tests that only read from it."""
    with running(tmp_path_factory.mktemp("quickstart") / "var") as started:
        yield started


def data_of(server: Server) -> Path:
    arguments = server.process.args
    assert isinstance(arguments, list)
    return Path(arguments[arguments.index("--data") + 1])


@cache
def make_table(data: Path) -> str:
    """Make a table in a data folder; return its key, the same each time."""
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "--no-imports", "-c", MAKE_TABLE],
        cwd=ROOT,
        env=environment() | {"BOWER_DATA": str(data)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def watch_a_table(server: Server, origin: str = "", cookie: str = "") -> ClientConnection:
    table = make_table(data_of(server))
    address = f"{server.address.replace('http', 'ws', 1)}/ws/tables/{table}/"
    headers = {"Cookie": cookie} if cookie else None
    return connect(
        address,
        origin=Origin(origin or server.address),
        additional_headers=headers,
        open_timeout=PATIENCE,
    )


def test_pages_and_static_files_are_served(server: Server) -> None:
    page = httpx.get(server.address + "/", timeout=PATIENCE)
    assert page.status_code == 200
    files = re.findall(r'(?:href|src)="(/static/[^"#]+)', page.text)
    assert any(re.search(r"/css/base\.[0-9a-f]{12}\.css", file) for file in files)
    for file in files:
        answer = httpx.get(server.address + file, timeout=PATIENCE)
        assert answer.status_code == 200
        assert "immutable" in answer.headers["Cache-Control"]


def test_keys_are_made_once_with_private_permissions(server: Server) -> None:
    keys = data_of(server) / "secrets.env"
    assert stat.S_IMODE(keys.stat().st_mode) == 0o600
    made = r"SECRET_KEY=\S{60,}\nDEAL_KEY=\S{44}\nPUSH_KEY=\S{43}\n"
    assert re.fullmatch(made, keys.read_text())


def test_a_port_in_use_is_reported(server: Server, tmp_path: Path) -> None:
    port = server.address.rpartition(":")[2]
    line = refused(tmp_path / "var", "--port", port)
    assert f"Cannot listen on 127.0.0.1:{port}: Address already in use" in line
    assert not (tmp_path / "var/db.sqlite3").exists()


def test_a_data_folder_in_use_is_reported(server: Server) -> None:
    assert "Another Bower is using" in refused(data_of(server), "--port", "0")


def test_a_socket_from_another_port_is_refused(server: Server) -> None:
    with pytest.raises(InvalidStatus) as refusal:
        watch_a_table(server, "http://127.0.0.1:1")
    assert refusal.value.response.status_code == 403


@pytest.mark.slow
def test_socket_compression_is_a_setting(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with watch_a_table(server) as plain:
        assert plain.protocol.extensions == []
    monkeypatch.setenv("SOCKET_DEFLATE", "true")
    fill(tmp_path)
    with running(tmp_path) as deflating, watch_a_table(deflating) as live:
        assert [one.name for one in live.protocol.extensions] == ["permessage-deflate"]
        live.send('{"have": ""}')
        assert json.loads(live.recv(PATIENCE))["from"] == 0


def test_a_frame_over_the_limit_closes_only_its_socket(server: Server) -> None:
    with watch_a_table(server) as socket:
        socket.send("x" * 1_000_000)
        with pytest.raises(ConnectionClosedError) as closed:
            list(socket)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == CloseCode.MESSAGE_TOO_BIG
    assert httpx.get(server.address + "/robots.txt", timeout=PATIENCE).status_code == 200


def test_a_body_of_300_mb_is_refused_without_being_read(server: Server) -> None:
    with raw(server, "POST /you/look/ HTTP/1.1", "Transfer-Encoding: chunked") as connection:
        megabyte = b"100000\r\n" + b"x" * 0x100000 + b"\r\n"
        sent = 0
        with suppress(ConnectionError):
            for _ in range(300):
                connection.sendall(megabyte)
                sent += 1
        answer = connection.recv(65_536)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert sent < 100


@pytest.mark.parametrize("path", ["/replay/", "/api/tables", "/static/css/base.css"])
def test_a_large_content_length_is_refused_at_once(server: Server, path: str) -> None:
    with raw(server, f"POST {path} HTTP/1.1", "Content-Length: 300000000") as connection:
        assert connection.recv(12) == b"HTTP/1.1 413"


def test_headers_that_are_too_large_close_the_connection(server: Server) -> None:
    with raw(server, "GET / HTTP/1.1", "X-Padding: " + "x" * 1_000_000, end="") as connection:
        assert b"431" in connection.recv(65_536)


async def test_slow_headers_close_the_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def app(_scope: Any, _receive: Any, _send: Any) -> None:
        raise AssertionError("no request has come")

    monkeypatch.setattr(BoundedHeaders, "timeout", 0.05)
    config = uvicorn.Config(app, http=BoundedHeaders, log_config=None)
    loop = asyncio.get_running_loop()
    listening = await loop.create_server(
        lambda: BoundedHeaders(config, ServerState(), {}),  # type: ignore[abstract, unused-ignore]
        "127.0.0.1",
    )
    async with listening:
        reader, writer = await asyncio.open_connection(*listening.sockets[0].getsockname())
        writer.write(b"GET / HTTP/1.1\r\nHost: here\r\n")
        assert await asyncio.wait_for(reader.read(), PATIENCE) == b""
        writer.close()


def raw(server: Server, *head: str, end: str = "\r\n\r\n") -> socket.socket:
    """Open a connection and send a request's head."""
    host, _, port = server.address.removeprefix("http://").rpartition(":")
    connection = socket.create_connection((host, int(port)), PATIENCE)
    first, *more = head
    lines = [first, f"Host: {host}:{port}", *more]
    connection.sendall("\r\n".join(lines).encode() + end.encode())
    return connection


def test_logging_out_closes_the_sockets_of_the_session(server: Server) -> None:
    with httpx.Client(base_url=server.address, timeout=PATIENCE) as browser:
        fields = {"name": "Iris", "email": "iris@example.org", "password1": "old mill thursday"}
        send(browser, "/accounts/signup/", fields)
        cookie = f"bower_session={browser.cookies['bower_session']}"
        with watch_a_table(server, cookie=cookie) as hers, watch_a_table(server) as ottos:
            send(browser, "/accounts/logout/", {})
            with pytest.raises(ConnectionClosedError) as closed:
                list(hers)  # ends when the server closes
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == LOGGED_OUT
            assert ottos.ping().wait(PATIENCE)


@pytest.mark.slow
def test_stopping_with_an_open_socket_and_restarting(tmp_path: Path) -> None:
    password = "old mill thursday"
    fill(tmp_path)
    with (
        running(tmp_path) as server,
        httpx.Client(base_url=server.address, timeout=PATIENCE) as browser,
    ):
        fields = {"name": "Maeve", "email": "maeve@example.org", "password1": password}
        assert send(browser, "/accounts/signup/", fields).status_code == 302
        stops(server, signal.SIGINT)
        cookies = dict(browser.cookies)
    assert list((tmp_path / "mail").iterdir())
    with (
        running(tmp_path) as server,
        httpx.Client(base_url=server.address, timeout=PATIENCE) as browser,
    ):
        fields = {"login": "maeve@example.org", "password": password}
        assert send(browser, "/accounts/login/", fields).status_code == 302
        kept = httpx.get(server.address + "/you/", cookies=cookies, timeout=PATIENCE)
        assert "maeve@example.org" in kept.text
        stops(server, signal.SIGTERM)


def stops(server: Server, by: signal.Signals) -> None:
    """Watch a table until the server stops."""
    with watch_a_table(server) as live:
        live.send('{"have": ""}')
        live.recv(PATIENCE)
        assert "Stopped. All data is kept" in server.stop(by)
        assert server.process.returncode == 0
        with pytest.raises(ConnectionClosedError) as closed:
            list(live)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == CloseCode.SERVICE_RESTART


def send(browser: httpx.Client, address: str, fields: dict[str, str]) -> httpx.Response:
    page = browser.get(address)
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
    assert token is not None
    return browser.post(address, data=fields | {"csrfmiddlewaretoken": token[1]})


def test_an_invalid_port_is_reported(tmp_path: Path) -> None:
    line = refused(tmp_path, f"--port={PORTS[0]}")
    assert line == f"CommandError: --port must be a number from 0 to 65535, not {PORTS[0]!r}."


@pytest.mark.parametrize("port", PORTS)
def test_valid_ports(port: str) -> None:
    with pytest.raises(CommandError) as refusal:
        Command.port(port)
    assert str(refusal.value) == f"--port must be a number from 0 to 65535, not {port!r}."


def test_an_unknown_host_is_reported(tmp_path: Path) -> None:
    assert "Cannot listen on nowhere.invalid:0" in refused(
        tmp_path, "--host", "nowhere.invalid", "--port", "0"
    )


def test_a_folder_that_cannot_be_created_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    line = refused(tmp_path / "file/var")
    assert line.startswith(f"Cannot use the data folder {tmp_path}/file/var: Not a directory.")


def test_help_creates_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [*command(tmp_path / "var"), "--help"],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    for option in ("--host", "--port", "--data DIR", "--no-browser"):
        assert option in done.stdout
    assert not (tmp_path / "var").exists()


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000/"),
        ("0.0.0.0", "http://127.0.0.1:8000/"),  # noqa: S104
        ("::", "http://[::1]:8000/"),
        ("::1", "http://[::1]:8000/"),
        ("localhost", "http://localhost:8000/"),
    ],
)
def test_the_printed_address_can_be_opened(host: str, address: str) -> None:
    assert page_address(host, 8000) == address


def test_links_use_the_printed_address_unless_site_url_is_set(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.SITE_URL = "http://localhost:8000"  # which this fixture puts back afterwards
    monkeypatch.delenv("SITE_URL", raising=False)
    use_address("http://127.0.0.1:4321/")
    assert settings.SITE_URL == "http://127.0.0.1:4321"
    monkeypatch.setenv("SITE_URL", "https://euchre.example.org")
    use_address("http://127.0.0.1:8000/")
    assert settings.SITE_URL == "http://127.0.0.1:4321"


def test_ctrl_c_during_preparation_prints_one_line(tmp_path: Path) -> None:
    process = subprocess.Popen(
        command(tmp_path / "var", "--port", "0"), cwd=ROOT,
        env=environment() | {"LOG_FORMAT": "json"}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    try:
        assert process.stderr is not None
        lines = []
        for line in process.stderr:
            lines.append(line)
            if "Preparing" in line:
                process.send_signal(signal.SIGINT)
                break
        said, complained = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    *logged, last = [*lines, *complained.splitlines()]
    assert said == ""
    assert all(json.loads(line)["event"] for line in logged)
    assert last == "Stopped before it was ready. Run the same command to continue."
    assert process.returncode == 130


PRESS_WHERE_PYTHON_LOSES_EXCEPTIONS = """
import signal, sys, weakref
from euchre_site.startup.data_folder import prepare_start

class Module:
    pass

prepare_start(["--data", sys.argv[1]])
module = Module()
gone = weakref.ref(module, lambda _gone: signal.raise_signal(signal.SIGINT))
print("importing")
del module
print("and on")
"""


def test_ctrl_c_is_not_lost_while_it_imports(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRESS_WHERE_PYTHON_LOSES_EXCEPTIONS, str(tmp_path)], cwd=ROOT,
        env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert (done.stdout, done.returncode) == ("importing\n", 130)
    assert done.stderr == "Stopped before it was ready. Run the same command to continue.\n"
