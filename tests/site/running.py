"""A quickstart server as a process of its own, as a newcomer starts it."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
OURS = {"BOWER_DATA", "DATABASE_URL", "DEAL_KEY", "DJANGO_SETTINGS_MODULE"} | {
    "EMAIL_URL", "REDIS_URL", "SECRET_KEY", "SITE_URL", "STATIC_LIVE",
}  # fmt: skip
PATIENCE = 120  # seconds before a hanging process fails a test


class Server(NamedTuple):
    """A running server, the address it told, and all it has said until then."""

    process: subprocess.Popen[str]
    address: str
    said: str

    def stop(self, by: signal.Signals = signal.SIGINT) -> str:
        """Send the signal and return what the server said while stopping."""
        self.process.send_signal(by)
        said, _ = self.process.communicate(timeout=PATIENCE)
        return said


def command(data: Path, *options: str) -> list[str]:
    """The command line of a quickstart with this data folder."""
    return [
        sys.executable,
        "manage.py",
        "quickstart",
        "--no-browser",
        "--data",
        str(data),
        *options,
    ]


def environment() -> dict[str, str]:
    """This process's variables without those that tests set for themselves."""
    return {name: value for name, value in os.environ.items() if name not in OURS}


def refused(data: Path, *options: str) -> str:
    """Run a quickstart that cannot start, and return the one line it says."""
    done = subprocess.run(
        command(data, *options),
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode in {1, 78}
    (line,) = done.stderr.strip().splitlines()
    return line


@contextmanager
def running(data: Path, port: int = 0) -> Iterator[Server]:
    """Run a server until the block ends."""
    process = subprocess.Popen(
        command(data, "--port", str(port)),
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        said = ""
        for line in process.stdout:
            said += line
            if told := re.search(r"Open (http://\S+?)/? and", line):
                yield Server(process, told[1], said)
                break
        else:
            raise AssertionError(f"no address was told: {said}")
    finally:
        process.kill()
        process.wait()
