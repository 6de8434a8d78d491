"""A whole site of one's own that may be broken: PostgreSQL, Redis, web processes, worker, schedule.

Nothing of it is shared with other programs: the database server and the Redis are started here,
on ports and in folders of their own.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import psycopg
import redis
from cryptography.fernet import Fernet

from tests.load.scaled import web_process
from tests.served import FLAT_OUT, HOST, ROOT, Server, free_port

PATIENCE = 60  # seconds before something that never comes fails a run


class MissingError(Exception):
    """This machine lacks a program; the message names it."""


class Process:
    """A process of one's own, which may be killed, stopped for a while and started again.

    Args:
        command: what to run.
        log: where its words go.
        answers: asks it something; raises an error while it cannot answer.
        env: its environment; None: this process's.
    """

    def __init__(
        self,
        command: Sequence[str],
        log: Path,
        answers: Callable[[], object] = lambda: None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.command, self.log, self.answers, self.env = list(command), log, answers, env
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> Self:
        """Start it and wait until it answers; again if what was killed is still going away."""
        ends = time.monotonic() + PATIENCE
        while time.monotonic() < ends:
            if not self.alive:
                with self.log.open("ab") as out:
                    self.process = subprocess.Popen(
                        self.command, cwd=ROOT, env=self.env, stdin=subprocess.DEVNULL,
                        stdout=out, stderr=out,
                    )  # fmt: skip
            try:
                self.answers()
            except (psycopg.OperationalError, redis.RedisError, OSError):
                time.sleep(0.05)
            else:
                return self
        raise AssertionError(f"{self.command[0]} did not start: {self.log.read_text()}")

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self.process is not None and self.process.poll() is None

    @property
    def pid(self) -> int:
        """The number of the server itself."""
        assert self.process is not None
        return self.process.pid

    def kill(self) -> None:
        """kill -9."""
        if self.process is not None and self.alive:
            os.kill(self.pid, signal.SIGKILL)
            self.process.wait(PATIENCE)

    def hang(self) -> None:
        """Let it and all its processes stand still: its lines stay open, and nothing comes."""
        for pid in (self.pid, *children(self.pid)):
            os.kill(pid, signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it go on where it stood still."""
        assert self.process is not None
        # Whoever has started the server stands still with it, and lets it go on.
        for pid in {self.process.pid, *children(self.pid), self.pid}:
            os.kill(pid, signal.SIGCONT)


def children(pid: int) -> list[int]:
    """The numbers of the processes that a process has started."""
    told = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(one) for one in told.split()]


class Postgres(Process):
    """A cluster of its own; the server refuses to run as root.

    folder: one that the user postgres may reach. Raises MissingError.
    """

    def __init__(self, folder: Path, port: int) -> None:
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        initdb = shutil.which("initdb") or (str(found[-1]) if found else None)
        if initdb is None:
            raise MissingError("initdb")
        other = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        if other:
            shutil.chown(folder, user="postgres")
        self.data = folder / "data"
        subprocess.run(
            [*other, initdb, "-D", str(self.data), "-U", "bower", "-A", "trust", "-E", "UTF8",
             "--locale=C", "--no-sync"],
            check=True, capture_output=True, cwd=folder,
        )  # fmt: skip
        self.port = port
        self.url = f"postgres://bower@{HOST}:{port}/postgres"
        command = [
            *other, str(Path(initdb).with_name("postgres")), "-D", str(self.data), "-p", str(port),
            "-k", "", "-c", f"listen_addresses={HOST}", "-c", "fsync=off",
        ]  # fmt: skip
        super().__init__(command, folder / "postgres.log", self._ask)

    def _ask(self) -> None:
        psycopg.connect(self.url, connect_timeout=2).close()

    @property
    def pid(self) -> int:
        """The number of the server itself, which `runuser` has started."""
        return int((self.data / "postmaster.pid").read_text().split()[0])


class RedisServer(Process):
    """A Redis of its own that keeps nothing. Raises MissingError."""

    def __init__(self, folder: Path, port: int) -> None:
        program = shutil.which("redis-server")
        if program is None:
            raise MissingError("redis-server")
        self.port = port
        self.url = f"redis://{HOST}:{port}/0"
        asked = redis.Redis(HOST, port, socket_timeout=1)
        command = [
            program, "--port", str(port), "--bind", HOST, "--save", "", "--dir", str(folder),
        ]  # fmt: skip
        super().__init__(command, folder / "redis.log", asked.ping)


def guide_commands() -> dict[str, list[str]]:
    """How the guide says that worker and schedule are started, with this Python's programs."""
    guide = (ROOT / "docs/running.md").read_text()
    rows = re.findall(r"^\| (worker|schedule) \|.*\| `celery (.+)` \|$", guide, re.MULTILINE)
    return {name: [sys.executable, "-m", "celery", *shlex.split(rest)] for name, rest in rows}


class Stack:
    """Two web processes, a worker and a schedule on a PostgreSQL and a Redis of their own.

    Args:
        folder: for data and logs.
        postgres: the database server.
        database: where the site finds the database, if not there itself.
        broker: and Redis.
        redis_port: where Redis shall be; 0: anywhere.
        wrapper: the module that starts the web processes instead of plain Python.
        settings: further environment variables.

    Attributes:
        env: the environment of all processes.
        webs: the web processes.
    """

    def __init__(
        self,
        folder: Path,
        postgres: Postgres,
        *,
        database: str = "",
        broker: str = "",
        redis_port: int = 0,
        wrapper: str = "",
        **settings: str,
    ) -> None:
        self.folder, self.postgres = folder, postgres
        self.redis = RedisServer(folder, redis_port or free_port())
        self.settings = {
            "BOWER_DATA": str(folder),
            "DATABASE_URL": database or postgres.url,
            "REDIS_URL": broker or self.redis.url,
            "SECRET_KEY": "a" * 60,
            "DEAL_KEY": Fernet.generate_key().decode(),
            "DJANGO_SETTINGS_MODULE": "euchre_site.settings",
            "STATIC_LIVE": "true",
            "LOG_FORMAT": "json",
            "QUICK_GATHER": "0",
            **FLAT_OUT,
            **settings,
        }
        self.webs = [web_process(_made(folder / name), self.settings) for name in ("1", "2")]
        for web in self.webs if wrapper else ():
            web.command = [sys.executable, "-m", wrapper, *web.command[2:]]
        self.env = self.webs[0].env
        commands = guide_commands()
        self.worker, self.schedule = (
            Process(commands[name], folder / f"{name}.log", env=self.env)
            for name in ("worker", "schedule")
        )

    def start_servers(self) -> None:
        """Start PostgreSQL and Redis, and make the tables."""
        self.postgres.start()
        self.redis.start()
        subprocess.run(
            [sys.executable, "manage.py", "migrate", "-v", "0"],
            cwd=ROOT, env=self.env, check=True,
        )  # fmt: skip

    def start_webs(self) -> None:
        """Start the web processes, one while the other starts."""
        for web in self.webs:
            web.begin()
        for web in self.webs:
            web.wait(PATIENCE)

    def start_rest(self) -> None:
        """Start worker and schedule."""
        self.worker.start()
        self.schedule.start()

    def stop(self) -> None:
        """Stop everything."""
        for web in self.webs:
            web.kill()
        for one in (self.worker, self.schedule, self.redis, self.postgres):
            one.kill()

    def logs(self) -> list[Path]:
        """What web processes, worker and schedule have told."""
        return [web.data / "server.log" for web in self.webs] + [
            one.log for one in (self.worker, self.schedule)
        ]


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


@contextmanager
def open_folder() -> Iterator[Path]:
    """A folder in which the user postgres may have one, wherever this run has its own."""
    folder = Path(tempfile.mkdtemp(prefix="bower-postgres-", dir="/tmp"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def use_django(stack: Stack) -> None:
    """Let this process read and write the same data as the site."""
    import django

    os.environ.update(stack.settings)
    django.setup()


def troubles(web: Server) -> list[str]:
    """What a process has told of anything wrong, line by line."""
    lines = (web.data / "server.log").read_text().splitlines()
    return [line for line in lines if '"level": "info"' not in line]


def run_module(module: str, *arguments: str) -> tuple[int, str, float]:
    """Run a module, print what it prints, and return its status, what that was, and the seconds."""
    begun = time.monotonic()
    with subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    ) as process:  # fmt: skip
        said = ""
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            said += line
    return process.returncode, said, time.monotonic() - begun
