"""The disk full, the database read-only and the clock set, under the one-command server.

``python -m tests.faults.disk --tables 20 --seconds 10`` lets people play on SQLite and does each of
it for so long: its data folder lies on a file system of 48 MB that is filled up (where none can be
mounted, no file of the server may grow); its database may not be written (`chattr +i`, where that
can be done); its clock is set on by an hour, back by two and right again
(``tests.faults.wrapped``). It prints what was answered and told in the log meanwhile, and how soon
all was right afterwards; and ends with an error if an acknowledged action was lost or doubled, a
house player has acted for anybody, or a page was answered with 500.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from tests.faults.people import Crowd, Pages, asking_sqlite, seconds
from tests.faults.servers import run_module
from tests.load.people import Seated, seat_people
from tests.served import FLAT_OUT, Server, use_django

#: Megabytes of the file system that is filled up.
SIZE = 48
TURN = 10  # seconds at every other table
HOUR = 3600.0
#: What has a server of its own.
PARTS = ("full", "others")

#: A fault: its name, what makes it, and what ends it.
Fault = tuple[str, Callable[[], object], Callable[[], object]]


def options() -> argparse.Namespace:
    """What was asked for."""
    known = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    known.add_argument("--tables", type=int, default=20)
    known.add_argument("--seconds", type=float, default=10, help="of each fault")
    known.add_argument("--only", choices=PARTS)
    known.add_argument("--pace", type=float, default=0.5, help="seconds between a table's actions")
    return known.parse_args()


def main() -> None:
    """Break, wait, mend, look; one server on a small disk, and one for all else."""
    asked = options()
    logging.getLogger("httpx").setLevel(logging.WARNING)
    if asked.only is None:
        given = [f"--{name}={getattr(asked, name)}" for name in ("tables", "seconds", "pace")]
        failed = [one for one in PARTS if run_module("tests.faults.disk", *given, "--only", one)[0]]
        sys.exit(f"wrong: {', '.join(failed)}" if failed else None)
    with ExitStack() as later:
        outside = Path(later.enter_context(tempfile.TemporaryDirectory(prefix="bower-faults-")))
        data, small = outside / "data", False
        data.mkdir()
        if asked.only == "full":
            small = later.enter_context(small_disk(data))
        clock = outside / "clock"
        clock.write_text("0")
        server = Server(
            data, 0, None, **FLAT_OUT, NEXT_DEAL_PAUSE="3600",
            STATIC_LIVE="true", LOG_FORMAT="json", FAULTS_CLOCK=str(clock),
        )  # fmt: skip
        server.command = [sys.executable, "-m", "tests.faults.wrapped", *server.command[1:]]
        server.log.close()
        server.log = later.enter_context((outside / "server.log").open("ab"))  # not on that disk
        later.callback(server.stop)
        server.start()
        use_django(data)
        seated = seat_people(asked.tables)
        _let_clocks_run(seated)
        if asked.only == "full":
            faults = list(_full(server, small=small))
        else:
            faults = [*_read_only(server), *_of_clock(clock)]
        wrong = asyncio.run(story(server, seated, faults, asked))
    if wrong:
        sys.exit("; ".join(wrong))


@contextmanager
def small_disk(folder: Path) -> Iterator[bool]:
    """A small file system of its own in a folder, if one can be mounted; and whether it is."""
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}m,mode=700", "tmpfs", str(folder)]
    try:
        small = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except OSError:
        small = False
    try:
        yield small
    finally:
        if small:
            subprocess.run(["umount", "-l", str(folder)], check=True)


def _let_clocks_run(seated: list[Seated]) -> None:
    from django.db import connections

    from games.models import Table

    timed = [one.table_id for one in seated[::2]]
    Table.objects.filter(pk__in=timed).update(turn_seconds=TURN)
    connections.close_all()


def _full(server: Server, *, small: bool) -> Iterator[Fault]:
    """A full disk."""
    ballast = server.data / "ballast"
    if small:
        yield "disk full", partial(_fill, ballast), partial(ballast.unlink, missing_ok=True)
    else:
        print("no file system can be mounted here: instead no file of the server may grow")
        yield "no file may grow", partial(_limit, server, 1024), partial(_limit, server, -1)


def _read_only(server: Server) -> Iterator[Fault]:
    """A database that may not be written."""
    files = [str(server.data / f"db.sqlite3{end}") for end in ("", "-wal")]
    may = _immutable("+i", files)
    _immutable("-i", files)  # of both, if it could be done for one only
    if may:
        yield "read-only", partial(_immutable, "+i", files), partial(_immutable, "-i", files)
    else:
        print("no file can be made read-only under a running server here: that is left out")


def _fill(ballast: Path) -> None:
    """Write until nothing more can be written."""
    with ballast.open("wb", buffering=0) as file:
        piece = bytes(4096)
        try:
            while True:
                file.write(piece)
        except OSError:
            return


def _limit(server: Server, size: int) -> None:
    """Let no file of the server grow beyond so many bytes; -1: as it was."""
    assert server.process is not None
    limit = resource.RLIM_INFINITY if size < 0 else size
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))


def _immutable(how: str, files: list[str]) -> bool:
    """Let files be written no more (``+i``), or again (``-i``); whether that can be done."""
    try:
        done = subprocess.run(["chattr", how, *files], capture_output=True, check=False)
    except OSError:
        return False
    return done.returncode == 0 and os.getuid() == 0


def _of_clock(clock: Path) -> Iterator[Fault]:
    """The clock set on, and back."""

    def put(offset: float) -> None:
        clock.write_text(str(offset))

    # Each begins where the one before has left the clock; it goes with the server's folder.
    yield "clock an hour on", partial(put, HOUR), lambda: None
    yield "clock two hours back", partial(put, -HOUR), lambda: None
    yield "clock right again", partial(put, 0.0), lambda: None


@contextmanager
def made(make: Callable[[], object], end: Callable[[], object]) -> Iterator[None]:
    """Have a fault while in the block; it ends however the block does, if it began in part too."""
    try:
        make()
        yield
    finally:
        end()


async def story(
    server: Server, seated: list[Seated], faults: list[Fault], asked: argparse.Namespace
) -> list[str]:
    """Make each fault and end it; print, and return what is wrong."""
    crowd = Crowd(seated, [server.port], asking_sqlite(server.data / "db.sqlite3"), asked.pace)
    paths = ("/", f"/tables/{seated[0].table_id}/", "/api/tables", "/events/")
    log = Path(server.log.name)
    wrong = []
    await crowd.come()
    await crowd.all_right()
    for name, make, end in faults:
        pages, over = Pages([server.port], paths, seated[0].cookies[0]), asyncio.Event()
        lines, failed, done = len(_lines(log)), crowd.failed, crowd.acknowledged
        with made(make, end):
            opening = asyncio.create_task(pages.open_until(over))
            await asyncio.sleep(asked.seconds)
            taken, refused = crowd.acknowledged - done, crowd.failed - failed
            over.set()
        begun = time.monotonic()
        right = await crowd.all_right()
        await opening
        print(
            f"{name} for {asked.seconds:g} s: {taken} actions taken, {refused} times told that "
            f"nothing was saved, {pages}; afterwards all shown what is stored after "
            f"{right.seen:.1f} s, every table has gone on after {right.acted:.1f} s, pages after "
            f"{time.monotonic() - begun:.1f} s at most; the log: {_told(log, lines)}",
            flush=True,
        )
        bad = {status: n for status, n in pages.statuses.items() if status not in (200, 503)}
        wrong += [f"{name}: pages {bad}"] if bad else []
    counted = await asyncio.to_thread(crowd.count)
    print(f"{counted}; {seconds([d for one in crowd.companies for d in one.delays])}")
    await crowd.go()
    return wrong + ([str(counted)] if counted.faults else [])


def _lines(log: Path) -> list[str]:
    return log.read_text().splitlines()


def _told(log: Path, before: int) -> str:
    """What a log has told since it had so many lines, each once."""
    told: Counter[str] = Counter()
    for line in _lines(log)[before:]:
        try:
            said = json.loads(line)
        except ValueError:
            told[f"no line of a log: {line[:60]}"] += 1
            continue
        if said["level"] != "info":
            reason = str(said.get("reason") or said.get("exception") or "").strip().splitlines()
            told[f"{said['event']} ({reason[-1] if reason else ''})"] += 1
    return "; ".join(f"{count} × {words}" for words, count in told.most_common(8)) or "nothing"


if __name__ == "__main__":
    main()
