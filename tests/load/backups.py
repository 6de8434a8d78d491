"""Backups while tables play: is each whole, and does each hold what was acknowledged before?

``python -m tests.load.backups --backups 50 --tables 20`` lets people play over real sockets and
meanwhile makes one backup after another by ``manage.py backup``. Each is put into a folder of its
own by ``manage.py restore``, which plays every unfinished game again, and what it then holds is
compared with what had been acknowledged before that backup began. It prints tries, failures,
acknowledged actions that a restored site lacks, and the longest that an action was waited for,
with and without backups; it ends with an error if one failed or lacks an action. With
``--database postgres://…`` all that is done on databases of their own of that server; with
``--key`` the backups are encrypted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import psycopg

from tests.load.people import Seated, seat_people
from tests.served import HOST, ROOT, Server, use_django
from tests.wire import Wire, answer_in, open_table

#: Seconds of play before the first backup, to compare with.
BEFORE = 10
#: Stored actions: table, key and number.
STORED = (
    "SELECT g.table_id, e.client_key, e.seq FROM games_gameevent e JOIN games_game g "
    "ON g.id = e.game_id WHERE e.client_key IS NOT NULL"
)
Stored = set[tuple[int, str, int]]


class Player:
    """Plays a table from all four seats, one action after the other's answer.

    Attributes:
        acknowledged: what was, by table, key and number.
        longest: milliseconds for which an answer was waited at most.
    """

    def __init__(self, table: Seated, pace: float) -> None:
        self.table, self.pace = table, pace
        self.acknowledged: Stored = set()
        self.longest = 0.0
        self.answered = asyncio.Event()
        self.wires: list[Wire] = []

    def on_frame(self, frame: bytes) -> None:
        """Note an acknowledged action."""
        if answer := answer_in(frame):
            if answer["kind"] != "done":
                raise SystemExit(f"refused: {answer}")
            seq = int(answer["version"].split(".")[1])
            self.acknowledged.add((self.table.table_id, answer["key"], seq))
            self.answered.set()

    async def play(self, port: int, stop: asyncio.Event) -> None:
        """Open the four sockets and play until told to stop."""
        self.wires = [
            await open_table(HOST, port, self.table.table_id, cookie, self.on_frame)
            for cookie in self.table.cookies
        ]
        while not stop.is_set() and not self.table.engine.standing.over:
            version = self.table.engine.version
            seat, text = self.table.mover()
            self.answered.clear()
            message = {"action": text, "version": f"1.{version}", "key": f"key-{version}"}
            begun = time.perf_counter()
            self.wires[seat].send(json.dumps(message).encode())
            await self.answered.wait()
            took = time.perf_counter() - begun
            self.longest = max(self.longest, 1000 * took)
            await asyncio.sleep(max(0.0, self.pace - took))


class Place(NamedTuple):
    """A site that is backed up, or one into which a backup is put.

    Attributes:
        data: its folder.
        variables: its environment.
        key: the option with the secret key of its backups, if they are encrypted.
    """

    data: Path
    variables: dict[str, str]
    key: tuple[str, ...] = ()

    def manage(self, *arguments: str) -> str:
        """Run a management command on it; raise RuntimeError with its words if it fails."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments, "--data", str(self.data)],
            cwd=ROOT, env=self.variables, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(done.stderr.strip())
        return done.stdout

    def stored(self) -> Stored:
        """Which actions of people it holds."""
        if url := self.variables.get("DATABASE_URL"):
            with psycopg.connect(url) as database:
                return {(table, key, seq) for table, key, seq in database.execute(STORED)}
        with closing(sqlite3.connect(self.data / "db.sqlite3")) as file:
            return set(file.execute(STORED))


class Counts(NamedTuple):
    """What one backup came to.

    Attributes:
        seconds: it took to make it.
        known: how many actions had been acknowledged when it began.
        lacking: how many of those the restored site lacks.
    """

    seconds: float
    known: int
    lacking: int


def one_backup(site: Place, server_url: str, known: Stored) -> Counts:
    """Make a backup, restore it elsewhere and compare; raise RuntimeError if one of these fails."""
    work = Path(tempfile.mkdtemp(prefix="bower-kept-"))
    variables = dict(site.variables)
    try:
        begun = time.perf_counter()
        site.manage("backup", str(work / "backups"))
        seconds = time.perf_counter() - begun
        (path,) = (work / "backups").glob("bower-*")
        if server_url:
            variables["DATABASE_URL"] = new_database(server_url, "bower_kept")
        other = Place(work / "other", variables)
        other.manage("restore", str(path), *site.key)
        return Counts(seconds, len(known), len(known - other.stored()))
    finally:
        shutil.rmtree(work)


def new_database(server_url: str, name: str) -> str:
    """Make a database anew on a PostgreSQL server; return its address."""
    with psycopg.connect(server_url, autocommit=True) as server:
        server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        server.execute(f"CREATE DATABASE {name}")
    return f"{server_url.rpartition('/')[0]}/{name}"


async def story(server: Server, site: Place, asked: argparse.Namespace) -> None:
    """Play, and make backups meanwhile; end with an error if one does not hold what it must."""
    players = [Player(table, asked.pace) for table in await asyncio.to_thread(seat, asked.tables)]
    stop = asyncio.Event()
    playing = [asyncio.create_task(player.play(server.port, stop)) for player in players]
    await asyncio.sleep(BEFORE)
    without = max(player.longest for player in players)
    for player in players:
        player.longest = 0.0
    made: list[Counts] = []
    failed: list[str] = []
    for _ in range(asked.backups):
        known = {one for player in players for one in player.acknowledged}
        try:
            made.append(await asyncio.to_thread(one_backup, site, asked.database, known))
        except RuntimeError as error:
            failed.append(str(error))
    stop.set()
    await asyncio.gather(*playing)
    lacking = sum(one.lacking for one in made)
    print(
        f"{asked.backups} backups while {asked.tables} tables played: {len(failed)} failed, each "
        f"other restored and its games played again; {sum(one.known for one in made)} actions "
        f"acknowledged before they began, {lacking} of them lacking; "
        f"{max((one.seconds for one in made), default=0):.1f} s a backup at most; "
        f"{sum(len(player.acknowledged) for player in players)} actions played, the longest "
        f"answer {max(player.longest for player in players):.0f} ms, {without:.0f} ms before"
    )
    if failed or lacking:
        sys.exit("\n".join(failed) or "a backup lacks what was acknowledged before it began")


def seat(tables: int) -> list[Seated]:
    """Make tables of four people each."""
    from django.db import connection

    try:
        return seat_people(tables)
    finally:
        connection.close()


def main() -> None:
    """Read the options, play, back up, restore, compare."""
    options = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    options.add_argument("--backups", type=int, default=50)
    options.add_argument("--tables", type=int, default=20)
    options.add_argument("--pace", type=float, default=0.2, help="seconds between two actions")
    options.add_argument("--database", default="", help="a PostgreSQL server's URL")
    options.add_argument("--key", action="store_true", help="encrypt the backups")
    asked = options.parse_args()
    if asked.database:
        os.environ["DATABASE_URL"] = new_database(asked.database, "bower_load")
    server = Server(SOCKET_BURST="100000", SOCKET_RATE="100000", NEXT_DEAL_PAUSE="3600").start()
    site = Place(server.data, dict(server.env))
    use_django(server.data)
    if asked.key:
        made, file = site.manage("backup", "--new-key"), server.data / "key.txt"
        file.write_text(made)
        site.variables["BACKUP_KEY"] = made.splitlines()[1].rpartition(" ")[2]
        site = site._replace(key=("--key", str(file)))
    try:
        asyncio.run(story(server, site, asked))
    finally:
        server.stop()


if __name__ == "__main__":
    main()
