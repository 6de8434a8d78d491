"""A server of one's own: the real one, as a process, in a folder of its own."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

from filelock import FileLock

ROOT = Path(__file__).resolve().parent.parent
HOST = "127.0.0.1"
#: Tests play fast, few and from one address; and what ends is over at once.
OF_TESTS = {
    "RESULT_GRACE": "0", "RATING_HAND_SECONDS": "0", "RATING_MATCHES_AN_HOUR": "0",
    "RATING_ADDRESS_MATCHES": "0", "RATING_SAME_MATCHES": "0", "RATING_LEAST_HANDS": "0",
    "QUICK_GATHER": "0",
}  # fmt: skip
#: For programs that play faster than people, and as many people from one address.
FLAT_OUT = {"SOCKET_BURST": "1000", "SOCKET_RATE": "1000", "SOCKETS_PER_ADDRESS": "100000"}
#: What the settings of a test run put into the environment; a server has its own.
OF_TEST_RUNS = (
    "BOWER_DATA", "DEAL_KEY", "DJANGO_SETTINGS_MODULE", "EMAIL_URL", "SECRET_KEY", "STATIC_LIVE",
)  # fmt: skip


#: Names a run of tests in CI, in which all servers begin with copies of one data folder.
RUN = os.environ.get("CI") == "true" and os.environ.get("PYTEST_XDIST_TESTRUNUID")


class Server:
    """``manage.py quickstart`` in a process; may be killed and started again on its data.

    Args:
        data: its data folder; a new one under the system's temporary folder if None.
        port: the port; a free one if 0.
        command: what to run instead of quickstart.
        settings: further environment variables.
    """

    def __init__(
        self,
        data: Path | None = None,
        port: int = 0,
        command: Sequence[str] | None = None,
        **settings: str,
    ) -> None:
        self.data = data or Path(tempfile.mkdtemp(prefix="bower-load-"))
        self.port = port or free_port()
        self.command = command or [
            sys.executable, "manage.py", "quickstart", "--no-browser", "--host", HOST,
            "--port", str(self.port), "--data", str(self.data),
        ]  # fmt: skip
        inherited = {name: os.environ[name] for name in os.environ if name not in OF_TEST_RUNS}
        fixed = {"DJANGO_SETTINGS_MODULE": "euchre_site.settings"}
        self.env = {**inherited, **fixed, **OF_TESTS, **settings}
        self.process: subprocess.Popen[bytes] | None = None
        self.log = (self.data / "server.log").open("ab")

    def start(self, seconds: float = 300) -> Self:
        """Start it and wait until it answers.

        Raises:
            RuntimeError: it ended, or did not answer in time.
        """
        if "quickstart" in self.command:
            fill(self.data)
        return self._begin_and_wait(seconds)

    def _begin_and_wait(self, seconds: float = 300) -> Self:
        self.begin()
        return self.wait(seconds)

    def begin(self) -> None:
        """Start it."""
        self.process = subprocess.Popen(
            list(self.command), cwd=ROOT, env=self.env, stdout=self.log, stderr=self.log
        )

    def wait(self, seconds: float = 300) -> Self:
        """Wait until it answers.

        Raises:
            RuntimeError: it ended, or did not answer in time.
        """
        ends = time.monotonic() + seconds
        while time.monotonic() < ends and self.alive:
            try:
                with socket.create_connection((HOST, self.port), 0.2) as probe:
                    probe.sendall(b"GET /robots.txt HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
                    if probe.recv(12):
                        return self
            except OSError:
                time.sleep(0.02)
        raise RuntimeError(f"The server did not start; see {self.data / 'server.log'}.")

    def stop(self) -> None:
        """Stop it as Ctrl-C does."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """End it at once, wherever it is (kill -9)."""
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> None:
        if self.process is not None and self.alive:
            self.process.send_signal(how)
            self.process.wait(60)

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self.process is not None and self.process.poll() is None

    @property
    def cpu(self) -> float:
        """Seconds of processor time it has used."""
        assert self.process is not None
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def memory(self) -> float:
        """Megabytes it has held at most."""
        return self._megabytes("VmHWM")

    @property
    def resident(self) -> float:
        """Megabytes it holds now."""
        return self._megabytes("VmRSS")

    def _megabytes(self, of: str) -> float:
        assert self.process is not None
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(f"{of}:"):
                return int(line.split()[1]) / 1024
        return 0.0


def fill(data: Path) -> None:
    """Copy what a first start makes to a folder without a database, in CI.

    A first start takes more than twice the processor time of a later one.
    """
    if RUN and not (data / "db.sqlite3").exists():
        copy_of("first-start", data, first_start)


def first_start(data: Path) -> None:
    server = Server(data)
    for elsewhere in ("DATABASE_URL", "REDIS_URL"):
        server.env.pop(elsewhere, None)
    server._begin_and_wait().stop()


def copy_of(name: str, data: Path, make: Callable[[Path], None]) -> None:
    """Copy a data folder that one worker makes and all of them use; make it there if not in CI."""
    if not RUN:
        make(data)
        return
    made = Path(tempfile.gettempdir()) / f"bower-{name}-{RUN}"
    with FileLock(f"{made}.lock"):
        if not made.exists():
            making = Path(tempfile.mkdtemp(prefix="bower-load-"))
            make(making)
            making.rename(made)
    logs = shutil.ignore_patterns("lock", "server.log")
    shutil.copytree(made, data, ignore=logs, dirs_exist_ok=True)


def free_port() -> int:
    """A port nobody listens on now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def use_django(data: Path) -> None:
    """Let this process read and write the same data folder as a server."""
    import django

    os.environ["BOWER_DATA"] = str(data)
    os.environ["DJANGO_SETTINGS_MODULE"] = "euchre_site.settings"
    django.setup()
