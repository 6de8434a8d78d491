"""docs/running.md, followed from an empty folder to a game that continues after a stop.

What root does there is replaced: folders stand for the machine's. The site runs in the guide's
environment, which contains only the packages of `requirements.txt`. With BOWER_THOROUGH they are
downloaded, otherwise linked (`guide_environment`).
"""

import os
import re
import runpy
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import psycopg
import pytest
import redis
from websockets.sync.client import connect
from websockets.typing import Origin

from euchre_site import __version__
from tests.served import HOST, OF_TEST_RUNS, ROOT, free_port
from tests.site.processes import OURS
from tests.volume import THOROUGH

pytestmark = [pytest.mark.servers, pytest.mark.slow]

PATIENCE = 180  # seconds before what does not come fails a test
NAME = "euchre.test"
PLAYER = runpy.run_path(str(ROOT / "docs/examples/player.py"))
#: Tests play fast and often.
OF_TESTS = {
    "HOUSE_PAUSE": "0,0", "TRICK_REST": "0", "NEXT_DEAL_PAUSE": "0", "API_RATE_TOKEN": "100000",
}  # fmt: skip
#: What may be wrong where tests run: their PostgreSQL lasts as long as they do, without fsync.
OF_TEST_SERVERS = {"PostgreSQL may lose data"}
#: Makes the environment of the guide without fetching anything.
PYTHON = f"""#!/bin/sh
[ "$1 $2" = "-m venv" ] || exit 1
exec {sys.executable} {ROOT}/tests/site/guide_environment.py "$3"
"""
#: Makes whoever has signed up an operator of the site.
PROMOTE = "from games.models import User; User.objects.update(is_staff=True, is_superuser=True)"


def blocks(way: str) -> tuple[list[str], list[str]]:
    """Return the guide's commands for a way to run: blocks that end, and commands that stay."""
    text = (ROOT / "docs/running.md").read_text()
    ending, staying = [], []
    for info, block in re.findall(r"^```sh (.+)\n((?:.*\n)*?)```$", text, re.MULTILINE):
        if way in info.split():
            if "stays" in info.split():
                staying += block.splitlines()
            else:
                ending.append(block)
    return ending, staying


class Machine:
    """Folders in which an installation of the guide is made and run.

    way: `embedded` or `scaled`. settings: what the operator writes to the settings file.
    """

    def __init__(self, folder: Path, way: str, **settings: str) -> None:
        self.folder = folder
        self.code = folder / "opt/bower"
        self.ports = {port: free_port() for port in ("8000", "8001", "8002")}
        self.ending, self.staying = blocks(way)
        self.processes: list[subprocess.Popen[bytes]] = []
        shutil.copytree(
            ROOT, self.code,
            ignore=lambda at, names: {
                one for one in names
                if one.startswith(".")
                or (at == str(ROOT) and one in {"tests", "var"})
            },
        )  # fmt: skip
        (folder / "etc").mkdir()
        (folder / "bin").mkdir()
        python = folder / "bin/python3"
        if THOROUGH:
            python.symlink_to(Path(sys.executable).resolve())
        else:
            python.write_text(PYTHON)
            python.chmod(0o755)
        settings = {"BOWER_DATA": str(folder / "var"), **settings, **OF_TESTS}
        lines = (self.code / f"deploy/{way}.env").read_text().splitlines()
        kept = [line for line in lines if line.partition("=")[0] not in settings]
        told = [f"{name}='{value}'" for name, value in settings.items()]
        text = "\n".join([*kept, *told, ""]).replace("euchre.example.org", NAME)
        (folder / "etc/bower.env").write_text(text)
        manage = self.code / "deploy/manage"
        manage.write_text(self.here(manage.read_text()))

    def here(self, text: str) -> str:
        """Return the guide's commands with this machine's folders and ports."""
        text = text.replace("/opt/bower", str(self.code))
        text = text.replace("/etc/bower/", f"{self.folder}/etc/")
        return re.sub(r"(?<=--port )\d+", lambda port: str(self.ports[port[0]]), text)

    @property
    def environment(self) -> dict[str, str]:
        """Return the variables of a login without settings."""
        set_here = {*OURS, *OF_TEST_RUNS}
        inherited = {name: value for name, value in os.environ.items() if name not in set_here}
        return inherited | {"PATH": f"{self.folder}/bin:{os.environ['PATH']}"}

    def type(self, block: str) -> str:
        """Run a block of commands; return the output."""
        done = subprocess.run(
            ["sh", "-euc", self.here(block)],
            cwd=self.folder, env=self.environment, capture_output=True, text=True,
            timeout=PATIENCE, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
        return done.stdout + done.stderr

    def start(self) -> None:
        """Start what stays running, and wait until each port answers.

        Without a shell in between, as under systemd: it would end before its child.
        """
        with (self.folder / "log").open("ab") as log:
            self.processes = [
                subprocess.Popen(
                    ["sh", "-c", self.here(line.replace("&& deploy/", "&& exec deploy/"))],
                    cwd=self.folder, env=self.environment, stdout=log, stderr=log,
                    start_new_session=True,
                )
                for line in self.staying
            ]  # fmt: skip
        for port in self.listening:
            self.wait_for(lambda port=port: httpx.get(f"http://{HOST}:{port}/robots.txt"))

    @property
    def listening(self) -> list[int]:
        """Return the ports of the web processes."""
        ports = re.findall(r"--port (\d+)", self.here("\n".join(self.staying)))
        return [int(port) for port in ports]

    def wait_for(self, look: Any) -> None:
        """Wait for a result; fail if a process has ended."""
        ends = time.monotonic() + PATIENCE
        while time.monotonic() < ends:
            told = (self.folder / "log").read_text()
            assert all(one.poll() is None for one in self.processes), told
            try:
                if look():
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.1)
        raise AssertionError((self.folder / "log").read_text())

    def stop(self) -> None:
        """Stop everything as systemd does, and wait for it."""
        for one in self.processes:
            os.killpg(one.pid, signal.SIGTERM)
        for one in self.processes:
            one.wait(PATIENCE)
        self.processes = []


class Visitor:
    """A browser behind a TLS proxy: each request goes to the next web process."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.cookies: dict[str, str] = {}
        self.token = ""
        self.asked = 0

    def headers(self) -> dict[str, str]:
        """Return what proxy and browser send with every request."""
        known = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        sent = {"Host": NAME, "X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.9"}
        if self.token:
            return {**sent, "Authorization": f"Bearer {self.token}"}
        return {**sent, "Cookie": known, "Referer": f"https://{NAME}/"}

    def port(self) -> int:
        self.asked += 1
        ports = self.machine.listening
        return ports[self.asked % len(ports)]

    def ask(self, method: str, path: str, **more: Any) -> httpx.Response:
        answer = httpx.request(
            method, f"http://{HOST}:{self.port()}{path}", headers=self.headers(), timeout=60, **more
        )
        moved_on = answer.status_code == 409 and path.endswith("/actions")  # decided too late
        assert answer.status_code < 400 or moved_on, answer.text
        for line in answer.headers.get_list("set-cookie"):
            for name, one in SimpleCookie(line).items():
                assert one["secure"] or not one.value  # or it is taken away
                self.cookies[name] = one.value
        return answer

    def send(self, path: str, **fields: str) -> httpx.Response:
        """Fill in and send a page's form."""
        page = self.ask("GET", path)
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
        assert token is not None
        return self.ask("POST", path, data=fields | {"csrfmiddlewaretoken": token[1]})

    def play(self, table: int, hands: int) -> dict[str, Any]:
        """Play this many hands at a table; return its last picture."""
        ends = time.monotonic() + PATIENCE
        while time.monotonic() < ends:
            view: dict[str, Any] = self.ask("GET", f"/api/tables/{table}").json()
            if view["over"] or view["deal"]["number"] > hands:
                return view
            if view["legal"]:
                action = {"action": PLAYER["choose"](view), "version": view["version"]}
                self.ask("POST", f"/api/tables/{table}/actions", json=action)
            else:
                time.sleep(0.02)
        raise AssertionError((self.machine.folder / "log").read_text())


def picture(visitor: Visitor, table: int) -> str:
    """Return the first picture of a table, from each web process."""
    frames = set()
    for port in visitor.machine.listening:
        kept = {name: value for name, value in visitor.headers().items() if name != "Host"}
        with connect(
            f"ws://{NAME}/ws/tables/{table}/",
            sock=socket.create_connection((HOST, port)),
            additional_headers=kept,
            origin=Origin(f"https://{NAME}"),
        ) as live:
            live.send('{"have": ""}')
            frames.add(str(live.recv(PATIENCE)))
    return min(frames)


def wrong(machine: Machine, doctor: str) -> set[str]:
    """Return what the doctor finds wrong, by the guide's command."""
    said = machine.type(f"{doctor.strip()} || true")
    assert said.endswith((" to fix.\n", "Nothing is wrong.\n"))
    return set(re.findall("^WRONG  (.+)$", said, re.MULTILINE))


class Playing(NamedTuple):
    """Who plays on a machine: a guest, the guest's program at a table, and that table's score."""

    guest: Visitor
    program: Visitor
    table: int
    score: list[int]


def follow(machine: Machine) -> Playing:
    """Install, start, sign up, play a hand, and run the doctor."""
    *before, doctor = machine.ending
    for block in before:
        machine.type(block)
    machine.start()
    guest = Visitor(machine)
    answer = guest.send("/accounts/signup/", name="Iris", email="iris@example.org",
                        password1="old mill thursday")  # fmt: skip
    assert answer.status_code == 302
    programs = guest.send("/you/programs/", name="Robo")
    secret = re.search(r"bower_[\w-]{20,}", programs.text)
    assert secret is not None
    program = Visitor(machine)
    program.token = secret[0]
    # No hand is thrown in, and two hands are not enough for 10 points.
    seats = {
        "rules": "stick-the-dealer", "seat": "North", "house_seats": ["East", "South", "West"],
    }  # fmt: skip
    table = program.ask("POST", "/api/tables", json=seats).json()["id"]
    stood = program.play(table, hands=1)
    assert stood["deal"]["number"] == 2
    assert '"version"' in picture(guest, table)
    # By now the schedule and its worker have done something; each look at them is a process.
    machine.wait_for(lambda: wrong(machine, doctor) <= OF_TEST_SERVERS)
    return Playing(guest, program, table, stood["score"])


def operate(machine: Machine, playing: Playing) -> None:
    """Look at the site as its operator, make a backup, stop, start again and play on."""
    machine.type(f"cd /opt/bower && deploy/manage shell -v 0 -c '{PROMOTE}'")
    assert f"Bower {__version__}" in playing.guest.ask("GET", "/office/").text
    made = machine.type("cd /opt/bower && deploy/manage backup")
    (file,) = re.findall(r"Backup made: (\S+)", made)
    checked = machine.type(f"cd /opt/bower && deploy/manage backup --verify {file}")
    assert f"Bower {__version__}" in checked
    machine.stop()
    machine.start()
    after = playing.program.play(playing.table, hands=2)
    assert after["deal"]["number"] == 3
    assert sum(after["score"]) > sum(playing.score) > 0
    machine.stop()


@pytest.fixture
def one_process(tmp_path: Path) -> Iterator[Machine]:
    """A machine for the first way to run."""
    machine = Machine(tmp_path, "embedded")
    yield machine
    machine.stop()


def test_one_process(one_process: Machine) -> None:
    operate(one_process, follow(one_process))


@pytest.fixture
def several_processes(tmp_path: Path, postgres_url: str, redis_url: str) -> Iterator[Machine]:
    """A machine for the second way, with its own database and Redis."""
    base, _, _ = postgres_url.rpartition("/")
    with psycopg.connect(postgres_url, autocommit=True) as server:
        server.execute("DROP DATABASE IF EXISTS bower_guide WITH (FORCE)")
        server.execute("CREATE DATABASE bower_guide")
        redis.Redis.from_url(redis_url).flushdb()
        machine = Machine(
            tmp_path, "scaled", DATABASE_URL=f"{base}/bower_guide", REDIS_URL=redis_url
        )
        yield machine
        machine.stop()
        server.execute("DROP DATABASE IF EXISTS bower_guide WITH (FORCE)")


@pytest.mark.postgres
@pytest.mark.redis
def test_several_processes(several_processes: Machine) -> None:
    # Its backups and restarts are those of `backups/test_postgres` and `test_rolling_restart`.
    playing = follow(several_processes)
    if THOROUGH:
        operate(several_processes, playing)
