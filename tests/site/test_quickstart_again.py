"""quickstart with existing data: other versions, other keys, services that fail."""

import re
import resource
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from shutil import copytree

import pytest
from cryptography.fernet import Fernet

from tests.served import ROOT
from tests.site.processes import PATIENCE, command, environment, refused, running

#: A quickstart whose schedule and worker each die once, in the middle of their work.
DYING = """
import sys
from celery import beat
from celery.worker import loops

def once(call, calls_before):
    left = iter(range(calls_before))
    died = []
    def wrapped(*args, **kwargs):
        if next(left, None) is None and not died:
            died.append(True)
            raise RuntimeError("struck by lightning")
        return call(*args, **kwargs)
    return wrapped

beat.Scheduler.tick = once(beat.Scheduler.tick, 4)
loops.synloop = once(loops.synloop, 0)
sys.argv[:] = ["manage.py", *sys.argv[1:]]
import manage
manage.main()
"""


def heartbeats(data: Path) -> dict[str, str]:
    """Return the last heartbeat of each service."""
    with sqlite3.connect(data / "db.sqlite3") as database:
        return dict(database.execute("SELECT name, at FROM games_heartbeat"))


def until(arrived: Callable[[], object], what: str) -> None:
    ends = time.monotonic() + PATIENCE
    while not arrived():
        assert time.monotonic() < ends, f"{what}: not within {PATIENCE} s"
        time.sleep(0.1)


def found(words: re.Pattern[str], log: Path) -> bool:
    return bool(words.search(log.read_text()))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder as the first start leaves it, copied since a start takes seconds."""
    data = tmp_path_factory.mktemp("quickstart") / "var"
    with running(data) as server:
        server.stop()
    assert not (data / "copies").exists()  # there was nothing to copy
    return data


@pytest.mark.slow
@pytest.mark.xdist_group("quickstart again")
def test_worker_and_schedule_are_restarted(made: Path, tmp_path: Path) -> None:
    data = Path(copytree(made, tmp_path / "var"))
    arguments = command(data, "--port", "0")[2:]
    log = tmp_path / "log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-c", DYING, *arguments],
            cwd=ROOT, env=environment(), stdout=out, stderr=subprocess.STDOUT,
        )  # fmt: skip
    try:
        for part in ("worker", "schedule"):
            ended = re.compile(rf"ended, restarting .*part={part} reason=.+")
            until(partial(found, ended, log), f"the end of the {part}")
        died = set(heartbeats(data).items())
        until(
            lambda: (
                {name for name, _at in set(heartbeats(data).items()) - died}
                >= {"schedule", "ticks", "work"}
            ),
            "signs of life afterwards",
        )
    finally:
        process.terminate()
        process.wait(PATIENCE)
    assert process.returncode == 0
    assert "struck by lightning" in log.read_text()


@pytest.mark.slow
@pytest.mark.xdist_group("quickstart again")
def test_databases_of_other_versions_and_keys(made: Path, tmp_path: Path) -> None:
    """One folder through all of them, since each start takes seconds."""
    data, database = Path(copytree(made, tmp_path / "var")), tmp_path / "var/db.sqlite3"
    with sqlite3.connect(database) as older:  # as of the version before
        older.execute("DROP TABLE django_session")
        older.execute("DELETE FROM django_migrations WHERE app = 'sessions'")
        older.execute("INSERT INTO games_heartbeat VALUES ('before', '2026-03-07 12:00:00')")
    data.chmod(0o755)
    database.chmod(0o644)
    with running(data) as server:
        server.stop()
    (copy,) = (data / "copies").iterdir()
    assert f"the database was copied to {copy}" in server.said
    for path in (data, *data.rglob("*")):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path
    assert "before" in heartbeats_of(copy)

    with sqlite3.connect(database) as newer:
        newer.execute(
            "INSERT INTO django_migrations (app, name, applied) "
            "VALUES ('games', '0999_boards', '2026-03-07 12:00:00')"
        )
    assert "games.0999_boards. Run that version" in refused(data, "--port", "0")
    with sqlite3.connect(database) as same:
        same.execute("DELETE FROM django_migrations WHERE name = '0999_boards'")

    keys = data / "secrets.env"
    right = keys.read_text()
    keys.write_text(re.sub("DEAL_KEY=.*", f"DEAL_KEY={Fernet.generate_key().decode()}", right))
    line = refused(data, "--port", "0")
    assert line.startswith("CommandError: The database belongs to another DEAL_KEY.")
    keys.write_text(re.sub("DEAL_KEY=.*", "DEAL_KEY=typed-by-hand", right))
    assert refused(data).startswith("DEAL_KEY is not a key of 32 bytes")
    keys.unlink()
    assert refused(data).endswith("restore its file secrets.env.")
    assert not keys.exists()


def heartbeats_of(copy: Path) -> set[str]:
    with sqlite3.connect(copy) as database:
        return {name for (name,) in database.execute("SELECT name FROM games_heartbeat")}


@pytest.mark.parametrize("size", [0, 60_000])
def test_a_full_disk_is_reported_in_one_line(tmp_path: Path, size: int) -> None:
    """With a limit on the size of files: of the keys' first, then of the database's."""
    done = subprocess.run(
        [*command(tmp_path / "var"), "--port", "0"],
        cwd=ROOT,
        env=environment() | {"PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
    )
    assert done.returncode == 1
    (line,) = done.stderr.strip().splitlines()
    assert "Cannot use the data folder" in line or "Cannot prepare the database" in line
    keys = tmp_path / "var/secrets.env"
    assert keys.exists() == bool(size)  # whole or not at all
